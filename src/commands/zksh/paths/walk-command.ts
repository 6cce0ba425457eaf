import { Pacer } from '../../../client/znodes/pace.js';
import { type TreeWalkOptions, type Visit, walkTree } from '../../../client/znodes/walk.js';
import { partialError } from '../../znodes/partial-error.js';
import type { CommandContext } from '../engine/command.js';
import { SpreadReader } from './spread-reader.js';

const PROGRESS_STEP = 256;

export const WALK_OPTIONS = {
  depth: {
    letter: 'd',
    kind: 'integer',
    valueName: 'N',
    max: 0x7fff_ffff,
    summary: 'descend N levels; 0 is only the znode itself',
  },
  'in-flight': {
    kind: 'integer',
    valueName: 'N',
    min: 1,
    max: 4096,
    summary: 'maximum number of requests in flight; default 256 in each of up to 4 sessions',
  },
  rate: {
    kind: 'integer',
    valueName: 'N',
    min: 1,
    max: 1_000_000,
    summary: 'limit the walk to N requests per second',
  },
} as const;

export const WALK_ROOT = {
  kind: 'path',
  glob: 'serial',
  isOptional: true,
  summary: 'the root of the walk, or a pattern; default: the working path',
} as const;

export interface WalkFlags {
  readonly depth?: number | undefined;
  readonly 'in-flight'?: number | undefined;
  readonly rate?: number | undefined;
}

export class CommandWalk {
  private readonly context: CommandContext;
  private readonly unread: { readonly path: string; readonly error: unknown }[] = [];
  private unreadCount = 0;
  /** All walks of a command share it. */
  private pacer: Pacer | undefined;
  count = 0;

  constructor(context: CommandContext) {
    this.context = context;
  }

  /** Yields unreadable znodes only with `areFaultsGiven`. */
  async *visits<T = undefined>(
    root: string,
    flags: WalkFlags,
    more: Partial<TreeWalkOptions<T>> & { readonly areFaultsGiven?: boolean } = {},
  ): AsyncGenerator<Visit<T>> {
    const { client, signal } = this.context;
    const { depth, 'in-flight': inFlight, rate } = flags;
    // A walk with a limit must not open more sessions.
    const isLimited = rate !== undefined || inFlight !== undefined;
    const spread = isLimited ? undefined : new SpreadReader(this.context);
    if (rate !== undefined) this.pacer ??= new Pacer({ perSecond: rate }, signal);
    const { pacer } = this;
    const { areFaultsGiven = false, ...options } = more;
    try {
      for await (const visit of walkTree<T>(spread ?? client, root, {
        ...options,
        signal,
        ...(depth === undefined ? {} : { maxDepth: depth }),
        ...(inFlight === undefined ? {} : { inFlight }),
        ...(pacer === undefined ? {} : { pace: (requests) => pacer.turn(requests) }),
      })) {
        this.showProgress();
        if (visit.error !== undefined) this.addUnread(visit.path, visit.error);
        if (visit.error === undefined || areFaultsGiven) yield visit;
      }
    } finally {
      this.context.progress?.(undefined);
      await spread?.close();
    }
  }

  addUnread(path: string, error: unknown): void {
    this.unreadCount++;
    if (this.unread.length < 3) this.unread.push({ path, error });
  }

  private showProgress(): void {
    this.count++;
    if (this.count % PROGRESS_STEP !== 0) return;
    this.context.progress?.({ done: 'walked', count: this.count });
  }

  /** @throws CommandError PARTIAL, exit status 9, if some znodes could not be read */
  finish(): void {
    if (this.unreadCount === 0) return;
    throw partialError('some znodes could not be read', this.unread, this.unreadCount);
  }
}
