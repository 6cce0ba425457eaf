import { LIMITS } from '../limits/limits.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';
import { Summary } from './summary.js';

/** Clients choose the names, so their number is limited: later ones are not counted. */
export const MAX_NAMESPACES = LIMITS.metricNamespaces.value;
/** And their length: longer names that begin alike count as one. */
const MAX_NAME_LENGTH = LIMITS.metricNameLength.value;
const SLASH = 0x2f;

/**
 * Bytes read or written below each top-level znode (read_per_namespace, write_per_namespace). A
 * namespace stays until the next `srst`.
 */
export class NamespaceSummaries {
  readonly byName = new Map<string, Summary>();
  /** Clients mostly stay below one znode: caching the last one avoids making a string. */
  private lastPrefix = '';
  private last = new Summary();

  /** @param bytes in addition to the path itself */
  record(path: string, bytes: number): void {
    this.summaryOf(path)?.record(path.length + bytes);
  }

  /** The same for a znode of the tree; mostly without a string of its path. */
  recordNode(tree: DataTree, node: Znode, bytes: number): void {
    const { lastPrefix } = this;
    if (lastPrefix !== '' && tree.isBelow(node, lastPrefix)) {
      this.last.record(tree.pathLength(node) + bytes);
    } else {
      this.record(tree.pathOf(node), bytes);
    }
  }

  reset(): void {
    this.byName.clear();
    this.lastPrefix = '';
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
