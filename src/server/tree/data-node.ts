/**
 * A znode while one step works on it. The tables of the tree have all about it, by its slot, which
 * another znode may get once it is deleted.
 */
export class DataNode {
  readonly path: string;
  readonly slot: number;
  /** The generation of the slot when this was made (StatTable.generation). */
  readonly generation: number;

  constructor(path: string, slot: number, generation: number) {
    this.path = path;
    this.slot = slot;
    this.generation = generation;
  }
}
