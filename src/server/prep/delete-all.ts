import type { ChangeRecord } from './change-record.js';
import type { OutstandingChanges } from './outstanding-changes.js';
import type { PrepParents } from './prep-rules.js';

/**
 * Deletes existing znodes without children, as the ephemerals of a session. Thousands of them have
 * few parents, so each of these gets one record. Adds the records of the txn to `records`.
 */
export function deleteAll(
  outstanding: OutstandingChanges,
  parents: PrepParents,
  nodes: readonly ChangeRecord[],
  zxid: bigint,
  records: ChangeRecord[],
): void {
  const changed = new Map<string, { readonly before: ChangeRecord; readonly left: ChangeRecord }>();
  for (const node of nodes) {
    const parentPath = parents.of(node.path) ?? '/';
    let parent = changed.get(parentPath);
    if (parent === undefined) {
      const before = outstanding.get(parentPath);
      if (before === undefined) continue;
      parent = { before, left: outstanding.copy(before) };
      changed.set(parentPath, parent);
    }
    parent.left.childCount--;
    const gone = outstanding.copy(node);
    gone.exists = false;
    outstanding.put(node, gone);
    records.push(gone);
  }
  for (const { before, left } of changed.values()) {
    left.stats.setPzxid(left.slot, zxid);
    outstanding.put(before, left);
    records.push(left);
  }
}
