import { Ancestors } from '../../base/ancestors.js';
import { assert } from '../../base/assert.js';
import { IdSet } from './id-set.js';

/** A watcher may have several modes on one path (ZOOKEEPER-4466). */
export const WatchMode = { STANDARD: 1, PERSISTENT: 2, PERSISTENT_RECURSIVE: 4 } as const;
export type WatchMode = (typeof WatchMode)[keyof typeof WatchMode];
const ANY_MODE = WatchMode.STANDARD | WatchMode.PERSISTENT | WatchMode.PERSISTENT_RECURSIVE;

/** The watchers of a path, by mode, as numbers. */
class WatchedPath {
  readonly path: string;
  readonly id: number;
  /** The watchers with a one-shot watch. */
  private standard = new IdSet();
  /** Those with a persistent watch; null before the first one. */
  private persistent: IdSet | null = null;
  /** Those with a recursive watch; null before the first one. */
  private recursive: IdSet | null = null;

  constructor(path: string, id: number) {
    this.path = path;
    this.id = id;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** A watcher counts once for each mode. */
  get size(): number {
    const { standard, persistent, recursive } = this;
    return standard.size + (persistent?.size ?? 0) + (recursive?.size ?? 0);
  }

  modesOf(watcher: number): number {
    let modes = this.standard.has(watcher) ? WatchMode.STANDARD : 0;
    if (this.persistent?.has(watcher) === true) modes |= WatchMode.PERSISTENT;
    if (this.recursive?.has(watcher) === true) modes |= WatchMode.PERSISTENT_RECURSIVE;
    return modes;
  }

  add(watcher: number, mode: WatchMode): void {
    if (mode === WatchMode.STANDARD) {
      this.standard.add(watcher);
    } else if (mode === WatchMode.PERSISTENT) {
      this.persistent ??= new IdSet();
      this.persistent.add(watcher);
    } else {
      this.recursive ??= new IdSet();
      this.recursive.add(watcher);
    }
  }

  remove(watcher: number, modes: number): void {
    if ((modes & WatchMode.STANDARD) !== 0) this.standard.delete(watcher);
    if ((modes & WatchMode.PERSISTENT) !== 0) this.persistent?.delete(watcher);
    if ((modes & WatchMode.PERSISTENT_RECURSIVE) !== 0) this.recursive?.delete(watcher);
  }

  /** Ends all one-shot watches. Returns their watchers. */
  takeStandard(): IdSet {
    const taken = this.standard;
    this.standard = new IdSet();
    return taken;
  }

  /** Each watcher once. */
  *watchers(): Generator<number, void, undefined> {
    const { standard, persistent, recursive } = this;
    yield* standard;
    for (const id of persistent ?? []) if (!standard.has(id)) yield id;
    for (const id of recursive ?? []) {
      if (!standard.has(id) && persistent?.has(id) !== true) yield id;
    }
  }

  get hasRecursive(): boolean {
    return (this.recursive?.size ?? 0) > 0;
  }

  recursiveWatchers(): readonly number[] {
    return this.recursive === null ? [] : [...this.recursive];
  }
}

interface Watching<W> {
  readonly watcher: W;
  readonly id: number;
  /** The ids of the paths that it watches. */
  readonly paths: IdSet;
  /** The length of these paths, in characters. */
  pathLength: number;
}

/**
 * Watches by path and by watcher. A server has two tables: data (exists and getData) and child
 * (getChildren). Persistent watches are in both, recursive ones in the data table
 * (docs/protocol.md). Watches end with their connection. Paths and watchers have numbers, which are
 * used again, so that a watch takes some 10 bytes where thousands watch the same paths.
 */
export class WatchManager<W extends object> {
  /** The paths with at least one watch. */
  private readonly paths = new Map<string, WatchedPath>();
  /** The watchers with at least one watch. */
  private readonly watchings = new Map<W, Watching<W>>();
  /** The paths by number; undefined for a free number. */
  private readonly pathById: (WatchedPath | undefined)[] = [];
  /** The watchers by number; undefined for a free number. */
  private readonly watchingById: (Watching<W> | undefined)[] = [];
  private readonly freePaths: number[] = [];
  private readonly freeWatchers: number[] = [];
  /** The paths with a recursive watch. */
  private readonly recursive: Ancestors;
  /** The number of recursive watches. */
  private recursiveCount = 0;
  /** The number of pairs of a path and a watcher of it. */
  private count = 0;
  /** The length of all watched paths, in characters. */
  private length = 0;

