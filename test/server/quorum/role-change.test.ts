import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mntr } from '../../../src/fourlw/mntr.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { handshake } from '../server-peer.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// New connections while the role of a member changes.

function serving(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  return world;
}

test('clients that connect between two roles are served by the next one', () => {
  const world = serving();
  const before = world.client(1);
  before.push(before.create('/before', 1));
  const { sessionId, password } = before;
  world.crash(3);
  assert.not.ok(world.isServing(1));
  assert.ok(before.isClosed);
  const silent = world.connect(1);
  const resumed = world.client(1, { sessionId, password });
  const eager = world.client(1);
  eager.push(eager.create('/eager'));
  eager.push(eager.getData('/eager'));
  assert.equal(eager.take(), []);
  world.until(() => world.leader === 2 && world.isServing(1), 'a new leader');
  silent.push(handshake());
  world.settle();
  assert.equal(eager.take(), ['connected', 'create ok', 'getData ok']);
  assert.equal(resumed.take(), ['connected']);
  assert.is(resumed.sessionId, sessionId);
  assert.equal(silent.take(), ['connected']);
  assert.ok(world.member(1).peer.data.tree.get('/before'));
});

test('clients of the next leader wait, too', () => {
  const world = serving();
  world.crash(3);
  const client = world.client(2);
  client.push(client.create('/at-the-leader'));
  world.until(() => world.leader === 2, 'a new leader');
  world.until(() => world.isServing(1), 'a follower');
  assert.equal(client.take(), ['connected', 'create ok']);
  assert.ok(world.member(1).peer.data.tree.get('/at-the-leader'));
});

test('they wait no longer than roleChangeTime after the role that served', () => {
  const world = serving();
  world.crash(2);
  world.crash(3);
  const [early, silent] = [world.client(1), world.connect(1)];
  world.pass(LIMITS.roleChangeTime.value - 100);
  assert.not(early.isClosed);
  world.pass(100);
  assert.ok(early.isClosed);
  const limit = 'roleChangeTime';
  const answer = mntr.render(world.member(1).peer.view);
  assert.match(answer, `zk_${limit}_limit_exceeded_count\t1`);
  assert.not(silent.isClosed);
  silent.push(handshake());
  assert.ok(silent.isClosed);
  assert.ok(world.client(1).isClosed);
});

test('a write that no quorum has is in the tree of the next role, and its client gets no answer', () => {
  const world = new EnsembleWorld(5);
  world.start();
  world.allServe();
  const client = world.client(1);
  for (const sid of [2, 3, 4]) world.cut(5, sid);
  client.push(client.create('/logged'));
  assert.equal(client.take(), ['connected']);
  assert.not(world.member(1).peer.data.tree.get('/logged'));
  world.crash(5);
  assert.equal(client.take(), ['closed']);
  assert.ok(world.member(1).peer.data.tree.get('/logged'));
});

test('a request that is too long to be kept ends the connection', () => {
  const world = serving();
  world.crash(3);
  const client = world.connect(1);
  const frame = Buffer.alloc(2000);
  frame.writeInt32BE(frame.length - 4);
  client.push(frame);
  assert.ok(client.isClosed);
});

test('a member that never served keeps no connection', () => {
  const world = new EnsembleWorld(3);
  world.start(1);
  world.pass(100);
  assert.ok(world.client(1).isClosed);
});

test.run();
