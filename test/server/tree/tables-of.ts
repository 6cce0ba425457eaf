import type { ContentTable } from '../../../src/server/tree/content-table.js';
import type { DataTree } from '../../../src/server/tree/data-tree.js';
import type { StatTable } from '../../../src/server/tree/stat-table.js';
import type { Znode } from '../../../src/server/tree/znode.js';

interface Tables {
  readonly stats: StatTable;
  readonly content: ContentTable;
}

/** The tables of a tree, to break them behind its back. */
export function tablesOf(tree: DataTree): Tables {
  return tree as unknown as Tables;
}

/** A znode of no tree. */
export function anyZnode(slot: number): Znode {
  return slot as unknown as Znode;
}
