import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { Random } from '../../../support/random.js';
import type { Peer } from '../../server-peer.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import { HandLink } from '../worlds/hand-link.js';

const { ACK, PING, PROPOSAL } = PacketType;

const sync = (client: Peer): Buffer => client.request(OpCode.sync, { path: '/' });

for (const size of [1, 3, 5]) {
  test(`every member of ${size} answers syncs between reads and writes in order`, () => {
    const world = new EnsembleWorld(size);
    world.start();
    world.allServe();
    for (const sid of world.members.keys()) {
      const client = world.client(sid);
      const path = `/n-${sid}`;
      const requests = [
        sync(client),
        client.create(path),
        sync(client),
        client.getData(path),
        client.setData(path),
        sync(client),
      ];
      client.push(Buffer.concat(requests));
      const expected = ['sync ok', 'create ok', 'sync ok', 'getData ok', 'setData ok', 'sync ok'];
      assert.equal(client.take(), ['connected', ...expected], `server ${sid}`);
    }
  });
}

for (const sid of [1, 3]) {
  test(`server ${sid} answers a sync once, also if a long list comes behind it`, () => {
    const world = new EnsembleWorld(3);
    world.start();
    world.allServe();
    const client = world.client(sid);
    for (let i = 0; i < 150; i++) client.push(client.create(`/n-${i}`));
    client.take();
    const list = () => client.request(OpCode.getChildren, { path: '/', watch: false });
    client.push(Buffer.concat([sync(client), list(), client.exists('/')]));
    // The list waits for another turn.
    world.member(sid).peer.step({ kind: 'drained', connection: client.id });
    world.settle();
    assert.equal(client.take(), ['sync ok', 'getChildren ok', 'exists ok']);
  });
}

test('random pipelines of syncs, long lists, reads, and writes are answered in order', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const filling = world.client(3);
  for (let i = 0; i < 150; i++) filling.push(filling.create(`/n-${i}`));
  const clients = [1, 3].map((sid) => ({ sid, client: world.client(sid) }));
  for (const { client } of clients) client.take();
  for (let seed = 0; seed < 100; seed++) {
    const random = new Random(seed);
    const { sid, client } = random.pick(clients);
    const kinds = {
      sync: () => sync(client),
      getChildren: () => client.request(OpCode.getChildren, { path: '/', watch: false }),
      exists: () => client.exists('/'),
      setData: () => client.setData('/n-0'),
    };
    const names = Array.from({ length: 1 + random.below(8) }, () =>
      random.pick(Object.keys(kinds) as (keyof typeof kinds)[]),
    );
    client.push(Buffer.concat(names.map((name) => kinds[name]())));
    // Each long list waits for a turn of its own.
    for (let turn = 0; turn < names.length; turn++) {
      world.member(sid).peer.step({ kind: 'drained', connection: client.id });
      world.pass(0);
    }
    const wanted = names.map((name) => `${name} ok`);
    assert.equal(client.take(), wanted, `seed ${seed}`);
  }
});

test('a leader without a quorum answers no sync, but answers a read before it', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const [asking, reading] = [world.client(3), world.client(3)];
  asking.take();
  reading.take();
  world.cut(3, 1);
  world.cut(3, 2);
  asking.push(Buffer.concat([sync(asking), asking.exists('/')]));
  reading.push(reading.exists('/'));
  assert.equal(asking.take(), []);
  assert.equal(reading.take(), ['exists ok']);
  world.until(() => asking.isClosed, 'it gives up');
  assert.equal(asking.take(), ['closed']);
});

test('a write behind a sync without a quorum is kept when the leader steps down', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  world.cut(3, 1);
  world.cut(3, 2);
  client.push(Buffer.concat([sync(client), client.create('/logged')]));
  world.until(() => client.isClosed, 'it gives up');
  assert.equal(client.take(), ['connected', 'closed']);
  const { peer } = world.member(3);
  assert.match(world.member(3).notes.join('; '), /stopped leading/);
  assert.ok(peer.data.tree.get('/logged'), 'the tree is what a start would read');
});

