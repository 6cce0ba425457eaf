/**
 * Checks reads, which any server may answer, in the order of their session. Each shows a state that
 * existed at the zxid of its reply, and that is not older than what the session saw before.
 */

import type { Item } from './items.js';
import { shows } from './model.js';
import { describe, type Operation, partsOf } from './operations.js';
import type { Partitions } from './partition.js';
import type { Moment, Timelines } from './timeline.js';
import type { Verdict } from './verdict.js';

/** An operation of unknown outcome that would explain the result of a read. */
export interface Doubt {
  readonly path: string;
  readonly item: Item;
  readonly zxid: bigint | undefined;
}

export interface ReadsFound {
  readonly verdicts: readonly Verdict[];
  readonly doubts: readonly Doubt[];
}

export interface ReadsWorld {
  readonly operations: readonly Operation[];
  readonly partitions: Partitions;
  readonly timelines: Timelines;
  /** Items without an effect in the order, by the znodes that they might have changed. */
  readonly dropped: ReadonlyMap<string, readonly Item[]>;
  /** Whether a znode that no item created is known to be absent. */
  readonly isComplete: boolean;
}

/** The latest state that a session has seen. */
interface View {
  zxid: bigint;
  by: Operation | undefined;
  /** The newest state seen of each znode. */
  readonly floors: Map<string, { readonly at: number; readonly by: Operation }>;
  /** The start of its sync, if that was its last operation. */
  syncedAt: number | undefined;
}

const ABSENT: readonly Moment[] = [
  { znode: undefined, item: undefined, czxid: undefined, mzxid: undefined, zxid: undefined },
];

export function checkReads(world: ReadsWorld): ReadsFound {
  return new Reads(world).run();
}

class Reads {
  private readonly world: ReadsWorld;
  private readonly views = new Map<string, View>();
  private readonly verdicts: Verdict[] = [];
  private readonly doubts: Doubt[] = [];

  constructor(world: ReadsWorld) {
    this.world = world;
  }

  run(): ReadsFound {
    for (const operation of this.world.operations) {
      if (operation.outcome !== 'unknown') this.look(operation);
    }
    return { verdicts: this.verdicts, doubts: this.doubts };
  }

  private look(operation: Operation): void {
    const { session, name, outcome, args, error } = operation;
    const view = this.views.get(session) ?? newView();
    this.views.set(session, view);
    this.advance(view, operation);
    const { path = '/' } = args;
    if (name === 'getData' || name === 'exists') {
      if (outcome === 'ok' || error === 'NONODE') this.judge(view, operation, path, undefined);
    } else if (name === 'getChildren' && outcome === 'ok') {
      this.judgeChildren(view, operation, path);
    } else if (outcome === 'ok') {
      for (const part of partsOf(operation)) this.wrote(view, operation, part.path ?? '/');
    }
    if (name === 'sync' && outcome === 'ok') view.syncedAt = operation.start;
    else view.syncedAt = undefined;
  }

  private advance(view: View, operation: Operation): void {
    const { zxid } = operation;
    if (zxid === undefined || zxid === 0n) return;
    if (zxid < view.zxid && view.by !== undefined) {
      const what = `the session went back: ${describe(operation)} after ${describe(view.by)}`;
      this.complain('session-order', what, [operation, view.by]);
    } else {
      view.zxid = zxid;
      view.by = operation;
    }
  }

  private wrote(view: View, operation: Operation, path: string): void {
    const moments = this.world.timelines.of(path) ?? [];
    for (let at = moments.length - 1; at > (view.floors.get(path)?.at ?? 0); at--) {
      if (moments[at]?.item?.operation !== operation) continue;
      view.floors.set(path, { at, by: operation });
      return;
    }
  }

  private judgeChildren(view: View, operation: Operation, path: string): void {
    const listed = new Set(operation.result.children ?? []);
    const prefix = path === '/' ? '/' : `${path}/`;
    for (const name of this.world.timelines.childrenOf(path)) {
      this.judge(view, operation, prefix + name, listed.has(name));
      listed.delete(name);
    }
    for (const name of listed) this.judge(view, operation, prefix + name, true);
  }

  /** @param isListed whether the znode is a child in a list; undefined if it was read itself */
  private judge(
    view: View,
    operation: Operation,
    path: string,
    isListed: boolean | undefined,
  ): void {
    const { partitions, timelines, isComplete } = this.world;
    if (!partitions.isFollowed(path)) return;
    const isOwn = path !== '/' && !path.startsWith('/zookeeper');
    const isUnknown = partitions.of(path) === undefined && isComplete && isOwn;
    const moments = timelines.of(path) ?? (isUnknown ? ABSENT : undefined);
    if (moments === undefined) return;
    const low = this.lowest(view, operation, path, moments, isListed !== undefined);
    const high =
      operation.zxid === undefined ? moments.length - 1 : newest(moments, operation.zxid);
    const first = Math.max(low, operation.zxid === undefined ? 0 : known(moments, high));
    for (let at = first; at <= high; at++) {
      const moment = moments[at] as Moment;
      if (!isMatch(moment, operation, isListed) || isFuture(moment, operation)) continue;
      if (at > (view.floors.get(path)?.at ?? -1)) view.floors.set(path, { at, by: operation });
      return;
    }
    if (this.doubt(operation, path, isListed)) return;
    this.explain(view, operation, path, moments, isListed, first);
  }

