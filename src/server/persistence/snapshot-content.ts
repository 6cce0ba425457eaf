import type { SnapshotAcl, SnapshotNode } from '../../files/snapshot.js';
import type { DataTree } from '../tree/data-tree.js';

/** The content of a fuzzy snapshot, which is written while the tree changes. */
export interface SnapshotContent {
  readonly tree: DataTree;
  /** At the start of the snapshot. */
  readonly sessions: readonly { readonly id: bigint; readonly timeoutMs: number }[];
  /** The last txn applied at the start: it names the file, and a replay starts after it. */
  readonly zxid: bigint;
  /** The part of the tree at `zxid` that the log lacks; absent if the tree must be read. */
  readonly exact?: ExactContent;
}

/** With the last snapshot and the txns up to `zxid`, this is the whole tree. Plain data. */
export interface ExactContent {
  readonly acls: readonly SnapshotAcl[];
  /** The znodes below /zookeeper, which a server changes without a txn. */
  readonly reserved: readonly SnapshotNode[];
  readonly digest: bigint;
}

export interface SnapshotSubject {
  readonly tree: DataTree;
  readonly sessions: { values(): Iterable<{ readonly id: bigint; readonly timeoutMs: number }> };
}

/** Leaves local sessions out. */
export function snapshotContentOf({ tree, sessions }: SnapshotSubject): SnapshotContent {
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  return { tree, sessions: known, zxid: tree.lastProcessedZxid };
}
