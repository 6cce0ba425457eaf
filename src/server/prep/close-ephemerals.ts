import { assert } from '../../base/assert.js';
import type { ChangeRecord } from './change-record.js';
import type { OutstandingChanges } from './outstanding-changes.js';
import type { PrepParents } from './prep-rules.js';

/**
 * Deletes the ephemerals of a session, and returns their paths. Only pending ones and the parents
 * get records, which are added to `records`: a million ephemerals may have one parent.
 */
export function closeEphemerals(
  outstanding: OutstandingChanges,
  parents: PrepParents,
  sessionId: bigint,
  zxid: bigint,
  records: ChangeRecord[],
): readonly string[] {
  const ephemerals = outstanding.ephemeralsOf(sessionId);
  const { paths, pending, unrecorded } = ephemerals;
  assert(
    paths.length === pending.length + unrecorded.length,
    'pending changes: an ephemeral of a closing session is missing or occurs twice',
    paths.length,
    pending.length + unrecorded.length,
  );
  const deleted = new Map<string, number>();
  for (const path of paths) {
    const parent = parents.of(path) ?? '/';
    deleted.set(parent, (deleted.get(parent) ?? 0) + 1);
  }
  for (const node of pending) {
    const gone = outstanding.copy(node);
    gone.exists = false;
    outstanding.put(node, gone);
    records.push(gone);
  }
  for (const [path, count] of deleted) {
    const before = outstanding.get(path);
    if (before === undefined) continue;
    const left = outstanding.copy(before);
    left.childCount -= count;
    left.stat.setPzxid(zxid);
    outstanding.put(before, left);
    records.push(left);
  }
  outstanding.close(sessionId, zxid, ephemerals);
  return paths;
}
