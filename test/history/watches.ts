/**
 * Checks one-shot watches in the order of their session: an event needs a watch that is set, fires
 * once, has a change as its cause, and comes before any answer that is newer than the change.
 */
import type { Item } from './items.js';
import { describe, type Mark, type Operation } from './operations.js';
import { parentPath } from './partition.js';
import type { Timelines } from './timeline.js';
import type { Verdict } from './verdict.js';

interface WatchWorld {
  readonly operations: readonly Operation[];
  readonly marks: readonly Mark[];
  readonly timelines: Timelines;
  /** Operations without an effect in the order, by the znodes that they might have changed. */
  readonly dropped: ReadonlyMap<string, readonly Item[]>;
}

type WatchKind = 'data' | 'child';

interface Watch {
  readonly kind: WatchKind;
  readonly path: string;
  readonly by: Operation;
}

/** A change of a znode or of the list of its children. */
interface Change {
  readonly zxid: bigint | undefined;
  readonly operation: Operation;
  readonly type: string;
}

const KINDS: Readonly<Record<string, readonly WatchKind[]>> = {
  NodeCreated: ['data'],
  NodeDataChanged: ['data'],
  NodeChildrenChanged: ['child'],
  NodeDeleted: ['data', 'child'],
};

export function checkWatches(world: WatchWorld): Verdict[] {
  return new Watches(world).run();
}

class Watches {
  private readonly world: WatchWorld;
  private readonly changes = new Map<string, Change[]>();
  /** For each session, by kind and path. */
  private readonly armed = new Map<string, Map<string, Watch>>();
  private readonly verdicts: Verdict[] = [];

  constructor(world: WatchWorld) {
    this.world = world;
  }

  run(): Verdict[] {
    const { operations, marks } = this.world;
    const isWatched = operations.some(({ args }) => args.watch === true);
    if (!isWatched && !marks.some(({ event }) => event.op === 'event')) return [];
    this.findChanges();
    const byEnd = operations.filter(({ outcome }) => outcome !== 'unknown');
    byEnd.sort((a, b) => a.end - b.end);
    let next = 0;
    for (const mark of marks) {
      for (let done = byEnd[next]; done !== undefined && done.end < mark.at; done = byEnd[++next]) {
        this.answered(done);
      }
      if (mark.event.op === 'event') this.arrived(mark);
      if (mark.event.op === 'expired') this.armed.delete(mark.event.session);
    }
    for (const done of byEnd.slice(next)) this.answered(done);
    return this.verdicts;
  }

  private findChanges(): void {
    const paths = new Set<string>();
    for (const { args } of this.world.operations) {
      for (const { path } of [args, ...(args.ops ?? [])]) if (path !== undefined) paths.add(path);
    }
    for (const { result } of this.world.operations) {
      for (const { path } of [result, ...(result.results ?? [])]) {
        if (path !== undefined) paths.add(path);
      }
    }
    for (const path of paths) {
      const moments = this.world.timelines.of(path) ?? [];
      moments.forEach(({ znode, item, zxid }, i) => {
        if (item === undefined) return;
        const wasThere = moments[i - 1]?.znode !== undefined;
        const change = { zxid, operation: item.operation };
        const name = znode === undefined ? 'NodeDeleted' : 'NodeCreated';
        const isSet = wasThere && znode !== undefined;
        this.note(`data ${path}`, { ...change, type: isSet ? 'NodeDataChanged' : name });
        if (name === 'NodeDeleted') this.note(`child ${path}`, { ...change, type: name });
        if (isSet || path === '/') return;
        this.note(`child ${parentPath(path)}`, { ...change, type: 'NodeChildrenChanged' });
      });
    }
    for (const changes of this.changes.values()) {
      if (changes.every(({ zxid }) => zxid !== undefined)) {
        changes.sort((a, b) => Number((a.zxid ?? 0n) - (b.zxid ?? 0n)));
      }
    }
  }

  private note(key: string, change: Change): void {
    const known = this.changes.get(key);
    if (known === undefined) this.changes.set(key, [change]);
    else known.push(change);
  }

