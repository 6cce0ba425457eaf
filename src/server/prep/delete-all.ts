import type { ChangeRecord } from './change-record.js';
import type { OutstandingChanges } from './outstanding-changes.js';
import type { PrepParents } from './prep-rules.js';

/**
 * Deletes znodes without children, as the ephemerals of a session. Thousands of them have few
 * parents, so each of these gets one record. Adds the records of the txn to `records`.
 */
export function deleteAll(
  outstanding: OutstandingChanges,
  parents: PrepParents,
  paths: readonly string[],
  zxid: bigint,
  records: ChangeRecord[],
): void {
  const changed = new Map<string, { readonly before: ChangeRecord; readonly left: ChangeRecord }>();
  for (const path of paths) {
    const node = outstanding.get(path);
    const parentPath = parents.of(path) ?? '/';
    const before = changed.get(parentPath)?.before ?? outstanding.get(parentPath);
    if (node === undefined || before === undefined) continue;
    const left = changed.get(parentPath)?.left ?? outstanding.copy(before);
    if (!changed.has(parentPath)) changed.set(parentPath, { before, left });
    left.childCount--;
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
