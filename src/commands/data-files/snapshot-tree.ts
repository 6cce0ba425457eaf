// A snapshot has parents before their children and each subtree in one piece. So a walk keeps only
// the path from the root to the current znode.

export interface Subtree {
  readonly path: string;
  readonly ownBytes: number;
  children: number;
  /** Including the root of the subtree. */
  znodes: number;
  /** Bytes of paths and data. */
  bytes: number;
}

export class SubtreeWalk {
  /** Znodes whose parent is not in the snapshot before them. */
  orphans = 0;
  firstOrphan: string | undefined;
  private readonly way: Subtree[] = [];
  private readonly onEnd: (subtree: Subtree, depth: number) => void;

  /** @param onEnd called at the end of each subtree; the root has depth 0 */
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
