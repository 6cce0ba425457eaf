// Snapshots hold parents before their children and a subtree in one piece, so that a walk needs
// to know no more than the way from the root to where it is.

/** A znode whose subtree is still being read, or just came to its end. */
export interface Subtree {
  /** `/` for the root. */
  readonly path: string;
  readonly ownBytes: number;
  children: number;
  /** Znodes of the subtree, itself among them. */
  znodes: number;
  /** Bytes of paths and data of the subtree. */
  bytes: number;
}

/** Adds up subtrees while znodes go by. */
export class SubtreeWalk {
  /** Znodes whose parent did not come before them. */
  orphans = 0;
  firstOrphan: string | undefined;
  private readonly way: Subtree[] = [];
  private readonly onEnd: (subtree: Subtree, depth: number) => void;

  /** @param onEnd is told of each subtree when all of it was read; the root has depth 0 */
  constructor(onEnd: (subtree: Subtree, depth: number) => void) {
    this.onEnd = onEnd;
  }

  take(path: string, dataLength: number): void {
    const shown = path === '' ? '/' : path;
    if (path !== '') this.climbTo(path.slice(0, path.lastIndexOf('/')) || '/', shown);
    const parent = this.way.at(-1);
    if (parent !== undefined) parent.children++;
    const ownBytes = Buffer.byteLength(path) + dataLength;
    this.way.push({ path: shown, ownBytes, children: 0, znodes: 1, bytes: ownBytes });
  }

  /** No further znode comes. */
  end(): void {
    while (this.way.length > 0) this.leave();
  }

  private climbTo(parent: string, child: string): void {
    while (this.way.length > 0 && this.way.at(-1)?.path !== parent) this.leave();
    if (this.way.length > 0) return;
    this.orphans++;
    this.firstOrphan ??= child;
  }

  private leave(): void {
    const subtree = this.way.pop();
    if (subtree === undefined) return;
    const parent = this.way.at(-1);
    if (parent !== undefined) {
      parent.znodes += subtree.znodes;
      parent.bytes += subtree.bytes;
    }
    this.onEnd(subtree, this.way.length);
  }
}
