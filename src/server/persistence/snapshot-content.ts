import type { DataTree } from '../tree/data-tree.js';

/** The content of a snapshot, which is written while the tree changes (a fuzzy snapshot). */
export interface SnapshotContent {
  readonly tree: DataTree;
  /** The sessions at the start of the snapshot. */
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
  /** The last txn applied at the start: it names the file, and a replay starts after it. */
  readonly zxid: bigint;
}

interface SnapshotSubject {
  readonly tree: DataTree;
  readonly sessions: { values(): Iterable<{ readonly id: bigint; readonly timeoutMs: number }> };
}

/** The content for a snapshot that starts now. Local sessions are left out. */
export function snapshotContentOf({ tree, sessions }: SnapshotSubject): SnapshotContent {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known, zxid: tree.lastProcessedZxid };
}