  /** @param seed unknown to clients (Ancestors) */
  constructor(seed = 0) {
    this.recursive = new Ancestors(seed);
  }

  /** The number of watches, not of paths. */
  get size(): number {
    return this.count;
  }

  get pathCount(): number {
    return this.paths.size;
  }

  /** The length of the watched paths, in characters: each counts once. */
  get pathLength(): number {
    return this.length;
  }

  get hasRecursive(): boolean {
    return this.recursiveCount > 0;
  }

  get watcherCount(): number {
    return this.watchings.size;
  }

  countOf(watcher: W): number {
    return this.watchings.get(watcher)?.paths.size ?? 0;
  }

  /** The length of the paths that it watches, in characters. */
  pathLengthOf(watcher: W): number {
    return this.watchings.get(watcher)?.pathLength ?? 0;
  }

  add(path: string, watcher: W, mode: WatchMode): void {
    const on = this.paths.get(path) ?? this.newPath(path);
    const watching = this.watchings.get(watcher) ?? this.newWatching(watcher);
    const before = on.modesOf(watching.id);
    if ((before & mode) !== 0) return;
    on.add(watching.id, mode);
    if (mode === WatchMode.PERSISTENT_RECURSIVE) {
      this.recursiveCount++;
      this.recursive.add(path);
    }
    if (before !== 0) return;
    this.count++;
    const isNew = watching.paths.add(on.id);
    assert(isNew, 'watch counts: a path is watched twice', path);
    watching.pathLength += path.length;
  }

  private newPath(path: string): WatchedPath {
    const on = new WatchedPath(path, this.freePaths.pop() ?? this.pathById.length);
    assert(this.pathById[on.id] === undefined, 'watch counts: two paths with one number', path);
    this.pathById[on.id] = on;
    this.paths.set(path, on);
    this.length += path.length;
    return on;
  }

  private newWatching(watcher: W): Watching<W> {
    const id = this.freeWatchers.pop() ?? this.watchingById.length;
    assert(this.watchingById[id] === undefined, 'watch counts: two watchers with one number', id);
    const watching = { watcher, id, paths: new IdSet(), pathLength: 0 };
    this.watchingById[id] = watching;
    this.watchings.set(watcher, watching);
    return watching;
  }

  private pathsOf({ paths }: Watching<W>): string[] {
    return [...paths].map((id) => (this.pathById[id] as WatchedPath).path);
  }

  addAll(other: WatchManager<W>, isWanted: (watcher: W) => boolean): void {
    for (const on of other.paths.values()) {
      for (const id of on.watchers()) {
        const watcher = other.watcherOf(id);
        if (!isWanted(watcher)) continue;
        const modes = on.modesOf(id);
        for (const mode of Object.values(WatchMode)) {
          if ((modes & mode) !== 0) this.add(on.path, watcher, mode);
        }
      }
    }
  }

  has(path: string, watcher: W, modes: number = ANY_MODE): boolean {
    const watching = this.watchings.get(watcher);
    if (watching === undefined) return false;
    return ((this.paths.get(path)?.modesOf(watching.id) ?? 0) & modes) !== 0;
  }

  /** Removes watches of these modes; false if none existed. */
  remove(path: string, watcher: W, modes: number = ANY_MODE): boolean {
    const on = this.paths.get(path);
    const watching = this.watchings.get(watcher);
    if (on === undefined || watching === undefined) return false;
    const removed = on.modesOf(watching.id) & modes;
    if (removed === 0) return false;
    on.remove(watching.id, removed);
    if ((removed & WatchMode.PERSISTENT_RECURSIVE) !== 0) {
      this.recursiveCount--;
      if (!on.hasRecursive) this.recursive.delete(path);
    }
    this.forgetUnwatched(on, watching);
    this.check();
    return true;
  }

  /** Yields after each watch: a watcher may have hundreds of thousands. */
  *removeWatcher(watcher: W): Generator<void, void, undefined> {
    const watching = this.watchings.get(watcher);
    if (watching === undefined) return;
    for (const path of this.pathsOf(watching)) {
      this.remove(path, watcher);
      yield;
    }
  }

