import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLearner } from './worlds/hand-learner.js';

// A learner that logs in a separate thread, as Apache's does, may ack txns before NEWLEADER.

/** Two of three members serve, and a learner that joins lacks the last txn. */
function worldOfTwo() {
  const world = new EnsembleWorld(3);
  world.start(2, 3);
  world.until(() => world.leader === 3 && world.isServing(2), 'two of three serve');
  const client = world.client(3);
  const lastZxid = world.member(3).peer.data.tree.lastProcessedZxid;
  client.push(client.create('/before'));
  assert.equal(client.take(), ['connected', 'create ok']);
  return { world, client, join: () => new HandLearner(world, lastZxid) };
}

test('acks of txns before that of NEWLEADER count from then on', () => {
  const { world, client, join } = worldOfTwo();
  const learner = join();
  const [newLeader = -1n] = learner.zxidsOf(PacketType.NEWLEADER);
  assert.equal(learner.zxidsOf(PacketType.PROPOSAL), [newLeader + 2n]);
  learner.say(PacketType.ACK, newLeader + 2n);
  world.member(2).isDiskHeld = true;
  client.push(client.create('/meanwhile'));
  learner.say(PacketType.ACK, newLeader + 3n);
  assert.equal(client.take(), [], 'a learner that is not in sync does not count towards a quorum');
  learner.say(PacketType.ACK, newLeader);
  assert.equal(client.take(), ['create ok']);
  assert.is(learner.zxidsOf(PacketType.UPTODATE).length, 1);
  assert.not.ok(learner.isClosed);
});

test('an early ack of a txn that was never proposed is refused', () => {
  const { world, join } = worldOfTwo();
  const learner = join();
  const [newLeader = -1n] = learner.zxidsOf(PacketType.NEWLEADER);
  learner.say(PacketType.ACK, newLeader + 77n);
  assert.ok(learner.isClosed);
  assert.match(world.member(3).notes.join('; '), /it acked a txn that was never proposed/);
});

test('uncommitted proposals follow NEWLEADER, as Apache 3.8.0 needs', () => {
  const { world, client, join } = worldOfTwo();
  world.member(2).isDiskHeld = true;
  client.push(client.create('/meanwhile'));
  assert.is(join().kinds().join(' '), 'DIFF PROPOSAL COMMIT NEWLEADER PROPOSAL');
});

test.run();
