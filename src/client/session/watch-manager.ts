import { EventType, eventTypeName, WatcherType } from '../../protocol/watch-event.js';
import type { WatchEvent, Watcher } from '../base/client.js';

/**
 * The client side of ZooKeeper's watches, with the rules of ZKWatchManager. One-shot watches end
 * when they fire; persistent ones stay until removed. Paths are server paths, chroot included, so
 * that a path outside the chroot (/zookeeper/config) can be watched, too.
 */
export type WatchKind = 'data' | 'exists' | 'child' | 'persistent' | 'recursive';

type WatchTable = Map<string, Set<Watcher>>;
type RemovedType = 'DataWatchRemoved' | 'ChildWatchRemoved' | 'PersistentWatchRemoved';

/** Watchers that removeWatches removed, and their event. */
export interface RemovedWatchers {
  readonly type: RemovedType;
  readonly watchers: ReadonlySet<Watcher>;
}

/** One setWatches request: five lists of paths. */
export interface WatchBatch {
  data: string[];
  exists: string[];
  child: string[];
  persistent: string[];
  recursive: string[];
}

const KINDS: readonly WatchKind[] = ['data', 'exists', 'child', 'persistent', 'recursive'];

const REMOVALS: Readonly<Record<WatcherType, readonly WatchKind[]>> = {
  [WatcherType.Children]: ['child'],
  [WatcherType.Data]: ['data', 'exists'],
  [WatcherType.Any]: KINDS,
  [WatcherType.Persistent]: ['persistent'],
  [WatcherType.PersistentRecursive]: ['recursive'],
};

const REMOVED_TYPES: Readonly<Record<WatchKind, RemovedType>> = {
  data: 'DataWatchRemoved',
  exists: 'DataWatchRemoved',
  child: 'ChildWatchRemoved',
  persistent: 'PersistentWatchRemoved',
  recursive: 'PersistentWatchRemoved',
};

export class WatchManager {
  private readonly tables: Readonly<Record<WatchKind, WatchTable>> = {
    data: new Map(),
    exists: new Map(),
    child: new Map(),
    persistent: new Map(),
    recursive: new Map(),
  };

  get isEmpty(): boolean {
    return KINDS.every((kind) => this.tables[kind].size === 0);
  }

  add(kind: WatchKind, path: string, watcher: Watcher): void {
    const table = this.tables[kind];
    const watchers = table.get(path);
    if (watchers === undefined) table.set(path, new Set([watcher]));
    else watchers.add(watcher);
  }

  /** The watchers of this event; removes one-shot watches. */
  trigger(type: number, path: string): ReadonlySet<Watcher> {
    const told = new Set<Watcher>();
    switch (type) {
      case EventType.NodeCreated:
      case EventType.NodeDataChanged:
        this.takeOneShot('data', path, told);
        this.takeOneShot('exists', path, told);
        break;
      case EventType.NodeChildrenChanged:
        this.takeOneShot('child', path, told);
        break;
      case EventType.NodeDeleted:
        this.takeOneShot('data', path, told);
        this.takeOneShot('exists', path, told);
        this.takeOneShot('child', path, told);
        break;
      default:
        return told;
    }
    addAll(told, this.tables.persistent.get(path));
    // A recursive watch gets the event of the child, so it skips the list of its parent.
    if (type !== EventType.NodeChildrenChanged) this.collectRecursive(path, told);
    return told;
  }

  /** The watchers of a path and a type. */
  watchersOf(path: string, type: WatcherType): ReadonlySet<Watcher> {
    const found = new Set<Watcher>();
    for (const kind of REMOVALS[type]) addAll(found, this.tables[kind].get(path));
    return found;
  }

  /**
   * Removes every watcher of a path and a type; call it after the server's agreement.
   * @param only removes this one, and keeps the others
   */
  remove(path: string, type: WatcherType, only?: Watcher): readonly RemovedWatchers[] {
    const removed = new Map<RemovedType, Set<Watcher>>();
    for (const kind of REMOVALS[type]) {
      const watchers = this.tables[kind].get(path);
      if (watchers === undefined || (only !== undefined && !watchers.has(only))) continue;
      const leaving = only === undefined ? new Set(watchers) : new Set([only]);
      for (const watcher of leaving) watchers.delete(watcher);
      if (watchers.size === 0) this.tables[kind].delete(path);
      const told = removed.get(REMOVED_TYPES[kind]) ?? new Set();
      addAll(told, leaving);
      removed.set(REMOVED_TYPES[kind], told);
    }
    return [...removed].map(([eventType, watchers]) => ({ type: eventType, watchers }));
  }

  /** Every watched path, in batches whose paths together take at most `maxLength` bytes. */
  batches(maxLength: number): readonly WatchBatch[] {
    const batches: WatchBatch[] = [];
    let length = Number.POSITIVE_INFINITY;
    for (const kind of KINDS) {
      for (const path of this.tables[kind].keys()) {
        const size = Buffer.byteLength(path) + 4;
        if (length + size > maxLength) {
          batches.push({ data: [], exists: [], child: [], persistent: [], recursive: [] });
          length = 0;
        }
        batches.at(-1)?.[kind].push(path);
        length += size;
      }
    }
    return batches;
  }

  /** Forgets all watchers, without an event. */
  clear(): void {
    for (const kind of KINDS) this.tables[kind].clear();
  }

  private takeOneShot(kind: 'data' | 'exists' | 'child', path: string, told: Set<Watcher>): void {
    const table = this.tables[kind];
    const watchers = table.get(path);
    if (watchers === undefined) return;
    table.delete(path);
    addAll(told, watchers);
  }

  private collectRecursive(path: string, told: Set<Watcher>): void {
    const { recursive } = this.tables;
    if (recursive.size === 0) return;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      addAll(told, recursive.get(path.slice(0, end)));
    }
    if (path !== '/') addAll(told, recursive.get('/'));
  }
}

/** The event for a client, or undefined for a type that is not about znodes. */
export function makeWatchEvent(type: number, path: string, zxid: bigint): WatchEvent | undefined {
  const name = eventTypeName(type);
  return name === undefined || name === 'None' ? undefined : { type: name, path, zxid };
}

function addAll(to: Set<Watcher>, from: ReadonlySet<Watcher> | undefined): void {
  if (from === undefined) return;
  for (const watcher of from) to.add(watcher);
}
