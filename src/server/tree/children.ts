import type { DataNode } from './data-node.js';

/** Gaps that are not worth closing. */
const FEW = 32;

/**
 * The children of a znode, in the order in which they were made. Each knows its place, so that none
 * is looked for; a Set would hash each of them, and all of them anew whenever it grows.
 *
 * Whoever goes through them bears changes under way: what is deleted is left out, and what is made
 * may be missed.
 */
export class Children {
  /** With gaps where children were. An array that gave way to a shorter one stays as it is. */
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
