import { LIMITS } from '../limits/limits.js';
import { Summary } from './summary.js';

/** Clients choose the names, so their number is limited: later ones are not counted. */
export const MAX_NAMESPACES = LIMITS.metricNamespaces.value;
const SLASH = 0x2f;
/** A power of two. */
const RECENT = 1024;

/** The paths of znodes by slot (tree/content-table.ts). */
interface NodePaths {
  pathOf(slot: number): string;
  pathLength(slot: number): number;
}

/**
 * Bytes read or written below each top-level znode (read_per_namespace, write_per_namespace):
 * `/a/b` belongs to `a`, the root to none. A namespace stays until the next `srst`.
 */
export class NamespaceSummaries {
  readonly byName = new Map<string, Summary>();
  /** Clients mostly stay below one znode: caching the last one avoids making a string. */
  private lastPrefix = '';
  private last = new Summary();
  /** By slot: cheaper than parsing the path of a recently used znode. */
  private readonly recentSlots = new Int32Array(RECENT).fill(-1);
  private readonly recent = new Array<Summary | undefined>(RECENT).fill(undefined);

  /** @param bytes in addition to the path itself */
  record(path: string, bytes: number): void {
    this.summaryOf(path)?.record(path.length + bytes);
  }

  /** As `record`, for an existing znode. */
  recordNode(slot: number, paths: NodePaths, bytes: number): void {
    const at = slot & (RECENT - 1);
    if (this.recentSlots[at] !== slot) {
      this.recentSlots[at] = slot;
      this.recent[at] = this.summaryOf(paths.pathOf(slot));
    }
    this.recent[at]?.record(paths.pathLength(slot) + bytes);
  }

  forgetNode(slot: number): void {
    const at = slot & (RECENT - 1);
    if (this.recentSlots[at] === slot) this.recentSlots[at] = -1;
  }

  /** The slots belong to another tree from now on. */
  forgetNodes(): void {
    this.recentSlots.fill(-1);
  }

  reset(): void {
    this.byName.clear();
    this.lastPrefix = '';
    this.forgetNodes();
  }

  private summaryOf(path: string): Summary | undefined {
    const { lastPrefix } = this;
    const { length } = lastPrefix;
    const isLast =
      length > 0 &&
      (path.length === length || path.charCodeAt(length) === SLASH) &&
      path.startsWith(lastPrefix);
    return isLast ? this.last : this.find(path);
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
