/** Sorted names of children, kept until they change: a page does not read a million again. */
import type { ZooKeeperClient } from '../client/base/client.js';
import { compareNames } from '../protocol/path.js';

const MAX_KEPT_NAMES = 3_000_000;

interface Listing {
  readonly pzxid: bigint;
  readonly names: readonly string[];
}

export class Listings {
  /** Least recently used first. */
  private readonly kept = new Map<string, Listing>();

  async names(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
    const known = this.kept.get(path);
    if (known !== undefined && (await client.exists(path))?.pzxid === known.pzxid) {
      this.keep(path, known);
      return known.names;
    }
    const { children, stat } = await client.getChildren(path);
    const names = [...children].sort(compareNames);
    this.keep(path, { pzxid: stat.pzxid, names });
    return names;
  }

  private keep(path: string, listing: Listing): void {
    this.kept.delete(path);
    this.kept.set(path, listing);
    let total = [...this.kept.values()].reduce((sum, { names }) => sum + names.length, 0);
    for (const [oldest, { names }] of this.kept) {
      if (total <= MAX_KEPT_NAMES) return;
      this.kept.delete(oldest);
      total -= names.length;
    }
  }
}
