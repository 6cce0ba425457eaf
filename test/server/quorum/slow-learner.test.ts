import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType, packetName } from '../../../src/server/quorum/wire/quorum-packet.js';
import { INIT_LIMIT } from '../../sim/nodes/peer-parts.js';
import type { EnsembleOptions } from './worlds/ensemble-options.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLink } from './worlds/hand-link.js';

// A learner that takes longer than initLimit to read a tree, and writes meanwhile.

const TICK_MS = 1000;
const INIT_MS = INIT_LIMIT * TICK_MS;

/** Server 3 leads, 2 follows, and 1 is down. */
function leaderOfTwo(options: EnsembleOptions = {}) {
  const world = new EnsembleWorld(3, 0, options);
  world.start();
  world.allServe();
  world.crash(1);
  const client = world.client(3);
  const create = (...names: string[]) => {
    for (const name of names) client.push(client.create(`/${name}`));
  };
  create('before');
  return { world, create };
}

/** Server 1 registers without data, and gets SNAP, but no byte of the tree yet. */
function join(world: EnsembleWorld): HandLink {
  world.links.snapshots = 'held';
  const learner = new HandLink(world);
  learner.introduce(1);
  learner.say(PacketType.ACKEPOCH, 0n, Buffer.alloc(4));
  assert.is(learner.sent.at(-1)?.type, PacketType.SNAP);
  learner.sent.length = 0;
  return learner;
}

function read(world: EnsembleWorld, learner: HandLink, ms: number): void {
  for (let left = ms; left > 0; left -= TICK_MS) {
    world.pass(TICK_MS);
    learner.tell({ kind: 'link-output', state: 'moving' });
  }
}

/** "PROPOSAL 3", without pings. */
function packetsOf(learner: HandLink): string[] {
  const { sent } = learner;
  const packets = sent.splice(0).filter(({ type }) => type !== PacketType.PING);
  return packets.map(({ type, zxid }) => `${packetName(type)} ${zxid & 0xffff_ffffn}`);
}

function pairs(...zxids: number[]): string[] {
  return zxids.flatMap((zxid) => [`PROPOSAL ${zxid}`, `COMMIT ${zxid}`]);
}

test('a learner that continues to read a tree stays, however long it takes', () => {
  const { world } = leaderOfTwo();
  const learner = join(world);
  read(world, learner, 4 * INIT_MS);
  assert.not.ok(learner.isClosed);
  world.pass(5 * INIT_MS - TICK_MS);
  assert.not.ok(learner.isClosed, 'it may write as long as it read');
  world.pass(3 * TICK_MS);
  assert.ok(learner.isClosed);
  assert.match(world.member(3).notes.join('; '), /it read nothing and sent no packet for 5\d+ ms/);
});

test('a purge must keep the txns after a tree that is sent', () => {
  const { world, create } = leaderOfTwo();
  const needed = () => world.member(3).peer.role?.neededZxid;
  assert.is(needed(), null);
  const learner = join(world);
  const sent = world.member(3).peer.data.tree.lastProcessedZxid;
  create('a', 'b');
  assert.is(needed(), sent);
  learner.tell({ kind: 'snapshot-sent' });
  assert.is(needed(), null);
});

test('a learner that reads nothing is closed after initLimit', () => {
  const { world } = leaderOfTwo();
  const learner = join(world);
  world.pass(INIT_MS + 2 * TICK_MS);
  assert.ok(learner.isClosed);
});

test('the time to ack NEWLEADER begins when the tree is sent', () => {
  const { world, create } = leaderOfTwo();
  const learner = join(world);
  read(world, learner, 2 * INIT_MS);
  learner.tell({ kind: 'snapshot-sent' });
  create('after');
  world.pass(2 * INIT_MS);
  assert.not.ok(learner.isClosed);
  const newLeader = learner.sent.find(({ type }) => type === PacketType.NEWLEADER)?.zxid ?? 0n;
  learner.say(PacketType.ACK, newLeader);
  learner.isAnswering = true;
  world.pass(2 * TICK_MS);
  assert.not.ok(learner.isClosed, 'the syncLimit of the proposal begins with the ack');
  assert.ok(learner.has(PacketType.UPTODATE));
});

