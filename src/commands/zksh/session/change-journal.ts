// Keeps the last changing command for `undo`: the state of each znode before its first change and
// after its last one.
import type { ACL, Stat } from '../../../protocol/data.js';

export interface ChangedZnode {
  readonly path: string;
  /** Undefined if the znode did not exist. */
  readonly before: ZnodeBefore | undefined;
  /** Undefined if the znode was deleted. */
  readonly after: Stat | undefined;
}

/** Undefined fields were not changed. */
export interface ZnodeBefore {
  readonly stat: Stat;
  readonly data?: { readonly bytes: Buffer | null };
  readonly acl?: readonly ACL[];
}

/** The changes of one command. Of its line, it has only the name and first path. */
export class CommandChanges {
  readonly title: string;
  /** The connect string at the time. */
  readonly target: string;
  readonly #limits: JournalLimits;
  readonly #znodes = new Map<string, ChangedZnode>();
  readonly #faults = new Map<string, string>();
  #bytes = 0;
  #refusal: string | undefined;

  constructor(title: string, target: string, limits: JournalLimits) {
    this.title = title;
    this.target = target;
    this.#limits = limits;
  }

  /** In the order of the first change. */
  get znodes(): readonly ChangedZnode[] {
    return [...this.#znodes.values()];
  }

  get faults(): ReadonlyMap<string, string> {
    return this.#faults;
  }

  /** Why the command cannot be undone; undefined if it can. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  get isEmpty(): boolean {
    return this.#znodes.size === 0 && this.#faults.size === 0 && this.#refusal === undefined;
  }

  refuse(why: string): void {
    this.#refusal ??= why;
    this.#znodes.clear();
    this.#faults.clear();
    this.#bytes = 0;
  }

  addFault(path: string, why: string): void {
    if (this.#refusal === undefined) this.#faults.set(path, why);
  }

  add(path: string, before: ZnodeBefore | undefined, after: Stat | undefined): void {
    if (this.#refusal !== undefined) return;
    const known = this.#znodes.get(path);
    const merged = known === undefined ? before : mergeBefore(known.before, before);
    this.#bytes += sizeOf(merged) - sizeOf(known?.before);
    this.#znodes.set(path, { path, before: merged, after });
    const { maxBytes, maxZnodes } = this.#limits;
    if (this.#znodes.size > maxZnodes || this.#bytes > maxBytes) {
      this.refuse(
        `more changes than the limit of ${maxZnodes} znodes or ${maxBytes} bytes of data`,
      );
    }
  }
}

/** Earlier values take precedence. */
function mergeBefore(
  first: ZnodeBefore | undefined,
  later: ZnodeBefore | undefined,
): ZnodeBefore | undefined {
  return first === undefined || later === undefined ? first : { ...later, ...first };
}

function sizeOf(before: ZnodeBefore | undefined): number {
  return before?.data?.bytes?.length ?? 0;
}

export interface JournalLimits {
  readonly maxZnodes: number;
  readonly maxBytes: number;
}

const LIMITS: JournalLimits = { maxZnodes: 10_000, maxBytes: 16 * 1024 * 1024 };

/** Keeps the changes of the last changing command, including its nested commands. */
export class ChangeJournal {
  readonly #limits: JournalLimits;
  #last: CommandChanges | undefined;
  #ended: CommandChanges | undefined;
  #current: CommandChanges | undefined;
  #depth = 0;

  constructor(limits: JournalLimits = LIMITS) {
    this.#limits = limits;
  }

  /** An interrupted command may still record changes, so this checks it again. */
  get last(): CommandChanges | undefined {
    if (this.#ended?.isEmpty === false) this.#last = this.#ended;
    return this.#last;
  }

  enter(title: string, target: string): CommandChanges {
    if (this.#depth++ === 0) this.#current = new CommandChanges(title, target, this.#limits);
    this.#current ??= new CommandChanges(title, target, this.#limits);
    return this.#current;
  }

  /** A command without changes does not replace the last record. */
  leave(): void {
    if (--this.#depth > 0) return;
    // Until this command has changes, the previous record stays the last one.
    this.#last = this.last;
    this.#ended = this.#current;
    this.#current = undefined;
  }
}