  private arrived({ at, event }: Mark): void {
    const { session } = event;
    const { type = '', path = '' } = event.args ?? {};
    const watches = this.armed.get(session);
    const due = (KINDS[type] ?? []).flatMap((kind) => watches?.get(`${kind} ${path}`) ?? []);
    const what = `${session} got ${type} of ${path} (line ${at + 1})`;
    if (due.length === 0) {
      this.complain(`${what}, where no watch was armed`, at);
      return;
    }
    for (const watch of due) watches?.delete(`${watch.kind} ${watch.path}`);
    const isCaused = due.some((watch) => this.hasCause(watch, at, type));
    if (isCaused || this.isInDoubt(path, at)) return;
    const [{ by }] = due as [Watch];
    this.complain(`${what}, and nothing changed it since ${describe(by)}`, at, by);
  }

  /**
   * After a reconnect, the event describes the current znode, so any change since is a valid cause.
   */
  private hasCause({ kind, path, by }: Watch, at: number, type: string): boolean {
    if (this.world.timelines.of(path) === undefined && kind === 'data') return true;
    const changes = this.changes.get(`${kind} ${path}`) ?? [];
    return changes.some(({ zxid, operation, type: found }) => {
      const isSince = zxid === undefined || by.zxid === undefined || zxid > by.zxid;
      return found === type && isSince && operation.start < at;
    });
  }

  /** Whether a request of unknown outcome may have changed the znode or its children. */
  private isInDoubt(path: string, at: number): boolean {
    for (const [changed, items] of this.world.dropped) {
      if (changed !== path && parentPath(changed) !== path) continue;
      if (items.some(({ start }) => start < at)) return true;
    }
    return false;
  }

  private answered(operation: Operation): void {
    const { session, name, args, outcome, zxid, error } = operation;
    const watches = this.armed.get(session) ?? new Map<string, Watch>();
    this.armed.set(session, watches);
    for (const [key, watch] of watches) {
      const missed = this.missed(watch, key, operation);
      if (missed === undefined) continue;
      watches.delete(key);
      const event = `${missed.type} of ${watch.path}, changed by ${describe(missed.operation)}`;
      const message = `${describe(operation)} came before the event ${event}`;
      this.complain(message, operation.end, missed.operation);
    }
    if (name === 'closeSession' && outcome === 'ok') this.armed.delete(session);
    if (args.watch !== true || args.path === undefined || zxid === undefined) return;
    const isArmed = outcome === 'ok' || (name === 'exists' && error === 'NONODE');
    const kind = name === 'getChildren' ? 'child' : 'data';
    const key = `${kind} ${args.path}`;
    if (isArmed && !watches.has(key)) watches.set(key, { kind, path: args.path, by: operation });
  }

  /** An unreported change that this answer is newer than. */
  private missed({ by }: Watch, key: string, { zxid, session }: Operation): Change | undefined {
    if (zxid === undefined || by.zxid === undefined || by.session !== session) return undefined;
    const changes = this.changes.get(key) ?? [];
    const first = changes.length > 16 ? lowerBound(changes, by.zxid) : 0;
    for (let i = first; i < changes.length; i++) {
      const change = changes[i] as Change;
      if (change.zxid === undefined || change.zxid <= by.zxid) continue;
      return change.zxid <= zxid ? change : undefined;
    }
    return undefined;
  }

  private complain(message: string, at: number, ...operations: readonly Operation[]): void {
    const lines = [at + 1, ...operations.flatMap(({ start, end }) => [start + 1, end + 1])];
    this.verdicts.push({ property: 'watch', message, lines: lines.filter(Number.isFinite) });
  }
}

/** The first change that may follow `zxid`, if all zxids are known; otherwise the first change. */
function lowerBound(changes: readonly Change[], zxid: bigint): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = changes[middle]?.zxid;
    if (found === undefined) return 0;
    if (found <= zxid) low = middle + 1;
    else high = middle;
  }
  return low;
}
