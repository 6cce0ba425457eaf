import type { WatchEvent, ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { parentPath } from '../../../protocol/path.js';
import type { Change, ChildrenChange, ZnodeValue } from '../../results/change.js';
import { pathsBelow, type Read, type Reading, readAll, readNames } from './snapshot.js';

// The known values of the watched znodes. They are read at the start and after a reconnect, because
// persistent watches do not report changes in between.

export interface KnownTreeOptions {
  readonly client: ZooKeeperClient;
  readonly path: string;
  readonly isRecursive: boolean;
  readonly signal: AbortSignal;
}

export class KnownTree {
  private readonly options: KnownTreeOptions;
  private readonly memory = new ZnodeMemory();
  /** Unreadable znodes, which also hide their descendants. */
  private readonly unread = new Set<string>();
  /** The children of the watched znode; undefined if unknown. */
  private names: readonly string[] | undefined;

  constructor(options: KnownTreeOptions) {
    this.options = options;
  }

  /** @param read the value that was read for the event; undefined without a read */
  changeOf({ type, path, zxid }: WatchEvent, read: Read | undefined): Change {
    const change: Change = { type, path, zxid, isFoundLate: false, isAlreadyReported: false };
    if (type === 'NodeDeleted') {
      const before = this.memory.get(path);
      this.memory.forget(path);
      return { ...change, before, after: null };
    }
    if (read === undefined) return change;
    if ('names' in read) return { ...change, children: this.compareNames(read.names) };
    const { value } = read;
    const known = this.memory.get(path);
    const origin = type === 'NodeCreated' ? null : undefined;
    if (value === undefined) return { ...change, before: known ?? origin, unread: read.unread };
    // The delete event is still to come: keep the known value for it.
    if (value === null) return { ...change, before: known ?? origin, after: null };
    const isAlreadyReported = this.memory.wasReported(path, value);
    // The first read may have happened after the change. Then the old value is unknown.
    const isOld = known?.stat.mzxid !== value.stat.mzxid;
    this.memory.put(path, value, true);
    return {
      ...change,
      isAlreadyReported,
      before: (isOld ? known : undefined) ?? origin,
      after: value,
    };
  }

  private compareNames(names: readonly string[]): ChildrenChange {
    const before = this.names;
    this.names = names;
    const had = new Set(before);
    const has = new Set(names);
    return {
      added: before === undefined ? [] : names.filter((name) => !had.has(name)).sort(),
      removed: [...had].filter((name) => !has.has(name)).sort(),
      count: names.length,
    };
  }

  /** Reads the current values, up to the memory limit. */
  async readValues(): Promise<void> {
    const { client, path, isRecursive, signal } = this.options;
    try {
      const paths = isRecursive ? pathsBelow(client, path, signal) : [path];
      for await (const found of readAll(client, paths)) {
        this.learnOne(found.path, found.reading);
        if (!this.memory.isFull) continue;
        this.memory.markIncomplete();
        return;
      }
      const read = isRecursive ? undefined : await readNames(client, path);
      if (read !== undefined && 'names' in read) this.names = read.names;
    } catch (error) {
      // After a lost connection, newly read values count as initial values.
      this.memory.markIncomplete();
      if (!(error instanceof ZooKeeperError)) throw error;
    }
  }

  private learnOne(path: string, { value }: Reading): void {
    if (value === undefined) this.unread.add(path);
    else if (value !== null) this.memory.put(path, value, false);
  }

  /** Finds the changes made while disconnected. */
  async catchUp(): Promise<Change[]> {
    const changes: Change[] = [];
    try {
      if (this.options.isRecursive) await this.compareTree(changes);
      else await this.compareOne(changes);
    } catch (error) {
      // Lost again: the next reconnect finds all changes.
      if (!(error instanceof ZooKeeperError)) throw error;
    }
    return changes;
  }

  private async compareOne(changes: Change[]): Promise<void> {
    const { client, path } = this.options;
    await this.comparePaths([path], changes);
    const read = await readNames(client, path);
    if (!('names' in read)) return;
    const children = this.compareNames(read.names);
    if (children.added.length + children.removed.length === 0) return;
    changes.push({ type: 'NodeChildrenChanged', path, zxid: -1n, ...LATE, children });
  }

  private async compareTree(changes: Change[]): Promise<void> {
    // A tree larger than the memory is compared only for the remembered znodes.
    if (!this.memory.isComplete) {
      await this.comparePaths(this.memory.paths(), changes);
      return;
    }
    const { client, path, signal } = this.options;
    const seen = await this.comparePaths(pathsBelow(client, path, signal), changes);
    // An interrupted walk cannot show deletes.
    if (signal.aborted) return;
    const gone = this.memory.paths().filter((known) => !seen.has(known));
    for (const known of gone) changes.push(...this.compare(known, { value: null }));
  }

  private async comparePaths(
    paths: Iterable<string> | AsyncIterable<string>,
    changes: Change[],
  ): Promise<ReadonlySet<string>> {
    const seen = new Set<string>();
    for await (const { path, reading } of readAll(this.options.client, paths)) {
      seen.add(path);
      changes.push(...this.compare(path, reading));
    }
    return seen;
  }

  private compare(path: string, { value }: Reading): readonly Change[] {
    const before = this.memory.get(path);
    if (value === undefined) return [];
    if (value === null) {
      this.memory.forget(path);
      return before === undefined ? [] : [late('NodeDeleted', path, before, null)];
    }
    const wasAbsent = before === undefined && this.memory.isComplete && !this.isHidden(path);
    const isChange = wasAbsent || (before !== undefined && isOther(before, value));
    this.memory.put(path, value, isChange);
    const type = wasAbsent ? 'NodeCreated' : 'NodeDataChanged';
    return isChange ? [late(type, path, before ?? null, value)] : [];
  }

  /** Whether the znode may have existed without being readable. */
  private isHidden(path: string): boolean {
    for (let at = path; at !== ''; at = parentPath(at)) if (this.unread.has(at)) return true;
    return false;
  }
}

function isOther(before: ZnodeValue, after: ZnodeValue): boolean {
  return before.stat.mzxid !== after.stat.mzxid;
}

const LATE = { isFoundLate: true, isAlreadyReported: false } as const;

function late(
  type: Change['type'],
  path: string,
  before: ZnodeValue | null,
  after: ZnodeValue | null,
): Change {
  return { type, path, zxid: after?.stat.mzxid ?? -1n, ...LATE, before, after };
}

export interface MemoryLimits {
  readonly znodes: number;
  readonly bytes: number;
}

/** Enough for usual watches; a watch of millions of znodes must not keep them all in memory. */
const LIMITS: MemoryLimits = { znodes: 10_000, bytes: 16 * 1024 * 1024 };

/** The latest values, which are the old values of later changes. Evicts the oldest values. */
export class ZnodeMemory {
  private readonly limits: MemoryLimits;
  private readonly values = new Map<string, ZnodeValue>();
  /** The paths whose value was reported as a change. */
  private readonly reported = new Set<string>();
  private bytes = 0;
  private hasEvicted = false;

  constructor(limits: MemoryLimits = LIMITS) {
    this.limits = limits;
  }

  /** False after an eviction: other znodes may exist. */
  get isComplete(): boolean {
    return !this.hasEvicted;
  }

  get isFull(): boolean {
    return this.values.size >= this.limits.znodes || this.bytes >= this.limits.bytes;
  }

  get(path: string): ZnodeValue | undefined {
    return this.values.get(path);
  }

  /** False for initial values. */
  wasReported(path: string, value: ZnodeValue): boolean {
    return this.reported.has(path) && this.get(path)?.stat.mzxid === value.stat.mzxid;
  }

  paths(): readonly string[] {
    return [...this.values.keys()];
  }

  /** Stores a value, unless a later one is known. */
  put(path: string, value: ZnodeValue, isReported: boolean): void {
    const known = this.values.get(path);
    if (known !== undefined && known.stat.mzxid > value.stat.mzxid) return;
    this.forget(path);
    this.values.set(path, value);
    if (isReported) this.reported.add(path);
    this.bytes += sizeOf(value);
    while (this.values.size > this.limits.znodes || this.bytes > this.limits.bytes) {
      const [oldest] = this.values.keys();
      if (oldest === undefined) return;
      this.forget(oldest);
      this.hasEvicted = true;
    }
  }

  forget(path: string): void {
    const known = this.values.get(path);
    if (known === undefined) return;
    this.values.delete(path);
    this.reported.delete(path);
    this.bytes -= sizeOf(known);
  }

  markIncomplete(): void {
    this.hasEvicted = true;
  }
}

function sizeOf({ data }: ZnodeValue): number {
  return data?.length ?? 0;
}
