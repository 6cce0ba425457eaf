import { EventType, eventTypeName, WatcherType } from '../../protocol/watch-event.js';
import type { WatchEvent, Watcher } from '../base/client.js';

/**
 * The client side of watches, after ZKWatchManager. One-shot watches end when they fire, persistent
 * ones when they are removed. Paths are server paths with the chroot, so that a path outside of it
 * (/zookeeper/config) can be watched, too.
 */
export type WatchKind = 'data' | 'exists' | 'child' | 'persistent' | 'recursive';

type WatchTable = Map<string, Set<Watcher>>;
type RemovedType = 'DataWatchRemoved' | 'ChildWatchRemoved' | 'PersistentWatchRemoved';

export interface RemovedWatchers {
  readonly type: RemovedType;
  readonly watchers: ReadonlySet<Watcher>;
}

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

export class ClientWatches {
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

  trigger(type: number, path: string): ReadonlySet<Watcher> {
    const notified = new Set<Watcher>();
    switch (type) {
      case EventType.NodeCreated:
      case EventType.NodeDataChanged:
        this.takeOneShot('data', path, notified);
        this.takeOneShot('exists', path, notified);
        break;
      case EventType.NodeChildrenChanged:
        this.takeOneShot('child', path, notified);
        break;
      case EventType.NodeDeleted:
        this.takeOneShot('data', path, notified);
        this.takeOneShot('exists', path, notified);
        this.takeOneShot('child', path, notified);
        break;
      default:
        return notified;
    }
    addAll(notified, this.tables.persistent.get(path));
    // A recursive watch gets the event of the child, so it skips the list of its parent.
    if (type !== EventType.NodeChildrenChanged) this.collectRecursive(path, notified);
    return notified;
  }

  watchersOf(path: string, type: WatcherType): ReadonlySet<Watcher> {
    const found = new Set<Watcher>();
    for (const kind of REMOVALS[type]) addAll(found, this.tables[kind].get(path));
    return found;
  }

  /** Call it after the server has agreed. @param only removes this watcher and keeps the others */
  remove(path: string, type: WatcherType, only?: Watcher): readonly RemovedWatchers[] {
    const removed = new Map<RemovedType, Set<Watcher>>();
    for (const kind of REMOVALS[type]) {
      const watchers = this.tables[kind].get(path);
      if (watchers === undefined || (only !== undefined && !watchers.has(only))) continue;
      const leaving = only === undefined ? new Set(watchers) : new Set([only]);
      for (const watcher of leaving) watchers.delete(watcher);
      if (watchers.size === 0) this.tables[kind].delete(path);
      const notified = removed.get(REMOVED_TYPES[kind]) ?? new Set();
      addAll(notified, leaving);
      removed.set(REMOVED_TYPES[kind], notified);
    }
    return [...removed].map(([eventType, watchers]) => ({ type: eventType, watchers }));
  }

  /** All watched paths, in batches of at most `maxLength` bytes of paths. */
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

  /** At the end of the session; persistent watches continue in the next one. */
  clearOneShot(): void {
    for (const kind of ['data', 'exists', 'child'] as const) this.tables[kind].clear();
  }

  clear(): void {
    for (const kind of KINDS) this.tables[kind].clear();
  }

  private takeOneShot(
    kind: 'data' | 'exists' | 'child',
    path: string,
    notified: Set<Watcher>,
  ): void {
    const table = this.tables[kind];
    const watchers = table.get(path);
    if (watchers === undefined) return;
    table.delete(path);
    addAll(notified, watchers);
  }

  private collectRecursive(path: string, notified: Set<Watcher>): void {
    const { recursive } = this.tables;
    if (recursive.size === 0) return;
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      addAll(notified, recursive.get(path.slice(0, end)));
    }
    if (path !== '/') addAll(notified, recursive.get('/'));
  }
}

/** Undefined for a type that is not about znodes. */
export function makeWatchEvent(type: number, path: string, zxid: bigint): WatchEvent | undefined {
  const name = eventTypeName(type);
  return name === undefined || name === 'None' ? undefined : { type: name, path, zxid };
}

function addAll(to: Set<Watcher>, from: ReadonlySet<Watcher> | undefined): void {
  if (from === undefined) return;
  for (const watcher of from) to.add(watcher);
}