  /** The oldest state that the session may still see. */
  private lowest(
    view: View,
    operation: Operation,
    path: string,
    moments: readonly Moment[],
    isList: boolean,
  ): number {
    let low = view.floors.get(path)?.at ?? 0;
    const { syncedAt } = view;
    if (operation.zxid === undefined)
      low = Math.max(low, known(moments, newest(moments, view.zxid)));
    if (!isList || syncedAt === undefined) return low;
    for (let at = moments.length - 1; at > low; at--) {
      if ((moments[at]?.item?.operation.end ?? Infinity) < syncedAt) return at;
    }
    return low;
  }

  private doubt(operation: Operation, path: string, isListed: boolean | undefined): boolean {
    const isThere = isListed ?? isPresent(operation);
    const items = this.world.dropped.get(path) ?? [];
    const item = items.find((candidate) => {
      if (candidate.start >= operation.end) return false;
      const part = candidate.parts.find((found) => found.path === path);
      if (!isThere) return candidate.kind === 'end' || part?.op === 'delete';
      if (part?.op === 'create' && isListed !== undefined) return true;
      const isPut = part?.op === 'create' || part?.op === 'setData';
      return isPut && (operation.result.data === undefined || operation.result.data === part.data);
    });
    if (item === undefined) return false;
    this.doubts.push({ path, item, zxid: isThere ? operation.result.stat?.mzxid : undefined });
    return true;
  }

  private explain(
    view: View,
    operation: Operation,
    path: string,
    moments: readonly Moment[],
    isListed: boolean | undefined,
    first: number,
  ): void {
    const what = describe(operation);
    const at = moments.findIndex((moment) => isMatch(moment, operation, isListed));
    const found = moments[at];
    const about = isListed === undefined ? '' : ` (about ${path})`;
    if (found === undefined) {
      this.complain('read', `${what}: nobody made ${path} so${about}`, [operation]);
      return;
    }
    const maker = found.item?.operation;
    const floor = view.floors.get(path);
    if (maker !== undefined && isFuture(found, operation)) {
      const message = `${what} shows the later result of ${describe(maker)}${about}`;
      this.complain('read', message, [operation, maker]);
    } else if (floor !== undefined && at < floor.at) {
      const message = `${what} goes back before ${describe(floor.by)}${about}`;
      this.complain('session-order', message, [operation, floor.by]);
    } else {
      const due = moments[Math.max(first, 0)]?.item?.operation;
      const instead = due === undefined ? 'the beginning' : describe(due);
      const message = `${what} does not show ${instead}${about}`;
      this.complain('read', message, due === undefined ? [operation] : [operation, due]);
    }
  }

  private complain(
    property: Verdict['property'],
    message: string,
    operations: readonly Operation[],
  ): void {
    const lines = operations.flatMap(({ start, end }) => [start + 1, end + 1]);
    this.verdicts.push({ property, message, lines: lines.filter(Number.isFinite) });
  }
}

function newView(): View {
  return { zxid: -1n, by: undefined, floors: new Map(), syncedAt: undefined };
}

function isPresent({ outcome, result }: Operation): boolean {
  return outcome === 'ok' && result.stat !== null;
}

function isMatch(moment: Moment, operation: Operation, isListed: boolean | undefined): boolean {
  const { znode } = moment;
  if (isListed !== undefined) return isListed === (znode !== undefined);
  if (!isPresent(operation)) return znode === undefined;
  const { stat } = operation.result;
  if (!shows(znode, operation.result)) return false;
  return isSame(moment.mzxid, stat?.mzxid) && isSame(moment.czxid, stat?.czxid);
}

function isSame(a: bigint | undefined, b: bigint | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}

function isFuture({ item }: Moment, { end }: Operation): boolean {
  return item !== undefined && item.start >= end;
}

/** The last state that may be from `zxid` or before. */
function newest(moments: readonly Moment[], zxid: bigint): number {
  let at = moments.length - 1;
  let step = 1;
  // Most reads show nearly the newest possible state: search exponentially from the end.
  while (at > 0 && isAfter(moments, at, zxid)) {
    at = Math.max(0, at - step);
    step *= 2;
  }
  let low = at;
  let high = Math.min(moments.length - 1, at + step);
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (isAfter(moments, middle, zxid)) high = middle - 1;
    else low = middle;
  }
  return low;
}

function isAfter(moments: readonly Moment[], at: number, zxid: bigint): boolean {
  for (let i = at; i >= 0; i--) {
    const of = moments[i]?.zxid;
    if (of !== undefined) return of > zxid;
  }
  return false;
}

/** The last state up to `at` whose zxid is known. */
function known(moments: readonly Moment[], at: number): number {
  let i = at;
  while (i > 0 && moments[i]?.zxid === undefined) i--;
  return i;
}
