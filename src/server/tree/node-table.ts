import { treeMemory } from './tree-memory.js';

/**
 * What the tree knows about the znode of each slot besides its Stat: its block in the content
 * table, the key of its ACL, the slot of its parent, its index among its siblings, and how often
 * the slot was used by earlier znodes. Off the heap.
 */
const WORDS = 5;
const BLOCK = 0;
const ACL_KEY = 1;
const PARENT = 2;
const PLACE = 3;
const GENERATION = 4;
const CHUNK_SHIFT = 12;
const CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

/** The block of a free slot. */
const NO_BLOCK = -1;
/** Without a parent. */
const NO_PLACE = -1;

export class NodeTable {
  /** WORDS for each slot that was ever used, then for free ones. */
  private readonly chunks: Int32Array[] = [];

  /** Whether a znode has this slot. */
  isUsed(slot: number): boolean {
    return slot >>> CHUNK_SHIFT < this.chunks.length && this.block(slot) !== NO_BLOCK;
  }

  block(slot: number): number {
    return this.get(slot, BLOCK);
  }

  /** Also for a new slot. */
  setBlock(slot: number, block: number): void {
    while (slot >>> CHUNK_SHIFT >= this.chunks.length) this.grow();
    this.set(slot, BLOCK, block);
  }

  aclKey(slot: number): number {
    return this.get(slot, ACL_KEY);
  }

  setAclKey(slot: number, key: number): void {
    this.set(slot, ACL_KEY, key);
  }

  parent(slot: number): number {
    return this.get(slot, PARENT);
  }

  /** -1 without a parent. */
  place(slot: number): number {
    return this.get(slot, PLACE);
  }

  setPlace(slot: number, parent: number, place: number): void {
    this.set(slot, PARENT, parent);
    this.set(slot, PLACE, place);
  }

  /** Differs between the znodes that have the slot one after the other. */
  generation(slot: number): number {
    return this.get(slot, GENERATION);
  }

  release(slot: number): void {
    this.set(slot, BLOCK, NO_BLOCK);
    this.set(slot, PLACE, NO_PLACE);
    this.set(slot, GENERATION, this.generation(slot) + 1);
  }

  private get(slot: number, field: number): number {
    const chunk = this.chunks[slot >>> CHUNK_SHIFT] as Int32Array;
    return chunk[(slot & CHUNK_MASK) * WORDS + field] as number;
  }

  private set(slot: number, field: number, value: number): void {
    const chunk = this.chunks[slot >>> CHUNK_SHIFT] as Int32Array;
    chunk[(slot & CHUNK_MASK) * WORDS + field] = value;
  }

  private grow(): void {
    const chunk = new Int32Array(treeMemory(Int32Array.BYTES_PER_ELEMENT * (WORDS << CHUNK_SHIFT)));
    for (let at = 0; at < chunk.length; at += WORDS) {
      chunk[at + BLOCK] = NO_BLOCK;
      chunk[at + PLACE] = NO_PLACE;
    }
    this.chunks.push(chunk);
  }
}
