/** A power of two. */
const SIZE = 1 << 13;
const NO_SLOT = -1;

/** Strings of recently used paths, by slot: a string keeps its hash, and writes need both. */
export class KeptPaths {
  private readonly slots = new Int32Array(SIZE).fill(NO_SLOT);
  private readonly paths: string[] = new Array(SIZE).fill('');

  get(slot: number): string | undefined {
    const at = slot & (SIZE - 1);
    return this.slots[at] === slot ? this.paths[at] : undefined;
  }

  /** Returns the path. */
  keep(slot: number, path: string): string {
    const at = slot & (SIZE - 1);
    this.slots[at] = slot;
    this.paths[at] = path;
    return path;
  }

  forget(slot: number): void {
    const at = slot & (SIZE - 1);
    if (this.slots[at] !== slot) return;
    this.slots[at] = NO_SLOT;
    this.paths[at] = '';
  }
}
