// What the last changing command of a prompt did, znode by znode, for `undo` to take it back: what
// was there before the first change of each, and what was left by the last.
import type { ACL, Stat } from '../../../protocol/data.js';

/** One znode that a command changed. */
export interface ChangedZnode {
  readonly path: string;
  /** Undefined where there was none. */
  readonly before: ZnodeBefore | undefined;
  /** As the last change left it; undefined where it is gone. */
  readonly after: Stat | undefined;
}

/** What is absent here was not changed. */
export interface ZnodeBefore {
  readonly stat: Stat;
  readonly data?: { readonly bytes: Buffer | null };
  readonly acl?: readonly ACL[];
}

/** What one command did, its name and first path being all that is kept of its line. */
export class CommandChanges {
  readonly title: string;
  /** Where it was done. */
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

  /** In the order in which they were changed first. */
  get znodes(): readonly ChangedZnode[] {
    return [...this.#znodes.values()];
  }

  /** Why some paths cannot be what they were. */
  get faults(): ReadonlyMap<string, string> {
    return this.#faults;
  }

  /** Why nothing of it can be taken back; undefined when that can be tried. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  get isEmpty(): boolean {
    return this.#znodes.size === 0 && this.#faults.size === 0 && this.#refusal === undefined;
  }

  /** Keeps nothing of it any more. */
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
        `it changed more than is kept: ${maxZnodes} znodes, or ${maxBytes} bytes of data`,
      );
    }
  }
}

/** What was found by the first change counts. */
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

/** Keeps the changes of the last command that made some; what it runs in turn is part of it. */
export class ChangeJournal {
  readonly #limits: JournalLimits;
  #last: CommandChanges | undefined;
  #ended: CommandChanges | undefined;
  #current: CommandChanges | undefined;
  #depth = 0;

  constructor(limits: JournalLimits = LIMITS) {
    this.#limits = limits;
  }

  /** An interrupted command may still be writing down what was sent before. */
  get last(): CommandChanges | undefined {
    if (this.#ended?.isEmpty === false) this.#last = this.#ended;
    return this.#last;
  }

  /** A command begins, of its own or within another one. */
  enter(title: string, target: string): CommandChanges {
    if (this.#depth++ === 0) this.#current = new CommandChanges(title, target, this.#limits);
    this.#current ??= new CommandChanges(title, target, this.#limits);
    return this.#current;
  }

  /** It ends; one that changed nothing leaves the last one what it is. */
  leave(): void {
    if (--this.#depth > 0) return;
    // The one before it is the last as long as this one has changed nothing.
    this.#last = this.last;
    this.#ended = this.#current;
    this.#current = undefined;
  }
}
