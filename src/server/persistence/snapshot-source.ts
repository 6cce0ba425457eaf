/** The live tree as the source of a snapshot. */

import type { ZnodeData } from '../tree/data-node.js';
import { DIGEST_VERSION } from '../tree/digest.js';
import type { StatTable } from '../tree/stat-table.js';
import { walk } from '../tree/walk.js';
import type { Database } from './replay.js';
import type { SnapshotNode, SnapshotSource } from './snapshot.js';
import {
  type SnapshotContent,
  type SnapshotSubject,
  snapshotContentOf,
} from './snapshot-content.js';
import { STAT_PERSISTED_SIZE } from './snapshot-reader.js';

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
  const reserved = [...walk(tree.get('/zookeeper') ?? tree.root)].slice(1).map((node) => ({
    path: node.path,
    data: node.data,
    aclKey: node.aclKey,
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
  const stat = Buffer.alloc(STAT_PERSISTED_SIZE);
  stats.copyPersisted(slot, new DataView(stat.buffer, stat.byteOffset, stat.length), 0);
  return stat;
}

export function bodySourceOf({ tree, sessions, zxid }: SnapshotContent) {
  return { sessions, acls: tree.acls.entries(), nodes: nodesOf(tree, zxid) };
}

/**
 * Skips znodes created after the snapshot began, which the log has: one that was deleted and
 * created again would occur twice. Reuses one object, so that a big tree makes no garbage.
 */
function* nodesOf(tree: SnapshotContent['tree'], zxid: bigint): Generator<SnapshotNode> {
  const stat = Buffer.alloc(STAT_PERSISTED_SIZE);
  const view = new DataView(stat.buffer, stat.byteOffset, stat.length);
  const given = { path: '', data: null as ZnodeData, aclKey: 0, stat };
  const { stats, root } = tree;
  for (const node of tree.walk()) {
    if (stats.isYounger(node.slot, zxid)) continue;
    stats.copyPersisted(node.slot, view, 0);
    given.path = node === root ? '' : node.path;
    given.data = node.data;
    given.aclKey = node.aclKey;
    yield given;
  }
}
