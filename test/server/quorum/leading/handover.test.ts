import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { Leader } from '../../../../src/server/quorum/leading/leader.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';

// A leader that is asked to hand over.

function move(world: EnsembleWorld, from: number, to: number): string {
  const { role } = world.member(from).peer;
  if (!(role instanceof Leader)) return 'no leader';
  const problem = role.moveTo(to);
  world.settle();
  readAgain(world);
  return problem;
}

/** The driver reads the clients that waited. */
function readAgain(world: EnsembleWorld): void {
  for (const { peer, clients } of world.members.values()) {
    for (const connection of clients.keys()) peer.step({ kind: 'drained', connection });
  }
  world.settle();
}

function serving(size: number, observers = 0): EnsembleWorld {
  const world = new EnsembleWorld(size, observers);
  world.start();
  world.allServe();
  return world;
}

for (const size of [3, 5]) {
  test(`the voter that is named leads ${size} members without an election, and clients stay`, () => {
    const world = serving(size);
    const clients = Array.from({ length: size }, (_, at) => world.client(at + 1));
    for (const [at, client] of clients.entries()) {
      client.push(client.create(`/ephemeral-${at}`, 1));
      client.push(client.exists(`/watched-${at}`, true));
      assert.equal(client.take(), ['connected', 'create ok', 'exists NONODE']);
    }
    for (const to of [1, 2, size]) {
      assert.is(move(world, world.leader ?? 0, to), '');
      assert.is(world.leader, to);
      for (let sid = 1; sid <= size; sid++) assert.ok(world.isServing(sid), world.describe());
    }
    for (const [at, client] of clients.entries()) {
      client.push(client.setData(`/ephemeral-${at}`));
      assert.equal(client.take(), ['setData ok']);
      const [other = client] = clients.filter((one) => one !== client);
      other.push(other.create(`/watched-${at}`));
      assert.match(client.take().join(), new RegExp(`^event NodeCreated /watched-${at} at \\d+$`));
      other.take();
    }
    for (let sid = 1; sid <= size; sid++) {
      const { peer, notes } = world.member(sid);
      assert.ok(clients.every((_, at) => peer.data.tree.get(`/ephemeral-${at}`) !== undefined));
      assert.not.match(notes.join('; '), /SNAP|TRUNC|newer/);
    }
  });
}

test('a client whose request is in progress gets its answer, and stays', () => {
  const world = serving(3);
  const clients = [1, 2, 3].map((sid) => world.client(sid));
  for (const client of clients) client.take();
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
  for (const client of clients) client.push(client.create(`/of-${client.id}`));
  assert.is(move(world, 3, 2), '');
  assert.is(world.leader, 3);
  for (const client of clients) client.push(client.exists(`/of-${client.id}`));
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = false;
  world.settle();
  readAgain(world);
  assert.is(world.leader, 2);
  for (const client of clients) assert.equal(client.take(), ['create ok', 'exists ok']);
});

test('the next leader commits the txns that the last one only proposed', () => {
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

for (const [leaving, next] of [
  [3, [1, 2]],
  [2, [3]],
] as const) {
  test(`a reconfig on its way that removes server ${leaving} precedes the handover`, () => {
    const world = new EnsembleWorld(3, 0, { initial: 3 });
    world.start();
    world.allServe();
    const clients = [1, 3].map((sid) => world.client(sid));
    const [remote, local] = clients;
    if (remote === undefined || local === undefined) throw new Error('no clients');
    for (const client of clients) client.take();
    for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
    local.push(local.create('/in-progress'));
    const { role } = world.member(3).peer;
    assert.instance(role, Leader);
    assert.is((role as Leader).moveTo(2), '');
    // Server 1 has not heard of the handover when it forwards this.
    const asked = { joiningServers: null, leavingServers: `${leaving}`, newMembers: null };
    remote.push(remote.request(OpCode.reconfig, { ...asked, curConfigId: -1n }));
    for (const sid of [1, 2]) world.member(sid).isDiskHeld = false;
    world.settle();
    readAgain(world);
    world.until(() => world.isServing(1), world.describe());
    assert.ok(
      next.some((sid) => sid === world.leader),
      world.describe(),
    );
    assert.is(world.member(1).peer.membership.config.members.has(leaving), false);
    const late = world.client(1);
    late.push(late.create('/later'));
    assert.equal(late.take(), ['connected', 'create ok']);
  });
}

for (const [left, to] of [
  [1, 3],
  [1, 2],
  [3, 1],
] as const) {
  test(`a client that left server ${left} for ${to} unnoticed is not kept there`, () => {
    const world = serving(3);
    const before = world.client(left);
    const { sessionId, password } = before;
    const now = world.client(to, { sessionId, password });
    assert.equal(now.take(), ['connected']);
    assert.is(move(world, 3, 2), '');
    assert.ok(before.isClosed);
    assert.not.ok(now.isClosed);
    now.push(now.create('/a'));
    assert.equal(now.take(), ['create ok']);
  });
}

test('if the next leader fails at once, the others elect one', () => {
  const world = serving(3);
  const { role } = world.member(3).peer;
  assert.instance(role, Leader);
  assert.is((role as Leader).moveTo(1), '');
  world.crash(1);
  world.until(() => world.isServing(2) && world.isServing(3), 'two serve');
});

test.run();
