import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Leader } from '../../../../src/server/quorum/leading/leader.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';

// A leader that is asked to hand over.

function move(world: EnsembleWorld, from: number, to: number): string {
  const { role } = world.member(from).peer;
  if (!(role instanceof Leader)) return 'no leader';
  const problem = role.moveTo(to);
  world.member(from).peer.settle();
  world.settle();
  return problem;
}

function serving(size: number, observers = 0): EnsembleWorld {
  const world = new EnsembleWorld(size, observers);
  world.start();
  world.allServe();
  return world;
}

for (const size of [3, 5]) {
  test(`the voter that is named leads ${size} members at once, without an election`, () => {
    const world = serving(size);
    const client = world.client(2);
    client.push(client.create('/ephemeral', 1));
    assert.is(move(world, size, 1), '');
    assert.is(world.leader, 1);
    for (let sid = 1; sid <= size; sid++) assert.ok(world.isServing(sid), world.describe());
    assert.ok(client.isClosed);
    const resumed = world.client(2, { sessionId: client.sessionId, password: client.password });
    resumed.push(resumed.create('/after'));
    assert.equal(resumed.take(), ['connected', 'create ok']);
    for (let sid = 1; sid <= size; sid++) {
      const { tree } = world.member(sid).peer.data;
      assert.ok(tree.get('/ephemeral') && tree.get('/after'));
      assert.not.match(world.member(sid).notes.join('; '), /election/);
    }
  });
}

test('what is proposed and not committed is committed by the next leader', () => {
  const world = serving(3);
  const client = world.client(3);
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
  client.push(client.create('/proposed'));
  assert.equal(client.take(), ['connected']);
  assert.is(move(world, 3, 2), '');
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = false;
  world.until(() => world.leader === 2 && world.isServing(1), 'it leads');
  for (const sid of [1, 2]) assert.ok(world.member(sid).peer.data.tree.get('/proposed'));
});

test('a leader hands over to nobody else than a voter that is in sync', () => {
  const world = serving(3, 1);
  assert.is(move(world, 3, 3), 'server 3 leads already');
  assert.is(move(world, 3, 4), 'server 4 does not vote');
  assert.is(move(world, 3, 7), 'server 7 does not vote');
  world.crash(1);
  assert.is(move(world, 3, 1), 'server 1 is not in sync');
  assert.is(world.leader, 3);
});

test('if the next leader fails at once, the others elect one', () => {
  const world = serving(3);
  const { role } = world.member(3).peer;
  assert.instance(role, Leader);
  assert.is((role as Leader).moveTo(1), '');
  world.crash(1);
  world.until(() => world.isServing(2) && world.isServing(3), 'two serve');
});

test.run();
