import { parentPath } from '../../protocol/path.js';

/** A watcher may have several modes on one path (ZOOKEEPER-4466). */
export const WatchMode = { STANDARD: 1, PERSISTENT: 2, PERSISTENT_RECURSIVE: 4 } as const;
export type WatchMode = (typeof WatchMode)[keyof typeof WatchMode];
const ANY_MODE = WatchMode.STANDARD | WatchMode.PERSISTENT | WatchMode.PERSISTENT_RECURSIVE;

/**
 * Watches by path and by watcher. A server has two tables: data (exists and getData) and child
 * (getChildren). Persistent watches are in both, recursive ones in the data table
 * (docs/protocol.md). Watches end with their connection.
 */
export class WatchManager<W extends object> {
  private readonly watchers = new Map<string, Map<W, number>>();
  private readonly paths = new Map<W, Set<string>>();
  private recursiveCount = 0;
  private count = 0;

  /** The number of watches, not of paths. */
  get size(): number {
    return this.count;
  }

  get pathCount(): number {
    return this.watchers.size;
  }

  get hasRecursive(): boolean {
    return this.recursiveCount > 0;
  }

  get watcherCount(): number {
    return this.paths.size;
  }

  countOf(watcher: W): number {
    return this.paths.get(watcher)?.size ?? 0;
  }

  add(path: string, watcher: W, mode: WatchMode): void {
    let onPath = this.watchers.get(path);
    if (onPath === undefined) {
      onPath = new Map();
      this.watchers.set(path, onPath);
    }
    const before = onPath.get(watcher);
    if (before === undefined) {
      this.count++;
      this.pathsOf(watcher).add(path);
    } else if ((before & mode) !== 0) {
      return;
    }
    onPath.set(watcher, (before ?? 0) | mode);
    if (mode === WatchMode.PERSISTENT_RECURSIVE) this.recursiveCount++;
  }

  addAll(other: WatchManager<W>, isWanted: (watcher: W) => boolean): void {
    for (const [path, onPath] of other.watchers) {
      for (const [watcher, modes] of onPath) {
        if (!isWanted(watcher)) continue;
        for (const mode of Object.values(WatchMode)) {
          if ((modes & mode) !== 0) this.add(path, watcher, mode);
        }
      }
    }
  }

  has(path: string, watcher: W, modes: number = ANY_MODE): boolean {
    return ((this.watchers.get(path)?.get(watcher) ?? 0) & modes) !== 0;
  }

  /** Removes watches of these modes; false if none existed. */
  remove(path: string, watcher: W, modes: number = ANY_MODE): boolean {
    const onPath = this.watchers.get(path);
    const before = onPath?.get(watcher) ?? 0;
    if (onPath === undefined || (before & modes) === 0) return false;
    if ((before & modes & WatchMode.PERSISTENT_RECURSIVE) !== 0) this.recursiveCount--;
    const left = before & ~modes;
    if (left !== 0) onPath.set(watcher, left);
    else this.forget(path, onPath, watcher);
    return true;
  }

  removeWatcher(watcher: W): void {
    const paths = this.paths.get(watcher);
    if (paths === undefined) return;
    for (const path of [...paths]) this.remove(path, watcher);
  }

  /** Notifies each watcher once, removes one-shot watches. Recursive ones ignore child changes. */
  trigger(path: string, isChildrenChange: boolean, notify: (watcher: W) => void): void {
    if (this.watchers.size === 0) return;
    const onPath = this.watchers.get(path);
    const notified =
      onPath === undefined ? NO_WATCHERS : this.triggerHere(path, onPath, isChildrenChange);
    for (const watcher of notified) notify(watcher);
    if (this.recursiveCount > 0 && !isChildrenChange && path !== '/') {
      this.triggerAncestors(path, notified, notify);
    }
  }

  private triggerHere(
    path: string,
    onPath: Map<W, number>,
    isChildrenChange: boolean,
  ): ReadonlySet<W> {
    const notified = new Set<W>();
    for (const [watcher, modes] of onPath) {
      const isOneOff = (modes & (WatchMode.STANDARD | WatchMode.PERSISTENT)) !== 0;
      if (isOneOff || !isChildrenChange) notified.add(watcher);
      if ((modes & WatchMode.STANDARD) !== 0) this.remove(path, watcher, WatchMode.STANDARD);
    }
    return notified;
  }

  private triggerAncestors(
    path: string,
    notified: ReadonlySet<W>,
    notify: (watcher: W) => void,
  ): void {
    const seen = new Set(notified);
    for (let above = parentPath(path); above !== ''; above = parentPath(above)) {
      for (const [watcher, modes] of this.watchers.get(above) ?? []) {
        if ((modes & WatchMode.PERSISTENT_RECURSIVE) === 0 || seen.has(watcher)) continue;
        seen.add(watcher);
        notify(watcher);
      }
    }
  }

  *byPath(): Generator<[path: string, watchers: Iterable<W>]> {
    for (const [path, onPath] of this.watchers) yield [path, onPath.keys()];
  }

  *byWatcher(): Generator<[watcher: W, paths: ReadonlySet<string>]> {
    yield* this.paths;
  }

  private forget(path: string, onPath: Map<W, number>, watcher: W): void {
    onPath.delete(watcher);
    if (onPath.size === 0) this.watchers.delete(path);
    this.count--;
    const paths = this.pathsOf(watcher);
    paths.delete(path);
    if (paths.size === 0) this.paths.delete(watcher);
  }

  private pathsOf(watcher: W): Set<string> {
    let paths = this.paths.get(watcher);
    if (paths === undefined) {
      paths = new Set();
      this.paths.set(watcher, paths);
    }
    return paths;
  }
}

const NO_WATCHERS: ReadonlySet<never> = new Set();