test('a write behind a sync without a quorum is kept when a follower loses its leader', () => {
  const world = new EnsembleWorld(5);
  world.start();
  world.allServe();
  const client = world.client(1);
  for (const sid of [2, 3, 4]) world.cut(5, sid);
  client.push(Buffer.concat([sync(client), client.create('/logged')]));
  world.until(() => client.isClosed, 'the leader steps down');
  assert.equal(client.take(), ['connected', 'closed']);
  const { disk, peer } = world.member(1);
  assert.ok(disk.entries.length > 0 && peer.data.tree.get('/logged'), 'as a start would read it');
});

test('a learner that has not acked NEWLEADER confirms no sync', () => {
  const world = new EnsembleWorld(3);
  world.start(3, 2);
  world.until(() => world.isServing(3) && world.isServing(2), 'two serve');
  const client = world.client(3);
  client.take();
  const joining = new HandLink(world);
  joining.introduce(1);
  const { lastProcessedZxid } = world.member(3).peer.data.tree;
  joining.say(PacketType.ACKEPOCH, lastProcessedZxid, Buffer.alloc(4));
  assert.is(joining.handler?.stage, 'syncing');
  world.cut(3, 2);
  client.push(sync(client));
  const asked = joining.sent.findLast(({ type }) => type === PING);
  assert.ok(asked !== undefined && asked.zxid < 0n);
  joining.say(PING, asked.zxid, Buffer.alloc(0));
  assert.equal(client.take(), []);
  assert.not(joining.isClosed);
});

test('the response to a ping that was sent before a sync confirms nothing', () => {
  const world = new EnsembleWorld(3);
  world.start(3, 2);
  world.until(() => world.isServing(3) && world.isServing(2), 'two serve');
  const client = world.client(3);
  client.take();
  world.crash(2);
  const link = new HandLink(world);
  link.join(2);
  world.pass(200);
  const before = link.sent.findLast(({ type }) => type === PING);
  client.push(sync(client));
  assert.equal(client.take(), []);
  const asked = link.sent.findLast(({ type }) => type === PING);
  assert.ok(before !== undefined && asked !== undefined && asked.zxid < 0n);
  // It also forges a later round.
  for (const zxid of [before.zxid, asked.zxid - 1n]) {
    link.say(PING, zxid, Buffer.alloc(0));
    assert.equal(client.take(), []);
  }
  link.say(PING, asked.zxid, Buffer.alloc(0));
  assert.equal(client.take(), ['sync ok']);
});

test('the ack of a write that came before a sync confirms nothing, also after an earlier sync', () => {
  const world = new EnsembleWorld(3);
  world.start(3, 2);
  world.until(() => world.isServing(3) && world.isServing(2), 'two serve');
  const [writing, asking] = [world.client(3), world.client(3)];
  writing.take();
  asking.take();
  world.crash(2);
  const link = new HandLink(world);
  link.join(2);
  world.pass(200);
  const last = (type: number) => link.sent.findLast((sent) => sent.type === type)?.zxid ?? 0n;
  asking.push(sync(asking));
  link.say(PING, last(PING), Buffer.alloc(0));
  assert.equal(asking.take(), ['sync ok']);
  writing.push(writing.create('/a'));
  asking.push(sync(asking));
  link.say(ACK, last(PROPOSAL));
  assert.equal(writing.take(), ['create ok']);
  assert.equal(asking.take(), []);
  link.say(PING, last(PING), Buffer.alloc(0));
  assert.equal(asking.take(), ['sync ok']);
});

test('a sync whose responses were lost is repeated', () => {
  const world = new EnsembleWorld(3);
  world.start(3, 2);
  world.until(() => world.isServing(3) && world.isServing(2), 'two serve');
  const client = world.client(3);
  client.take();
  world.crash(2);
  const link = new HandLink(world);
  link.join(2);
  world.pass(200);
  const asked = () =>
    link.sent.findLast(({ type, zxid }) => type === PING && zxid < 0n)?.zxid ?? 0n;
  client.push(sync(client));
  const first = asked();
  world.until(() => asked() < first, 'another round');
  link.say(PING, asked(), Buffer.alloc(0));
  assert.equal(client.take(), ['sync ok']);
});

test.run();
