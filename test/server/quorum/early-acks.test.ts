import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { PacketReader, PacketType, writePacket } from '../../../src/server/quorum/quorum-packet.js';
import { EnsembleWorld } from './ensemble-world.js';

// A learner that logs in a thread of its own, as Apache's does: it may ack txns before NEWLEADER.

interface Sent {
  readonly type: number;
  readonly zxid: bigint;
}

/** Member 1 by hand, to which the leader of three sends what it lacks. */
class HandLearner {
  readonly sent: Sent[] = [];
  isClosed = false;
  private readonly link: { push(bytes: Buffer): void };

  constructor(world: EnsembleWorld, lastZxid: bigint) {
    const reader = new PacketReader(1 << 20);
    this.link = world.link(3, (bytes) => {
      this.isClosed ||= bytes === null;
      if (bytes !== null) reader.push(bytes);
      for (let packet = reader.next(); packet !== null; packet = reader.next()) {
        this.sent.push({ type: packet.type, zxid: packet.zxid });
      }
    });
    const info = Buffer.alloc(20);
    info.writeBigInt64BE(1n);
    info.writeInt32BE(0x10000, 8);
    this.say(PacketType.FOLLOWERINFO, 0n, info);
    this.say(PacketType.ACKEPOCH, lastZxid, Buffer.alloc(4));
  }

  say(type: number, zxid: bigint, data: Buffer | null = null): void {
    const out = new OutputArchive();
    writePacket(out, type, zxid, data);
    this.link.push(out.take());
  }

  zxidsOf(type: number): bigint[] {
    return this.sent.filter((packet) => packet.type === type).map(({ zxid }) => zxid);
  }
}

/** Two of three serve, and the learner lacks the last txn. */
function worldOfTwo() {
  const world = new EnsembleWorld(3);
  world.start(2, 3);
  world.until(() => world.leader === 3 && world.isServing(2), 'two of three serve');
  const client = world.client(3);
  const lastZxid = world.member(3).peer.data.tree.lastProcessedZxid;
  client.push(client.create('/before'));
  assert.equal(client.take(), ['connected', 'create ok']);
  return { world, client, learner: new HandLearner(world, lastZxid) };
}

test('acks of txns before that of NEWLEADER are heard, and count from then on', () => {
  const { world, client, learner } = worldOfTwo();
  const [newLeader = -1n] = learner.zxidsOf(PacketType.NEWLEADER);
  assert.equal(learner.zxidsOf(PacketType.PROPOSAL), [newLeader + 2n]);
  learner.say(PacketType.ACK, newLeader + 2n);
  world.member(2).isDiskHeld = true;
  client.push(client.create('/meanwhile'));
  learner.say(PacketType.ACK, newLeader + 3n);
  assert.equal(client.take(), [], 'who is not in sync is no part of a quorum');
  learner.say(PacketType.ACK, newLeader);
  assert.equal(client.take(), ['create ok']);
  assert.is(learner.zxidsOf(PacketType.UPTODATE).length, 1);
  assert.not.ok(learner.isClosed);
});

test('an early ack of what was never proposed is not believed', () => {
  const { world, learner } = worldOfTwo();
  const [newLeader = -1n] = learner.zxidsOf(PacketType.NEWLEADER);
  learner.say(PacketType.ACK, newLeader + 77n);
  assert.ok(learner.isClosed);
  assert.match(world.member(3).notes.join('; '), /it acked what was never proposed/);
});

test.run();
