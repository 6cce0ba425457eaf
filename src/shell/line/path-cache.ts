import type { ListChildren } from '../../commands/znodes/complete-path.js';

/** Long enough for several TABs, short enough to show changes of other clients. */
const FRESH_MS = 3000;
const MAX_ENTRIES = 1000;

interface Entry {
  readonly children: Promise<readonly string[]>;
  readonly until: number;
}

/** Concurrent lookups share one request. Failures are not cached. */
export class PathCache {
  private readonly list: ListChildren;
  private readonly now: () => number;
  private readonly entries = new Map<string, Entry>();

  constructor(list: ListChildren, now: () => number) {
    this.list = list;
    this.now = now;
  }

  listChildren(path: string): Promise<readonly string[]> {
    const known = this.entries.get(path);
    if (known !== undefined && known.until > this.now()) return known.children;
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    const children = this.list(path);
    this.entries.set(path, { children, until: this.now() + FRESH_MS });
    children.catch(() => this.entries.delete(path));
    return children;
  }

  clear(): void {
    this.entries.clear();
  }
}
