import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../../src/protocol/op-code.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';
import {
  FOLLOWERS,
  LEADER,
  masterOf,
  OBSERVER,
  serving,
  treeOf,
} from '../worlds/observer-world.js';

// Followers that accept observers, and the observers that connect to them.

function learnersOf(world: EnsembleWorld, sid: number): number | undefined {
  return world.member(sid).peer.view.quorum?.syncedObservers;
}

test('an observer connects to a follower, which counts it, and not to the leader', () => {
  const world = serving(2);
  for (const sid of [OBSERVER, 5]) {
    const master = masterOf(world, sid);
    assert.ok(FOLLOWERS.includes(master), `${master}`);
    assert.is(world.member(sid).peer.view.quorum?.observerMasterId, BigInt(master));
  }
  assert.is((learnersOf(world, 1) ?? 0) + (learnersOf(world, 2) ?? 0), 2);
  assert.is(world.member(LEADER).peer.view.leader?.syncedObservers, 0);
  assert.is(world.member(LEADER).peer.view.leader?.learners, 2);
});

test('leader and master report the observers that they bring in sync', () => {
  const direct = new EnsembleWorld(3, 1);
  direct.start();
  direct.allServe();
  const mastered = serving();
  for (const [world, sid] of [
    [direct, LEADER],
    [mastered, masterOf(mastered)],
  ] as const) {
    const client = world.client(OBSERVER);
    client.push(client.create('/a'));
    client.push(client.create('/b'));
    const { view } = world.member(sid).peer;
    const [observer, ...others] = view.observers();
    assert.equal(others, []);
    assert.is(observer?.sid, OBSERVER);
    // A session and two znodes.
    assert.is(observer?.requests, 3);
    assert.ok((observer?.packetsReceived ?? 0) > 3 && (observer?.packetsSent ?? 0) > 3);
    assert.is(observer?.lastZxid, treeOf(world, LEADER).lastProcessedZxid);
    view.resetObserverStats();
    assert.is(view.observers()[0]?.requests, 0);
    assert.is(view.observers()[0]?.lastZxid, -1n);
    assert.equal(world.member(OBSERVER).peer.view.observers(), []);
  }
});

test('a sync through it waits for txns proposed before', () => {
  const world = serving();
  const [writer, reader] = [world.client(LEADER), world.client(OBSERVER)];
  for (const sid of FOLLOWERS) world.member(sid).isDiskHeld = true;
  writer.push(writer.create('/a'));
  reader.push(reader.request(OpCode.sync, { path: '/' }));
  assert.equal(reader.take(), ['connected']);
  for (const sid of FOLLOWERS) world.member(sid).isDiskHeld = false;
  world.settle();
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['sync ok', 'exists ok']);
});

test('without the port, observers connect to the leader', () => {
  const world = new EnsembleWorld(3, 1);
  world.start();
  world.allServe();
  assert.is(masterOf(world), LEADER);
  assert.is(learnersOf(world, 1), undefined);
});

test('writes, reads, sync, and watches through it', () => {
  const world = serving();
  const client = world.client(OBSERVER);
  const other = world.client(LEADER);
  client.step(client.create('/a'));
  client.step(client.exists('/b', true));
  client.push(client.request(OpCode.sync, { path: '/' }));
  assert.equal(client.take(), ['connected', 'create ok', 'exists NONODE', 'sync ok']);
  other.push(other.create('/b'));
  const [event] = client.take();
  assert.match(event ?? '', /^event NodeCreated \/b/);
  for (const sid of [1, 2, 3, OBSERVER]) {
    assert.ok(treeOf(world, sid).get('/a'), `on ${sid}`);
    assert.is(treeOf(world, sid).digest.value, treeOf(world, LEADER).digest.value);
  }
});

test("syncs of observers and of the master's own clients are answered in order", () => {
  const world = serving();
  const master = masterOf(world);
  const [theirs, own] = [world.client(OBSERVER), world.client(master)];
  for (let i = 0; i < 3; i++) {
    theirs.push(theirs.request(OpCode.sync, { path: '/' }));
    own.step(own.create(`/n${i}`));
    own.push(own.request(OpCode.sync, { path: '/' }));
  }
  assert.equal(theirs.take(), ['connected', 'sync ok', 'sync ok', 'sync ok']);
  const done = ['create ok', 'sync ok'];
  assert.equal(own.take(), ['connected', ...done, ...done, ...done]);
});

test('an observer receives no uncommitted txn', () => {
  const world = serving();
  const master = masterOf(world);
  const client = world.client(LEADER);
  for (const sid of FOLLOWERS) world.member(sid).isDiskHeld = true;
  client.push(client.create('/a'));
  assert.is(treeOf(world, OBSERVER).get('/a'), undefined);
  assert.equal(client.take(), ['connected']);
  world.member(FOLLOWERS.find((sid) => sid !== master) ?? 0).isDiskHeld = false;
  world.settle();
  assert.ok(treeOf(world, OBSERVER).get('/a'));
  assert.equal(client.take(), ['create ok']);
});

test('a session on an observer stays alive through the master, and expires without pings', () => {
  const world = serving();
  const [alive, silent] = [world.client(OBSERVER), world.client(OBSERVER)];
  for (const client of [alive, silent]) {
    client.push(client.create(`/of-${client === alive ? 'alive' : 'silent'}`, 1));
  }
  for (let i = 0; i < 30; i++) {
    world.pass(1000);
    alive.push(alive.ping());
  }
  assert.ok(treeOf(world, LEADER).get('/of-alive'));
  assert.is(treeOf(world, LEADER).get('/of-silent'), undefined);
  assert.is(treeOf(world, OBSERVER).get('/of-silent'), undefined);
});

