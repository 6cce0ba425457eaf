import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EnsembleWorld } from '../worlds/ensemble-world.js';

test('a leader whose role ends while it sends a snapshot sends no uncommitted txn', () => {
  const world = new EnsembleWorld(3, 0, { keptTxns: 1, maxLogBytes: -1 });
  world.start();
  world.allServe();
  world.crash(1);
  const client = world.client(3);
  for (const path of ['/a', '/b', '/c']) client.push(client.create(path));
  assert.equal(client.take(), ['connected', 'create ok', 'create ok', 'create ok']);
  world.member(2).isDiskHeld = true;
  client.push(client.create('/never'));
  const { peer } = world.member(3);
  let isOver = false;
  world.onSnapshotSent = () => {
    if (isOver) return;
    isOver = true;
    peer.giveUp('a test');
    peer.step({ kind: 'clock', wallMs: peer.wallMs, monotonicMs: peer.nowMs });
    assert.ok(peer.data.tree.get('/never') !== undefined, 'its log keeps the txn');
  };
  world.start(1);
  world.until(() => isOver, 'a snapshot is sent');
  for (const sid of [2, 3]) world.crash(sid);
  world.member(2).isDiskHeld = false;
  world.start(2);
  world.until(() => world.isServing(1) && world.isServing(2), 'the others serve');
  const trees = [1, 2].map((sid) => world.member(sid).peer.data.tree);
  for (const tree of trees) {
    assert.ok(tree.get('/c') !== undefined);
    assert.is(tree.get('/never'), undefined);
  }
  assert.is(trees[0]?.digest.value, trees[1]?.digest.value);
});

test('a snapshot of a leader that serves has the sessions of its clients', () => {
  const world = new EnsembleWorld(3, 0, { keptTxns: 1, maxLogBytes: -1 });
  world.start();
  world.allServe();
  world.crash(1);
  const client = world.client(3);
  for (const path of ['/a', '/b']) client.push(client.create(path));
  world.start(1);
  world.until(() => world.isServing(1), 'the learner serves');
  const { base } = world.member(1).disk;
  assert.ok(base.tree.get('/b') !== undefined, 'it got a snapshot');
  assert.ok([...base.sessions.values()].some(({ id }) => id === client.sessionId));
});

test.run();
