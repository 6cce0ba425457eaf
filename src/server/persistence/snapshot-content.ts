import type { DataTree } from '../tree/data-tree.js';
import type { SnapshotAcl, SnapshotNode } from './snapshot.js';

/** The content of a snapshot, which is written while the tree changes (a fuzzy snapshot). */
export interface SnapshotContent {
  readonly tree: DataTree;
  /** The sessions at the start of the snapshot. */
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
  /** The last txn applied at the start: it names the file, and a replay starts after it. */
  readonly zxid: bigint;
  /** What the log does not say about the tree at `zxid`; absent if only the tree can say more. */
  readonly exact?: ExactContent;
}

/** With the snapshot before and the txns up to `zxid`, this is the whole tree. Plain data. */
export interface ExactContent {
  readonly acls: readonly SnapshotAcl[];
  /** The znodes below /zookeeper, which a server changes without a txn. */
  readonly reserved: readonly SnapshotNode[];
  /** Of the tree, version 2. */
  readonly digest: bigint;
}

export interface SnapshotSubject {
  readonly tree: DataTree;
  readonly sessions: { values(): Iterable<{ readonly id: bigint; readonly timeoutMs: number }> };
}

/** The content for a snapshot that starts now. Local sessions are left out. */
export function snapshotContentOf({ tree, sessions }: SnapshotSubject): SnapshotContent {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known, zxid: tree.lastProcessedZxid };
}
