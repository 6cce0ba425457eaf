import { LIMITS } from '../limits/limits.js';
import { Summary } from './summary.js';

/** Clients choose the names, so their number is limited: later ones are not counted. */
export const MAX_NAMESPACES = LIMITS.metricNamespaces.value;
/** And their length: longer names that begin alike count as one. */
const MAX_NAME_LENGTH = LIMITS.metricNameLength.value;
const SLASH = 0x2f;
/** A power of two. */
const RECENT = 1024;

/** The paths of znodes by slot (tree/content-table.ts). */
interface NodePaths {
  pathOf(slot: number): string;
  pathLength(slot: number): number;
}

/**
 * Bytes read or written below each top-level znode (read_per_namespace, write_per_namespace). A
 * namespace stays until the next `srst`.
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
    const name = namespaceOf(path);
    if (name === '') return undefined;
    const summary = valueFor(this.byName, name, () => new Summary());
    if (summary === undefined) return undefined;
    const end = path.indexOf('/', 1);
    this.lastPrefix = end === -1 ? path : path.slice(0, end);
    this.last = summary;
    return summary;
  }
}

/** "a" of "/a/b", and "" of the root; a long name is cut. */
export function namespaceOf(path: string): string {
  const end = path.indexOf('/', 1);
  return path.slice(1, Math.min(end === -1 ? path.length : end, 1 + MAX_NAME_LENGTH));
}

/** The value of a namespace, made if it is new; undefined if there are too many. */
export function valueFor<V>(byName: Map<string, V>, name: string, make: () => V): V | undefined {
  const known = byName.get(name);
  if (known !== undefined || byName.size >= MAX_NAMESPACES) return known;
  const value = make();
  // A copy: a part of a string keeps the whole of it, which may have a megabyte.
  byName.set(Buffer.from(name).toString(), value);
  return value;
}
