/** The live tree as the source of a snapshot. */

import { DIGEST_VERSION } from '../../files/digest.js';
import type { SnapshotSource, WritableNode } from '../../files/snapshot.js';
import type { OutputArchive } from '../../jute/output-archive.js';
import type { DataTree } from '../tree/data-tree.js';
import type { Znode } from '../tree/znode.js';
import type { Database } from './replay.js';
import {
  type SnapshotContent,
  type SnapshotSubject,
  snapshotContentOf,
} from './snapshot-content.js';

/** For a database that does not change meanwhile. */
export function contentOf(database: Database): SnapshotContent {
  const { tree, sessions } = database;
  return { tree, sessions: [...sessions.values()], zxid: tree.lastProcessedZxid };
}

/** The same, for a snapshot that may be made without the tree. */
export function exactContentOf(subject: SnapshotSubject): SnapshotContent {
  const content = snapshotContentOf(subject);
  const { tree } = content;
  // Only the digest can reveal a wrong result. A fuzzy tree differs from the log's.
  if (!tree.isDigestEnabled || tree.isFuzzy) return content;
  const reserved = [...tree.walk(tree.get('/zookeeper'))].slice(1).map((node) => ({
    path: tree.pathOf(node),
    data: tree.dataOf(node),
    aclKey: tree.aclKeyOf(node),
    stat: tree.statOf(node).persisted(),
  }));
  const exact = { acls: [...tree.aclEntries()], reserved, digest: tree.digest.value };
  return { ...content, exact };
}

export function sourceOf(
  { tree, sessions, zxid }: SnapshotContent,
  isLastZxidWritten: boolean,
): SnapshotSource {
  return {
    zxid,
    ...bodySourceOf({ tree, sessions, zxid }),
    // Read when the last node is written: by then the tree is at the zxid that it names.
    get digest() {
      if (!tree.isDigestEnabled || tree.isFuzzy) return undefined;
      return {
        zxid: tree.lastProcessedZxid,
        version: DIGEST_VERSION,
        digest: tree.digest.value,
      };
    },
    // Also at the end. Readers of 3.9 use it without logs; a start replays from the zxid of the
    // name (FileSnap.deserialize).
    get lastProcessedZxid() {
      return isLastZxidWritten ? tree.lastProcessedZxid : undefined;
    },
  };
}

export function bodySourceOf({ tree, sessions, zxid }: SnapshotContent) {
  return { sessions, acls: tree.aclEntries(), nodes: nodesOf(tree, zxid) };
}

/**
 * Skips znodes created after the snapshot began, which the log has: one that was deleted and
 * created again would occur twice. Reuses one object, so that a big tree makes no garbage.
 */
function* nodesOf(tree: DataTree, zxid: bigint): Generator<WritableNode> {
  const node = new TreeNode(tree);
  for (const znode of tree.walk()) {
    if (tree.isYounger(znode, zxid)) continue;
    node.znode = znode;
    yield node;
  }
}

class TreeNode implements WritableNode {
  /** The znode that is written next. */
  znode: Znode;
  private readonly tree: DataTree;

  constructor(tree: DataTree) {
    this.tree = tree;
    this.znode = tree.root;
  }

  writeTo(out: OutputArchive): void {
    this.tree.writeNode(out, this.znode);
  }
}
