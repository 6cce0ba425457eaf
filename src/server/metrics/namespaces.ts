import { Summary } from './summary.js';

/** Clients choose the names, so that there must be an end: later ones are not told apart. */
export const MAX_NAMESPACES = 10_000;
const SLASH = 0x2f;

/**
 * Bytes read or written below each top znode: `/a/b` belongs to `a`, the root to none
 * (read_per_namespace, write_per_namespace). A namespace stays until the next `srst`.
 */
export class NamespaceSummaries {
  readonly byName = new Map<string, Summary>();
  /** Clients mostly stay below one znode: what it was last is found without making a string. */
  private lastPrefix = '';
  private last = new Summary();

  /** One request for `path` that moved `bytes` besides the path itself. */
  record(path: string, bytes: number): void {
    const summary = this.isLast(path) ? this.last : this.find(path);
    summary?.record(path.length + bytes);
  }

  reset(): void {
    this.byName.clear();
    this.lastPrefix = '';
  }

  private isLast(path: string): boolean {
    const { lastPrefix } = this;
    const { length } = lastPrefix;
    if (length === 0 || !path.startsWith(lastPrefix)) return false;
    return path.length === length || path.charCodeAt(length) === SLASH;
  }

  private find(path: string): Summary | undefined {
    const end = path.indexOf('/', 1);
    const prefix = end === -1 ? path : path.slice(0, end);
    if (prefix.length < 2) return undefined;
    const name = prefix.slice(1);
    let summary = this.byName.get(name);
    if (summary === undefined) {
      if (this.byName.size >= MAX_NAMESPACES) return undefined;
      summary = new Summary();
      this.byName.set(name, summary);
    }
    this.lastPrefix = prefix;
    this.last = summary;
    return summary;
  }
}