  /** Notifies each watcher once, removes one-shot watches. Recursive ones ignore child changes. */
  trigger(path: string, isChildrenChange: boolean, notify: (watcher: W) => void): void {
    const on = this.paths.get(path);
    const notified = on === undefined ? [] : this.triggerHere(on, isChildrenChange);
    for (const watcher of notified) notify(watcher);
    if (this.recursiveCount > 0 && !isChildrenChange && path !== '/') {
      this.triggerAncestors(path, new Set(notified), notify);
    }
  }

  private triggerHere(on: WatchedPath, isChildrenChange: boolean): W[] {
    const notified: W[] = [];
    for (const id of on.watchers()) {
      const isOneOff = (on.modesOf(id) & ~WatchMode.PERSISTENT_RECURSIVE) !== 0;
      if (isOneOff || !isChildrenChange) notified.push(this.watcherOf(id));
    }
    for (const id of on.takeStandard()) {
      const watching = this.watchingById[id];
      assert(watching !== undefined, 'watch counts: a watch of nobody', on.path);
      this.forgetUnwatched(on, watching);
    }
    this.check();
    return notified;
  }

  /** No count is negative, and without watched paths, nothing else remains. */
  private check(): void {
    const { count, length, recursiveCount, paths } = this;
    assert(count >= 0, 'watch counts: all', count);
    assert(recursiveCount >= 0, 'watch counts: recursive ones', recursiveCount);
    assert(length >= 0, 'watch counts: the length of all paths', length);
    if (paths.size > 0) return;
    assert(count === 0, 'watch counts: watches without a path', count);
    assert(length === 0, 'watch counts: a length without a path', length);
    assert(recursiveCount === 0, 'watch counts: recursive ones without a path', recursiveCount);
  }

  private triggerAncestors(path: string, seen: Set<W>, notify: (watcher: W) => void): void {
    for (const above of this.recursive.above(path)) {
      for (const id of this.paths.get(above)?.recursiveWatchers() ?? []) {
        const watcher = this.watcherOf(id);
        if (seen.has(watcher)) continue;
        seen.add(watcher);
        notify(watcher);
      }
    }
  }

  /** Some paths, evenly chosen, with the watches that each stands for. All of them up to `most`. */
  *sample(most: number): Generator<[path: string, watches: number]> {
    const step = Math.max(1, Math.ceil(this.pathById.length / most));
    for (let id = 0; id < this.pathById.length; id += step) {
      const on = this.pathById[id];
      if (on !== undefined) yield [on.path, on.size * step];
    }
  }

  /** The table may change during the walk, which then shows a watch or not. */
  *byPath(): Generator<[path: string, watchers: Iterable<W>]> {
    for (const on of this.paths.values()) yield [on.path, this.watchersOn(on)];
  }

  /** The table may change during the walk, as with `byPath`. */
  *byWatcher(): Generator<[watcher: W, paths: Iterable<string>]> {
    for (const watching of this.watchings.values()) {
      yield [watching.watcher, this.pathsWatchedBy(watching)];
    }
  }

  private *watchersOn(on: WatchedPath): Generator<W, void, undefined> {
    for (const id of on.watchers()) {
      const watching = this.watchingById[id];
      if (watching !== undefined) yield watching.watcher;
    }
  }

  private *pathsWatchedBy({ id, paths }: Watching<W>): Generator<string, void, undefined> {
    for (const pathId of paths) {
      const on = this.pathById[pathId];
      // Another path may have the number by now.
      if (on !== undefined && on.modesOf(id) !== 0) yield on.path;
    }
  }

  private watcherOf(id: number): W {
    const watching = this.watchingById[id];
    assert(watching !== undefined, 'watch counts: a watch of nobody', id);
    return watching.watcher;
  }

  /** Called when a watcher may have lost its last mode on a path. */
  private forgetUnwatched(on: WatchedPath, watching: Watching<W>): void {
    if (on.modesOf(watching.id) !== 0) return;
    this.count--;
    const wasWatched = watching.paths.delete(on.id);
    assert(wasWatched, 'watch counts: a watch that its watcher lacks', on.path);
    watching.pathLength -= on.path.length;
    if (on.isEmpty && this.paths.delete(on.path)) {
      this.length -= on.path.length;
      this.pathById[on.id] = undefined;
      this.freePaths.push(on.id);
    }
    if (watching.paths.size > 0) return;
    assert(watching.pathLength === 0, 'watch counts: a length without a path', watching.pathLength);
    this.watchings.delete(watching.watcher);
    this.watchingById[watching.id] = undefined;
    this.freeWatchers.push(watching.id);
  }
}
