import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshotStream } from '../../../../src/files/snapshot.js';
import { writeTxn } from '../../../../src/files/txn.js';
import { OutputArchive } from '../../../../src/jute/output-archive.js';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { Database } from '../../../../src/server/persistence/replay.js';
import { bodySourceOf, contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { SNAP_STREAM_SIGNATURE } from '../../../../src/server/quorum/leading/synchronizer.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { Follower } from '../../../fuzz/targets/learner-link.js';
import { packet } from '../../../fuzz/targets/quorum-packets.js';

// Apache's leader writes SNAP while its tree changes, and names the zxid at the start. A start of
// its servers from the tree as it came counts mismatches, until the log has caught up.

const EPOCH = 1n << 32n;

function entryOf(zxid: bigint, digest: bigint | null = null): Buffer {
  const out = new OutputArchive();
  const path = zxid % 2n === 0n ? '/' : '/zookeeper';
  const txn = { type: OpCode.setData, path, data: `${zxid}`, version: 1 } as const;
  writeTxn(out, { sessionId: 1n, cxid: 1, zxid, time: 1n }, txn, digest);
  return out.take();
}

function treeAt(zxid: bigint): Database {
  const database = new Database({});
  database.finishSnapshot(0n);
  for (let next = 1n; next <= zxid; next++) database.replay(entryOf(next));
  return database;
}

/** The txn with the digest of its leader's tree. */
function committed(zxid: bigint): Buffer[] {
  const entry = entryOf(zxid, treeAt(zxid).tree.digest.value);
  return [packet(PacketType.PROPOSAL, zxid, entry), packet(PacketType.COMMIT, zxid)];
}

/** The zxids of the snapshots that a learner takes after SNAP of 1 with the tree at `contained`. */
function takenAfter(contained: bigint): readonly bigint[] {
  const version = Buffer.alloc(4);
  version.writeInt32BE(0x10000);
  const tree = bodySourceOf(contentOf(treeAt(contained)));
  const follower = new Follower();
  for (const bytes of [
    packet(PacketType.LEADERINFO, EPOCH, version),
    packet(PacketType.SNAP, 1n),
    ...writeSnapshotStream(tree, SNAP_STREAM_SIGNATURE),
    ...committed(2n),
    ...committed(3n),
    packet(PacketType.NEWLEADER, EPOCH, Buffer.alloc(0)),
  ]) {
    follower.push(bytes);
  }
  assert.equal(follower.taken, [], 'before the leader has a quorum');
  follower.push(packet(PacketType.UPTODATE, -1n));
  follower.pass();
  assert.not(follower.isHeld);
  return follower.taken;
}

test('a learner takes another snapshot after one of a tree that never existed', () => {
  assert.equal(takenAfter(3n), [3n]);
});

test('it takes none if the tree existed, or is what the next txn leaves', () => {
  assert.equal(takenAfter(1n), []);
  assert.equal(takenAfter(2n), []);
});

test.run();
