import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  PacketReader,
  PacketType,
  packetName,
} from '../../../../src/server/quorum/wire/quorum-packet.js';
import { txnEntries } from '../../../fuzz/targets/files.js';
import { Follower } from '../../../fuzz/targets/learner-link.js';
import { packet } from '../../../fuzz/targets/quorum-packets.js';

// What a learner promises to its leader, and what it acks.

const ENTRY = txnEntries()[0] as Buffer;

function proposal(zxid: bigint): Buffer {
  const entry = Buffer.from(ENTRY);
  entry.writeBigInt64BE(zxid, 12);
  return packet(PacketType.PROPOSAL, zxid, entry);
}

/** A learner that accepted `epoch` before, and the names, zxids, and epochs that it sends. */
function learnerOf(epoch: number) {
  const follower = new Follower(epoch);
  const reader = new PacketReader(1 << 20);
  const sent: string[] = [];
  follower.onSent = (bytes) => {
    reader.push(bytes);
    for (let next = reader.next(); next !== null; next = reader.next()) {
      const { type, zxid, data } = next;
      const promised = type === PacketType.ACKEPOCH ? ` of ${data?.readInt32BE(0)}` : '';
      sent.push(`${packetName(type)} ${zxid.toString(16)}${promised}`);
    }
  };
  const hear = (...packets: Buffer[]): string[] => {
    for (const bytes of packets) follower.push(bytes);
    return sent.splice(0);
  };
  const info = Buffer.alloc(4);
  info.writeInt32BE(0x10000);
  const lead = (newEpoch: number) =>
    hear(packet(PacketType.LEADERINFO, BigInt(newEpoch) << 32n, info));
  return { follower, hear, lead };
}

test('a learner promises a newer epoch once', () => {
  const newer = learnerOf(4);
  assert.equal(newer.lead(5), ['ACKEPOCH 0 of 0']);
  assert.is(newer.follower.peer.acceptedEpoch, 5);
  const same = learnerOf(4);
  assert.equal(same.lead(4), ['ACKEPOCH 0 of -1'], 'promised before');
});

test('a learner follows no older epoch, and accepts none', () => {
  const { follower, lead } = learnerOf(4);
  assert.equal(lead(3), []);
  assert.ok(follower.isHeld);
  assert.is(follower.peer.acceptedEpoch, 4);
});

test('the ack of NEWLEADER covers the txns committed before it, and no other one', () => {
  const { hear, lead } = learnerOf(0);
  lead(1);
  const commit = packet(PacketType.COMMIT, 1n);
  assert.equal(hear(packet(PacketType.DIFF, 0n), proposal(1n), commit, proposal(2n)), []);
  const newLeader = packet(PacketType.NEWLEADER, 1n << 32n, Buffer.alloc(0));
  assert.equal(hear(newLeader), ['ACK 100000000', 'ACK 2']);
  assert.equal(hear(proposal(3n)), ['ACK 3']);
});

test.run();
