import type { DataNode } from './data-node.js';

/** With fewer gaps, compaction is not worthwhile. */
const FEW = 32;

/**
 * The children of a znode in order of creation. Each child stores its index, so none needs a
 * search; a Set would hash all of them whenever it grows. An iteration skips children that are
 * deleted meanwhile, and may miss new ones.
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