for (const maxRestBytes of [1 << 20, 0]) {
  const from = maxRestBytes === 0 ? 'the log' : 'memory';

  test(`no commit waits behind a snapshot: all come from ${from} after it`, () => {
    const { world, create } = leaderOfTwo({ maxRestBytes });
    let reads = 0;
    world.onLogSent = () => {
      if (++reads === 1) create('e', 'f');
    };
    const learner = join(world);
    create('a', 'b', 'c');
    world.member(2).isDiskHeld = true;
    create('d');
    assert.equal(packetsOf(learner), []);
    assert.is(learner.handler?.out.length, 0);
    learner.tell({ kind: 'snapshot-sent' });
    assert.is(reads > 0, maxRestBytes === 0);
    const proposals = maxRestBytes === 0 ? [6, 7, 8] : [6];
    assert.equal(packetsOf(learner), [
      ...pairs(3, 4, 5),
      'NEWLEADER 0',
      ...proposals.map((zxid) => `PROPOSAL ${zxid}`),
    ]);
  });

  test(`a learner that is behind after NEWLEADER gets the rest from ${from} when it has read all`, () => {
    const { world, create } = leaderOfTwo({ maxRestBytes });
    const learner = join(world);
    learner.tell({ kind: 'snapshot-sent' });
    const { zxid: newLeader } = learner.sent.at(-1) ?? { zxid: 0n };
    world.member(2).isDiskHeld = true;
    create('a', 'b');
    assert.equal(packetsOf(learner), ['NEWLEADER 0', 'PROPOSAL 3', 'PROPOSAL 4']);
    learner.tell({ kind: 'link-output', state: 'full' });
    world.member(2).isDiskHeld = false;
    world.settle();
    create('c', 'd');
    learner.say(PacketType.ACK, newLeader);
    assert.equal(packetsOf(learner), []);
    world.member(2).isDiskHeld = true;
    create('e');
    learner.tell({ kind: 'link-output', state: 'empty' });
    assert.equal(packetsOf(learner), [
      'COMMIT 3',
      'COMMIT 4',
      ...pairs(5, 6),
      'PROPOSAL 7',
      'UPTODATE 4294967295',
    ]);
    world.member(2).isDiskHeld = false;
    world.settle();
    assert.equal(packetsOf(learner), ['COMMIT 7']);
  });
}

test('txns that memory no longer has come from the log, without a gap', () => {
  const { world, create } = leaderOfTwo({ keptTxns: 2 });
  const learner = join(world);
  create('a', 'b', 'c', 'd', 'e');
  learner.tell({ kind: 'snapshot-sent' });
  assert.equal(packetsOf(learner), [...pairs(3, 4, 5, 6, 7), 'NEWLEADER 0']);
});

test('an observer that was behind gets each txn once', () => {
  const world = new EnsembleWorld(3, 1);
  world.start(1, 2, 3);
  world.until(() => world.isServing(3), 'the leader serves');
  const client = world.client(3);
  const observer = new HandLink(world);
  observer.introduce(4, PacketType.OBSERVERINFO);
  const { lastProcessedZxid } = world.member(3).peer.data.tree;
  observer.say(PacketType.ACKEPOCH, lastProcessedZxid, Buffer.alloc(4));
  packetsOf(observer);
  client.push(client.create('/a'));
  assert.equal(packetsOf(observer), ['INFORM 2']);
  observer.tell({ kind: 'link-output', state: 'full' });
  client.push(client.create('/b'));
  assert.equal(packetsOf(observer), []);
  observer.tell({ kind: 'link-output', state: 'empty' });
  assert.equal(packetsOf(observer), pairs(3));
});

test('a learner that was behind gets no proposal twice', () => {
  const { world, create } = leaderOfTwo();
  const learner = join(world);
  learner.tell({ kind: 'snapshot-sent' });
  world.member(2).isDiskHeld = true;
  create('a');
  learner.tell({ kind: 'link-output', state: 'full' });
  create('b');
  assert.equal(packetsOf(learner), ['NEWLEADER 0', 'PROPOSAL 3']);
  learner.tell({ kind: 'link-output', state: 'empty' });
  assert.equal(packetsOf(learner), ['PROPOSAL 4']);
});

test('a leader without a quorum waits for a voter that reads its tree', () => {
  const { world, create } = leaderOfTwo();
  create('a', 'b', 'c');
  world.crash(2);
  world.crash(3);
  const { disk } = world.member(2);
  disk.entries = [];
  Object.assign(disk, { acceptedEpoch: 0, currentEpoch: 0 });
  world.links.snapshots = 'slow';
  world.start(2, 3);
  world.until(() => world.links.moveSnapshots(), 'the snapshot begins');
  let ms = 0;
  while (world.links.moveSnapshots()) {
    world.pass(2 * TICK_MS);
    ms += 2 * TICK_MS;
    assert.is(world.member(3).peer.role?.kind, 'leading');
  }
  assert.ok(ms > 1.5 * INIT_MS, `${ms}`);
  world.until(() => world.isServing(2) && world.isServing(3), 'both serve');
  assert.ok(world.member(2).peer.data.tree.get('/c') !== undefined);
});

test('a learner that answers pings and acks no proposal within syncLimit is closed', () => {
  const { world, create } = leaderOfTwo();
  const learner = new HandLink(world);
  learner.isAnswering = true;
  learner.join(1);
  create('a', 'b');
  // The ack of the first one does not stand for that of the second.
  const proposed = learner.sent.filter(({ type }) => type === PacketType.PROPOSAL);
  learner.say(PacketType.ACK, proposed[0]?.zxid);
  world.until(() => learner.isClosed, 'the leader closes it');
  assert.match(world.member(3).notes.join(), /server 1 .*: no ack of a proposal for \d+ ms/);
  create('c');
  assert.ok(world.member(3).peer.data.tree.get('/c') !== undefined);
});

test.run();
