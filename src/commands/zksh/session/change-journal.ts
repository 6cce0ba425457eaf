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
  private readonly limits: JournalLimits;
  private readonly changed = new Map<string, ChangedZnode>();
  private readonly unreadable = new Map<string, string>();
  private bytes = 0;
  private reason: string | undefined;

  constructor(title: string, target: string, limits: JournalLimits) {
    this.title = title;
    this.target = target;
    this.limits = limits;
  }

  /** In the order of the first change. */
  get znodes(): readonly ChangedZnode[] {
    return [...this.changed.values()];
  }

  get faults(): ReadonlyMap<string, string> {
    return this.unreadable;
  }

  /** Why the command cannot be undone; undefined if it can. */
  get refusal(): string | undefined {
    return this.reason;
  }

  get isEmpty(): boolean {
    return this.changed.size === 0 && this.unreadable.size === 0 && this.reason === undefined;
  }

  refuse(why: string): void {
    this.reason ??= why;
    this.changed.clear();
    this.unreadable.clear();
    this.bytes = 0;
  }

  addFault(path: string, why: string): void {
    if (this.reason === undefined) this.unreadable.set(path, why);
  }

  add(path: string, before: ZnodeBefore | undefined, after: Stat | undefined): void {
    if (this.reason !== undefined) return;
    const known = this.changed.get(path);
    const merged = known === undefined ? before : mergeBefore(known.before, before);
    this.bytes += sizeOf(merged) - sizeOf(known?.before);
    this.changed.set(path, { path, before: merged, after });
    const { maxBytes, maxZnodes } = this.limits;
    if (this.changed.size > maxZnodes || this.bytes > maxBytes) {
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
  private readonly limits: JournalLimits;
  private newest: CommandChanges | undefined;
  private ended: CommandChanges | undefined;
  private current: CommandChanges | undefined;
  private depth = 0;

  constructor(limits: JournalLimits = LIMITS) {
    this.limits = limits;
  }

  /** An interrupted command may still record changes, so this checks it again. */
  get last(): CommandChanges | undefined {
    if (this.ended?.isEmpty === false) this.newest = this.ended;
    return this.newest;
  }

  enter(title: string, target: string): CommandChanges {
    if (this.depth++ === 0) this.current = new CommandChanges(title, target, this.limits);
    this.current ??= new CommandChanges(title, target, this.limits);
    return this.current;
  }

  /** A command without changes does not replace the last record. */
  leave(): void {
    if (--this.depth > 0) return;
    // Until this command has changes, the previous record stays the last one.
    this.newest = this.last;
    this.ended = this.current;
    this.current = undefined;
  }
}
