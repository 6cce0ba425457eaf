import { partialError, type Visit, type WalkOptions, walkTree } from '../../znodes/walk.js';
import type { CommandContext } from '../engine/command.js';
import { Pacer } from '../session/pacer.js';
import { SpreadReader } from './spread-reader.js';

const PROGRESS_STEP = 256;

export const WALK_OPTIONS = {
  depth: {
    letter: 'd',
    kind: 'integer',
    valueName: 'N',
    max: 0x7fff_ffff,
    summary: 'go down so many levels; 0 is the znode itself',
  },
  'in-flight': {
    kind: 'integer',
    valueName: 'N',
    min: 1,
    max: 4096,
    summary:
      'requests under way at a time, in one session; default 256, in up to 4 for a long walk; less goes easier on the servers',
  },
  rate: {
    kind: 'integer',
    valueName: 'N',
    min: 1,
    max: 1_000_000,
    summary: 'at most so many requests a second, so that a long walk holds up nobody',
  },
} as const;

/** The argument of a walk. */
export const WALK_ROOT = {
  kind: 'path',
  glob: 'serial',
  isOptional: true,
  summary: 'where, or a pattern; default: the working path',
} as const;

export interface WalkFlags {
  readonly depth?: number | undefined;
  readonly 'in-flight'?: number | undefined;
  readonly rate?: number | undefined;
}

/** A walk of a command: shows how far it is, and keeps count of what could not be read. */
export class CommandWalk {
  readonly #context: CommandContext;
  readonly #unread: { readonly path: string; readonly error: unknown }[] = [];
  #unreadCount = 0;
  /** One for all walks of the command. */
  #pacer: Pacer | undefined;
  count = 0;

  constructor(context: CommandContext) {
    this.#context = context;
  }

  /** Every znode that could be read, and with `areFaultsGiven` the others too. */
  async *visits<T = undefined>(
    root: string,
    flags: WalkFlags,
    more: Partial<WalkOptions<T>> & { readonly areFaultsGiven?: boolean } = {},
  ): AsyncGenerator<Visit<T>> {
    const { client, signal } = this.#context;
    const { depth, 'in-flight': inFlight, rate } = flags;
    // Who asks for less is not to be helped by more sessions.
    const isGentle = rate !== undefined || inFlight !== undefined;
    const spread = isGentle ? undefined : new SpreadReader(this.#context);
    if (rate !== undefined) this.#pacer ??= new Pacer(rate, signal);
    const pacer = this.#pacer;
    const { areFaultsGiven = false, ...options } = more;
    try {
      for await (const visit of walkTree<T>(spread ?? client, root, {
        ...options,
        signal,
        ...(depth === undefined ? {} : { maxDepth: depth }),
        ...(inFlight === undefined ? {} : { inFlight }),
        ...(pacer === undefined ? {} : { pace: (requests) => pacer.pass(requests) }),
      })) {
        this.#tell();
        if (visit.error !== undefined) this.addUnread(visit.path, visit.error);
        if (visit.error === undefined || areFaultsGiven) yield visit;
      }
    } finally {
      this.#context.progress?.(undefined);
      await spread?.close();
    }
  }

  addUnread(path: string, error: unknown): void {
    this.#unreadCount++;
    if (this.#unread.length < 3) this.#unread.push({ path, error });
  }

  #tell(): void {
    this.count++;
    if (this.count % PROGRESS_STEP !== 0) return;
    this.#context.progress?.({ done: 'walked', count: this.count });
  }

  /** @throws CommandError PARTIAL, exit code 9, when something could not be read */
  finish(): void {
    if (this.#unreadCount === 0) return;
    throw partialError('not all could be read', this.#unread, this.#unreadCount);
  }
}
