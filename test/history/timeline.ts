/** The states of each znode, in an order that explains all writes. */
import type { InitialNode } from './format.js';
import type { Item } from './items.js';
import { apply } from './model.js';
import { type Partition, parentPath } from './partition.js';
import type { Znode } from './state.js';

export interface Moment {
  /** Undefined if absent. */
  readonly znode: Znode | undefined;
  /** Undefined for the initial state. */
  readonly item: Item | undefined;
  readonly czxid: bigint | undefined;
  readonly mzxid: bigint | undefined;
  /** The zxid of the txn that produced it. */
  readonly zxid: bigint | undefined;
}

export class Timelines {
  private readonly byPath = new Map<string, Moment[]>();
  private readonly childNames = new Map<string, Set<string>>();

  constructor(initial: readonly InitialNode[]) {
    for (const { path } of initial) this.noteChild(path);
  }

  of(path: string): readonly Moment[] | undefined {
    return this.byPath.get(path);
  }

  childrenOf(path: string): ReadonlySet<string> {
    return this.childNames.get(path) ?? new Set();
  }

  /** Replaces the states of the znodes of a partition. */
  follow(partition: Partition, order: readonly Item[], initial: readonly InitialNode[]): void {
    const stats = new Map(initial.map(({ path, stat }) => [path, stat]));
    const { scope, paths } = partition;
    let state = partition.initial;
    for (const path of paths) {
      const { czxid, mzxid } = stats.get(path) ?? {};
      const znode = state.get(scope.slotOf(path) as number);
      this.byPath.set(path, [{ znode, item: undefined, czxid, mzxid, zxid: mzxid }]);
      this.noteChild(path);
    }
    for (const item of order) {
      if (!item.isMutating) continue;
      const next = apply(scope, state, item) ?? state;
      const touched =
        item.kind === 'end' ? item.slots.map((slot) => paths[slot] as string) : pathsOf(item);
      for (const path of touched) {
        const slot = scope.slotOf(path);
        if (slot === undefined) continue;
        const before = state.get(slot);
        const after = next.get(slot);
        if (before !== after && !isOnlyCounted(before, after)) this.add(path, before, after, item);
      }
      state = next;
    }
  }

  private add(path: string, before: Znode | undefined, after: Znode | undefined, item: Item): void {
    const moments = this.byPath.get(path) as Moment[];
    const { zxid } = item;
    const isMade =
      before === undefined || item.parts.some((p) => p.op === 'create' && p.path === path);
    const czxid = isMade ? zxid : moments.at(-1)?.czxid;
    const known =
      after === undefined ? { czxid: undefined, mzxid: undefined } : { czxid, mzxid: zxid };
    moments.push({ znode: after, item, zxid, ...known });
  }

  private noteChild(path: string): void {
    if (path === '/') return;
    const parent = parentPath(path);
    const names = this.childNames.get(parent) ?? new Set();
    this.childNames.set(parent, names.add(path.slice(path.lastIndexOf('/') + 1)));
  }
}

function pathsOf(item: Item): ReadonlySet<string> {
  return new Set(item.parts.map(({ path = '/' }) => path));
}

/** Whether only the number of children changed. */
function isOnlyCounted(before: Znode | undefined, after: Znode | undefined): boolean {
  if (before === undefined || after === undefined || before.children === after.children)
    return false;
  return before.version === after.version && before.data === after.data;
}
