import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshotStream } from '../../../../src/files/snapshot.js';
import { bodySourceOf, contentOf } from '../../../../src/server/persistence/snapshot-source.js';
import { SNAP_STREAM_SIGNATURE } from '../../../../src/server/quorum/leading/synchronizer.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { txnEntries } from '../../../fuzz/targets/files.js';
import { learnerLink } from '../../../fuzz/targets/learner-link.js';
import { packet } from '../../../fuzz/targets/quorum-packets.js';
import { emptyDisk } from '../worlds/memory-disk.js';

// Apache's leader may queue commits, apply them, and name a zxid after them in SNAP.

const EPOCH = 1n << 32n;
const ENTRIES = txnEntries().slice(0, 2);

function txn(entry: Buffer): Buffer {
  const zxid = entry.readBigInt64BE(12);
  return Buffer.concat([
    packet(PacketType.PROPOSAL, zxid, entry),
    packet(PacketType.COMMIT, zxid),
    packet(PacketType.INFORM, zxid, entry),
  ]);
}

/** A learner after LEADERINFO and the packets; `isHeld` says whether it ended the link. */
function learnerAfter(...packets: Buffer[]) {
  const version = Buffer.alloc(4);
  version.writeInt32BE(0x10000);
  const learner = learnerLink.connect?.(0);
  if (learner === undefined) throw new Error('the target has no connection');
  learner.push(packet(PacketType.LEADERINFO, EPOCH, version));
  for (const bytes of packets) learner.push(bytes);
  return learner;
}

const last = ENTRIES.at(-1)?.readBigInt64BE(12) ?? 0n;
const tree = bodySourceOf(contentOf(emptyDisk().base));
const snap = [packet(PacketType.SNAP, last), ...writeSnapshotStream(tree, SNAP_STREAM_SIGNATURE)];
const newLeader = packet(PacketType.NEWLEADER, EPOCH, Buffer.alloc(0));

test('txns up to the zxid of SNAP are skipped before NEWLEADER, and only there', () => {
  assert.is(ENTRIES.length, 2);
  const learner = learnerAfter(...snap, ...ENTRIES.map(txn), newLeader);
  assert.not.ok(learner.isHeld);
  learner.push(packet(PacketType.UPTODATE, -1n));
  assert.not.ok(learner.isHeld);
  learner.push(txn(ENTRIES[1] as Buffer));
  assert.ok(learner.isHeld, 'after NEWLEADER');
});

test('a leader that repeats txns without a snapshot breaks the protocol', () => {
  const [first] = ENTRIES.map(txn);
  const learner = learnerAfter(packet(PacketType.DIFF, 0n), first as Buffer);
  assert.ok(learner.isHeld);
});

test('a leader sends no txn and no tree of an epoch after its own', () => {
  for (const [epoch, isRefused] of [
    [1n, false],
    [2n, true],
  ] as const) {
    const zxid = (epoch << 32n) + 1n;
    const entry = Buffer.from(ENTRIES[0] as Buffer);
    entry.writeBigInt64BE(zxid, 12);
    const proposed = learnerAfter(
      packet(PacketType.DIFF, 0n),
      packet(PacketType.PROPOSAL, zxid, entry),
    );
    assert.is(proposed.isHeld, isRefused, `a proposal of epoch ${epoch}`);
    const sent = learnerAfter(packet(PacketType.SNAP, zxid), ...snap.slice(1));
    assert.is(sent.isHeld, isRefused, `a tree of epoch ${epoch}`);
  }
});

function proposal(zxid: bigint, head = zxid): Buffer {
  const entry = Buffer.from(ENTRIES[0] as Buffer);
  entry.writeBigInt64BE(head, 12);
  return packet(PacketType.PROPOSAL, zxid, entry);
}

test('a leader leaves out no txn, repeats none, and begins an epoch with its first', () => {
  const first = EPOCH + 1n;
  for (const [zxids, isRefused] of [
    [[1n, 2n], false],
    [[1n, first, first + 1n], false],
    [[2n], true],
    [[1n, 3n], true],
    [[1n, 1n], true],
    [[1n, 2n, 1n], true],
    [[1n, EPOCH], true],
    [[1n, first + 1n], true],
    [[first, 2n], true],
  ] as const) {
    const proposals = zxids.map((zxid) => proposal(zxid));
    const { isHeld } = learnerAfter(packet(PacketType.DIFF, 0n), ...proposals);
    assert.is(isHeld, isRefused, `${zxids}`);
  }
});

test('not even the zxid before an epoch that the learner did not accept is followed by a txn', () => {
  const end = 2n * EPOCH;
  const learner = learnerAfter(packet(PacketType.SNAP, end - 1n), ...snap.slice(1));
  assert.not(learner.isHeld);
  learner.push(proposal(end));
  assert.ok(learner.isHeld);
});

test('a txn has the zxid of its packet, and commits come in the order of the txns', () => {
  const commit = (zxid: bigint) => packet(PacketType.COMMIT, zxid);
  for (const [packets, isRefused] of [
    [[proposal(1n, 2n)], true],
    [[proposal(1n), proposal(2n), commit(1n), commit(2n)], false],
    [[proposal(1n), proposal(2n), commit(2n)], true],
    [[proposal(1n), commit(1n), commit(1n)], true],
    [[commit(1n)], true],
  ] as const) {
    const { isHeld } = learnerAfter(packet(PacketType.DIFF, 0n), ...packets);
    assert.is(isHeld, isRefused);
  }
});

test.run();
