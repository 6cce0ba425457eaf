import type { NodeTable } from './node-table.js';
import type { StatTable } from './stat-table.js';

/** With fewer gaps, compaction is not worthwhile. */
const FEW = 32;
const GAP = -1;
const CHUNK_SHIFT = 12;

/**
 * The children of all znodes, as slots in order of creation. Each child knows its parent and its
 * index, so none needs a search. A walk skips children that are deleted meanwhile, and may miss new
 * ones.
 */
export class ChildTable {
  private readonly table: NodeTable;
  private readonly stats: StatTable;
  /** By slot. In chunks, of which a flat tree has one: most znodes are leaves. */
  private readonly lists: (ChildList | undefined)[][] = [];

  constructor(table: NodeTable, stats: StatTable) {
    this.table = table;
    this.stats = stats;
  }

  add(parent: number, child: number): void {
    const list = this.listOf(parent) ?? this.addList(parent);
    this.table.setPlace(child, parent, list.places.length);
    list.places.push(child);
    list.size++;
    this.stats.setNumChildren(parent, list.size);
  }

  delete(parent: number, child: number): void {
    const place = this.table.place(child);
    const list = this.listOf(parent);
    if (list === undefined || place < 0 || this.table.parent(child) !== parent) return;
    list.places[place] = GAP;
    this.table.setPlace(child, parent, GAP);
    list.size--;
    this.stats.setNumChildren(parent, list.size);
    if (list.places.length > 2 * list.size + FEW) this.closeGaps(parent, list);
  }

  /** Slots, and -1 for gaps. Another array takes its place when gaps are closed. */
  placesOf(parent: number): readonly number[] {
    return this.listOf(parent)?.places ?? NONE;
  }

  /** Whether the znode at an index of `placesOf`, perhaps of an earlier time, is a child still. */
  isChild(slot: number, parent: number): boolean {
    const { table } = this;
    if (slot === GAP || !table.isUsed(slot)) return false;
    return table.place(slot) >= 0 && table.parent(slot) === parent;
  }

  *of(parent: number): Generator<number, void, undefined> {
    const places = this.placesOf(parent);
    for (let i = 0; i < places.length; i++) {
      const slot = places[i] as number;
      if (this.isChild(slot, parent)) yield slot;
    }
  }

  /**
   * Slots, parents before children. Tolerates changes: a deleted znode leaves its parent, parents
   * are deleted last, and new ones may be missed. One generator, because a snapshot visits all.
   */
  *walk(from: number): Generator<number, void, undefined> {
    const { table } = this;
    const above: Below[] = [];
    let generation = table.generation(from);
    yield from;
    let here: Below = { parent: from, generation, places: this.placesOf(from), at: 0 };
    for (;;) {
      const { parent, places } = here;
      if (here.at === places.length || table.generation(parent) !== here.generation) {
        const up = above.pop();
        if (up === undefined) return;
        here = up;
        continue;
      }
      const slot = places[here.at++] as number;
      if (!this.isChild(slot, parent)) continue;
      generation = table.generation(slot);
      yield slot;
      const below = this.placesOf(slot);
      if (below.length === 0) continue;
      above.push(here);
      here = { parent: slot, generation, places: below, at: 0 };
    }
  }

  /** Takes the list of a slot that is released. */
  release(slot: number): void {
    const chunk = this.lists[slot >>> CHUNK_SHIFT];
    const at = slot & ((1 << CHUNK_SHIFT) - 1);
    if (chunk !== undefined && chunk[at] !== undefined) chunk[at] = undefined;
  }

  private listOf(slot: number): ChildList | undefined {
    return this.lists[slot >>> CHUNK_SHIFT]?.[slot & ((1 << CHUNK_SHIFT) - 1)];
  }

  private addList(slot: number): ChildList {
    const { lists } = this;
    const number = slot >>> CHUNK_SHIFT;
    while (lists.length <= number) lists.push([]);
    const chunk = lists[number] as (ChildList | undefined)[];
    if (chunk.length === 0) lists[number] = new Array(1 << CHUNK_SHIFT).fill(undefined);
    const list = new ChildList();
    (lists[number] as (ChildList | undefined)[])[slot & ((1 << CHUNK_SHIFT) - 1)] = list;
    return list;
  }

  private closeGaps(parent: number, list: ChildList): void {
    const closed: number[] = [];
    for (const slot of list.places) {
      if (slot === GAP) continue;
      this.table.setPlace(slot, parent, closed.length);
      closed.push(slot);
    }
    list.places = closed;
  }
}

/** The children of a slot that a walk has not visited yet. */
interface Below {
  readonly parent: number;
  /** The generation of the parent: another znode may get its slot during the walk. */
  readonly generation: number;
  readonly places: readonly number[];
  at: number;
}

class ChildList {
  /** The slots of the children, each at the place that NodeTable has for it, and gaps. */
  places: number[] = [];
  /** The places without the gaps; also the numChildren of the Stat. */
  size = 0;
}

const NONE: readonly number[] = [];
