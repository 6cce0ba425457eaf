// Data about many znodes outside of the object heap: 16 bytes and a mark for each. A path is its
// 64-bit hash. Two of a million paths collide in one of thirty million snapshots, and callers check
// each difference against the znodes.

const WORDS = 4;
const FIRST_SLOTS = 1024;

/** Two 32-bit hashes: FNV-1a, and the same with another prime. */
export class Hash64 {
  high = 0;
  low = 0;

  reset(): void {
    this.high = 0x811c9dc5;
    this.low = 0x9747b28c;
  }

  add(word: number): void {
    this.high = Math.imul(this.high ^ word, 0x01000193);
    const mixed = Math.imul(this.low ^ word, 0x5bd1e995);
    this.low = mixed ^ (mixed >>> 15);
  }

  addText(text: string): void {
    for (let at = 0; at < text.length; at++) this.add(text.charCodeAt(at));
  }
}

/** Open addressing: the hash of the path (two words, not both 0), then the content. */
export class ZnodeTable {
  count = 0;
  private slots = FIRST_SLOTS;
  private words = new Uint32Array(FIRST_SLOTS * WORDS);
  private marks = new Uint8Array(FIRST_SLOTS);

  add(path: Hash64, content: Hash64): void {
    if (2 * this.count >= this.slots) this.grow();
    const slot = this.slotOf(path.high >>> 0, path.low >>> 0);
    if (!this.isTaken(slot)) this.count++;
    this.fill(slot, path.high >>> 0, path.low >>> 0, content.high >>> 0, content.low >>> 0);
  }

  find(path: Hash64): number | undefined {
    const slot = this.slotOf(path.high >>> 0, path.low >>> 0);
    return this.isTaken(slot) ? slot : undefined;
  }

  hasContent(slot: number, content: Hash64): boolean {
    const at = slot * WORDS;
    return this.words[at + 2] === content.high >>> 0 && this.words[at + 3] === content.low >>> 0;
  }

  mark(slot: number): void {
    this.marks[slot] = 1;
  }

  isMarked(slot: number): boolean {
    return this.marks[slot] === 1;
  }

  private isTaken(slot: number): boolean {
    return this.words[slot * WORDS] !== 0 || this.words[slot * WORDS + 1] !== 0;
  }

  private slotOf(high: number, low: number): number {
    const { words } = this;
    const mask = this.slots - 1;
    let slot = (high ^ (low >>> 7)) & mask;
    while (this.isTaken(slot)) {
      if (words[slot * WORDS] === high && words[slot * WORDS + 1] === low) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private fill(slot: number, ...values: readonly [number, number, number, number]): void {
    this.words.set(values, slot * WORDS);
  }

  private grow(): void {
    const before = this.words;
    this.slots *= 2;
    this.words = new Uint32Array(this.slots * WORDS);
    this.marks = new Uint8Array(this.slots);
    for (let at = 0; at < before.length; at += WORDS) {
      const [high = 0, low = 0, first = 0, second = 0] = before.subarray(at, at + WORDS);
      if (high === 0 && low === 0) continue;
      this.fill(this.slotOf(high, low), high, low, first, second);
    }
  }
}
