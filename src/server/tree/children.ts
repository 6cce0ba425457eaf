import type { DataNode } from './data-node.js';

/** With fewer gaps than this, compaction is not worthwhile. */
const FEW = 32;

/**
 * The children of a znode in order of creation. Each child stores its index, so none needs a
 * search; a Set would hash every child, and all of them again whenever it grows.
 *
 * An iteration tolerates changes: deleted children are skipped, and new ones may be missed.
 */
export class Children {
  /** Has gaps for deleted children. A replaced array does not change anymore. */
  places: (DataNode | undefined)[] = [];
  size = 0;

  add(node: DataNode): void {
    node.place = this.places.length;
    this.places.push(node);
    this.size++;
  }

  delete(node: DataNode): void {
    if (node.place < 0) return;
    this.places[node.place] = undefined;
    node.place = -1;
    this.size--;
    if (this.places.length > 2 * this.size + FEW) this.closeGaps();
  }

  private closeGaps(): void {
    const closed: DataNode[] = [];
    for (const node of this.places) {
      if (node === undefined) continue;
      node.place = closed.length;
      closed.push(node);
    }
    this.places = closed;
  }

  *[Symbol.iterator](): Generator<DataNode, void, undefined> {
    const { places } = this;
    for (let i = 0; i < places.length; i++) {
      const node = places[i];
      if (node !== undefined && node.place >= 0) yield node;
    }
  }
}
