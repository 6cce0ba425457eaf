import type { DataTree } from '../tree/data-tree.js';

/** What a snapshot is made of; written while the tree goes on changing (a fuzzy snapshot). */
export interface SnapshotContent {
  readonly tree: DataTree;
  /** The sessions as they were when it began. */
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
  /** The last txn applied when it began: its name, and where a replay starts. */
  readonly zxid: bigint;
}

interface SnapshotSubject {
  readonly tree: DataTree;
  readonly sessions: { values(): Iterable<{ readonly id: bigint; readonly timeoutMs: number }> };
}

/** What a snapshot that begins now is made of. Local sessions are in no snapshot. */
export function snapshotContentOf({ tree, sessions }: SnapshotSubject): SnapshotContent {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known, zxid: tree.lastProcessedZxid };
}
