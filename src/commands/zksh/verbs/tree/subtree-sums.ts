export interface SubtreeSum {
  readonly path: string;
  readonly depth: number;
  readonly znodes: number;
  readonly bytes: number;
}

/** Keeps only the ancestors of the current znode. Calls `done` for children before parents. */
export class SubtreeSums {
  private readonly open: { path: string; depth: number; znodes: number; bytes: number }[] = [];
  private readonly done: (sum: SubtreeSum) => void;

  constructor(done: (sum: SubtreeSum) => void) {
    this.done = done;
  }

  add(path: string, depth: number, bytes: number): void {
    this.closeDownTo(depth);
    this.open.push({ path, depth, znodes: 1, bytes });
  }

  end(): void {
    this.closeDownTo(0);
  }

  private closeDownTo(depth: number): void {
    for (let last = this.open.at(-1); last !== undefined; last = this.open.at(-1)) {
      if (last.depth < depth) return;
      this.open.pop();
      const parent = this.open.at(-1);
      if (parent !== undefined) {
        parent.znodes += last.znodes;
        parent.bytes += last.bytes;
      }
      this.done(last);
    }
  }
}