test('a session moves between observers and their master, and is refused at the old place', () => {
  const world = serving(2);
  let client = world.client(OBSERVER);
  client.push(client.create('/mine', 1));
  const { sessionId, password } = client;
  for (const sid of [5, masterOf(world, 5), LEADER, OBSERVER]) {
    const before = client;
    client = world.client(sid, { sessionId, password });
    assert.is(client.sessionId, sessionId);
    client.push(client.setData('/mine'));
    assert.equal(client.take(), ['connected', 'setData ok'], `on ${sid}`);
    before.leave();
  }
  client.push(client.request(OpCode.closeSession));
  assert.is(treeOf(world, 5).get('/mine'), undefined);
  const late = world.client(5, { sessionId, password });
  assert.equal(late.take(), ['expired', 'closed']);
});

test('requests of a session at an observer that it left are not executed', () => {
  const world = serving(2);
  const master = masterOf(world);
  const client = world.client(OBSERVER);
  client.push(client.create('/mine'));
  const { sessionId, password } = client;
  // It moves to the master. Its earlier requests arrive there later.
  const moved = world.client(master, { sessionId, password });
  assert.equal(moved.take(), ['connected']);
  client.push(client.create('/too-late'));
  assert.equal(client.take(), ['connected', 'create ok', 'create BADARGUMENTS']);
  assert.is(treeOf(world, LEADER).get('/too-late'), undefined);
  moved.push(moved.create('/in-time'));
  assert.equal(moved.take(), ['create ok']);
});

test('when its master crashes, an observer connects to another, and its sessions survive', () => {
  const world = serving();
  const master = masterOf(world);
  const client = world.client(OBSERVER, { timeoutMs: 20_000 });
  client.push(client.create('/mine', 1));
  const { sessionId, password } = client;
  world.crash(master);
  assert.ok(client.isClosed);
  world.until(() => world.isServing(OBSERVER), 'it has another master');
  const other = masterOf(world);
  assert.ok(other !== master && other !== LEADER, `${other}`);
  const again = world.client(OBSERVER, { sessionId, password });
  again.push(again.setData('/mine'));
  assert.equal(again.take(), ['connected', 'setData ok']);
  // The last one crashes too: there are too few members for a quorum.
  world.crash(other);
  world.until(() => !world.isServing(OBSERVER), 'it is disconnected');
  world.start(master, other);
  world.allServe();
});

test('a master that loses its leader disconnects its observers', () => {
  const world = serving();
  const master = masterOf(world);
  world.crash(LEADER);
  assert.not(world.isServing(OBSERVER));
  assert.is(
    world.member(OBSERVER).notes.some((note) => note.includes(`server ${master}`)),
    true,
  );
  world.until(() => world.isServing(OBSERVER), 'the others have a leader');
  // Two are left, and the one that does not lead is the master.
  assert.is(
    masterOf(world),
    FOLLOWERS.find((sid) => sid !== world.leader),
  );
});

test('an observer is brought in sync by DIFF, by SNAP, and from the log', () => {
  const world = serving(1, { keptTxns: 2 });
  const howOf = () => {
    const said = FOLLOWERS.flatMap((sid) => world.member(sid).notes);
    return said
      .filter((note) => /^syncing server 4 /.test(note))
      .at(-1)
      ?.split(' by ')[1];
  };
  const client = world.client(LEADER, { timeoutMs: 20_000 });
  const awayFor = (count: number) => {
    world.crash(OBSERVER);
    for (const sid of FOLLOWERS) world.member(sid).notes.length = 0;
    for (let i = 0; i < count; i++) client.push(client.create(`/${count}-${i}`));
    world.start(OBSERVER);
    world.allServe();
    assert.is(treeOf(world, OBSERVER).digest.value, treeOf(world, LEADER).digest.value);
    return howOf();
  };
  assert.is(awayFor(1), 'DIFF');
  assert.is(awayFor(0), 'DIFF');
  assert.is(awayFor(9), 'DIFF from the log');
  for (const sid of FOLLOWERS) world.member(sid).peer.committedLog.clear();
  const { disk } = world.member(OBSERVER);
  disk.entries.length = 0;
  assert.is(awayFor(1), 'SNAP');
});

test('a log with an uncommitted txn is truncated', () => {
  const world = serving();
  const client = world.client(LEADER);
  client.push(client.create('/a'));
  for (const sid of FOLLOWERS) world.cut(LEADER, sid);
  client.push(client.create('/lost'));
  // It has a txn that only the old leader has, and returns as an observer of the others.
  const lost = world.member(LEADER).disk.entries.at(-1);
  world.crash(LEADER);
  world.crash(OBSERVER);
  if (lost !== undefined) world.member(OBSERVER).disk.entries.push(lost);
  world.heal();
  world.until(() => world.leader !== undefined, 'the others have a leader');
  world.start(OBSERVER);
  world.until(() => world.isServing(OBSERVER), 'it observes');
  assert.is(treeOf(world, OBSERVER).get('/lost'), undefined);
  assert.ok(treeOf(world, OBSERVER).get('/a'));
});

test.run();
