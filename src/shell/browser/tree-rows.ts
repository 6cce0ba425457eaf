import type { Stat } from '../../protocol/data.js';
import { baseName, childPath, parentPath } from '../../protocol/path.js';

export interface BrowsedNode {
  readonly children?: readonly string[];
  readonly isOpen: boolean;
  readonly fault?: string;
  readonly stat?: Stat;
}

export type BrowsedTree = ReadonlyMap<string, BrowsedNode>;

export interface TreeRow {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

export function isMatch(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}

const known = new WeakMap<BrowsedTree, readonly TreeRow[]>();

export function treeRows(tree: BrowsedTree, root: string): readonly TreeRow[] {
  const cached = known.get(tree);
  if (cached !== undefined) return cached;
  const rows: TreeRow[] = [];
  // A stack: the last element is next.
  const pending: TreeRow[] = [{ path: root, name: root, depth: 0 }];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    const node = tree.get(row.path);
    if (node?.isOpen !== true) continue;
    const { children = [] } = node;
    for (let at = children.length - 1; at >= 0; at--) {
      const path = childPath(row.path, children[at] ?? '');
      pending.push({ path, name: baseName(path), depth: row.depth + 1 });
    }
  }
  known.set(tree, rows);
  return rows;
}

export function ancestorsOf(path: string): readonly string[] {
  const parent = path === '/' ? undefined : parentPath(path);
  return parent === undefined ? [] : [...ancestorsOf(parent), parent];
}

/** An unknown node counts as closed. */
export function withNode(
  tree: BrowsedTree,
  path: string,
  change: Partial<BrowsedNode>,
): BrowsedTree {
  return new Map(tree).set(path, { isOpen: false, ...tree.get(path), ...change });
}
