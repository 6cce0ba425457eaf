/** The live tree as the source of a snapshot. */

import { assert } from '../../base/assert.js';
import { DIGEST_VERSION } from '../../files/digest.js';
import { type SnapshotSource, type WritableNode, writeAclKey } from '../../files/snapshot.js';
import { OutputArchive } from '../../jute/output-archive.js';
import { STAT_PERSISTED_SIZE } from '../../protocol/data.js';
import type { DataTree } from '../tree/data-tree.js';
import type { StatTable } from '../tree/stat-table.js';
import { walk } from '../tree/walk.js';
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
    path: node.path,
    data: tree.dataOf(node),
    aclKey: tree.table.aclKey(node.slot),
    stat: persistedStat(tree.stats, node.slot),
  }));
  const exact = { acls: [...tree.acls.entries()], reserved, digest: tree.digest.value };
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

/** The 60 bytes of a StatPersisted. */
export function persistedStat(stats: StatTable, slot: number): Buffer {
  const out = new OutputArchive(STAT_PERSISTED_SIZE);
  stats.writePersisted(out, slot);
  assert(out.length === STAT_PERSISTED_SIZE, 'snapshot merge: the size of a Stat', out.length);
  return out.take();
}

export function bodySourceOf({ tree, sessions, zxid }: SnapshotContent) {
  return { sessions, acls: tree.acls.entries(), nodes: nodesOf(tree, zxid) };
}

/**
 * Skips znodes created after the snapshot began, which the log has: one that was deleted and
 * created again would occur twice. Reuses one object, so that a big tree makes no garbage.
 */
function* nodesOf(tree: DataTree, zxid: bigint): Generator<WritableNode> {
  const node = new TreeNode(tree);
  for (const slot of walk(tree.children, tree.root.slot)) {
    if (tree.stats.isYounger(slot, zxid)) continue;
    node.slot = slot;
    yield node;
  }
}

class TreeNode implements WritableNode {
  /** The znode that is written next. */
  slot = 0;
  private readonly tree: DataTree;

  constructor(tree: DataTree) {
    this.tree = tree;
  }

  writeTo(out: OutputArchive): void {
    const { slot } = this;
    const { content, stats, table, root } = this.tree;
    assert(table.isUsed(slot), 'snapshot: a znode that was deleted', slot);
    if (slot === root.slot) {
      // Its path is "" in a file.
      out.writeInt(0);
      content.writeData(out, slot);
    } else {
      content.writeTo(out, slot);
    }
    writeAclKey(out, table.aclKey(slot));
    stats.writePersisted(out, slot);
  }
}
