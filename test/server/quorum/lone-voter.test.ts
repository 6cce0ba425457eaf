import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLink } from './worlds/hand-link.js';

// One of two voters, with the file of oraclePath: when it continues alone, and when it must not.

/** Two voters; 2 leads. The files say nothing but "no" unless a test changes it. */
function pair(observers = 0): EnsembleWorld {
  const world = new EnsembleWorld(2, observers, { hasOracle: true });
  world.start();
  world.allServe();
  assert.is(world.leader, 2);
  return world;
}

function lastNote(world: EnsembleWorld, sid: number): string {
  return world.member(sid).notes.findLast((note) => note.startsWith('stopped')) ?? '';
}

function has(world: EnsembleWorld, sid: number, path: string): boolean {
  return world.member(sid).peer.data.tree.get(path) !== undefined;
}

function isLinked(world: EnsembleWorld): boolean {
  const { role } = world.member(2).peer;
  return role instanceof Leader && role.learners.isLinked(1);
}

test('without oraclePath, a leader without its follower steps down and asks nobody', () => {
  const world = new EnsembleWorld(2);
  world.start();
  world.allServe();
  for (const sid of [1, 2]) world.member(sid).disk.oracle = true;
  world.crash(1);
  world.pass(2000);
  assert.is(lastNote(world, 2), 'stopped leading: lost the quorum: only server 2 is in sync');
  world.pass(30_000);
  assert.is(world.leader, undefined);
});

test('a leader continues while its file says 1, with the txns that waited for the follower', () => {
  const world = pair();
  world.member(2).disk.oracle = true;
  const client = world.client(2);
  world.member(1).isDiskHeld = true;
  client.push(client.create('/waits'));
  assert.equal(client.take(), ['connected'], 'the follower has not acked it');
  world.crash(1);
  world.member(1).isDiskHeld = false;
  assert.equal(client.take(), ['create ok']);
  client.push(client.create('/alone'));
  client.push(client.request(OpCode.sync, { path: '/' }));
  assert.equal(client.take(), ['create ok', 'sync ok']);
  world.pass(30_000);
  assert.is(world.leader, 2);
  assert.match(world.member(2).notes.join('; '), /the oracle lets this server lead alone/);

  world.member(1).disk.oracle = false;
  world.start(1);
  world.until(() => world.isServing(1), 'the follower is back');
  assert.ok(has(world, 1, '/waits') && has(world, 1, '/alone'));
  assert.match(world.member(2).notes.join('; '), /the other voter is back/);
  world.member(2).disk.oracle = false;
  const late = world.client(2);
  late.push(late.create('/together'));
  assert.equal(late.take(), ['connected', 'create ok'], 'now the acks of both count');
});

test('while both are in sync, the oracle excuses nobody', () => {
  const world = pair();
  for (const sid of [1, 2]) world.member(sid).disk.oracle = true;
  const client = world.client(2);
  world.member(1).isDiskHeld = true;
  client.push(client.create('/waits'));
  world.pass(2000);
  assert.equal(client.take(), ['connected']);
  world.member(1).isDiskHeld = false;
  world.settle();
  assert.equal(client.take(), ['create ok']);
});

for (const [says, reason] of [
  [false, 'the oracle does not let it lead alone'],
  [null, 'the oracle gave no answer for a tick'],
] as const) {
  test(`a leader steps down if ${reason}`, () => {
    const world = pair();
    world.member(2).disk.oracle = says;
    const client = world.client(2);
    world.crash(1);
    client.push(client.create('/not-acked'));
    world.pass(3000);
    assert.equal(client.take(), ['connected', 'closed']);
    assert.ok(lastNote(world, 2).endsWith(`only server 2 is in sync, and ${reason}`));
    assert.ok(client.isClosed);
  });
}

test('a leader that went on alone steps down when its file changes to 0', () => {
  const world = pair();
  world.member(2).disk.oracle = true;
  world.crash(1);
  world.pass(5000);
  assert.is(world.leader, 2);
  world.member(2).disk.oracle = false;
  world.pass(1000);
  assert.is(world.leader, undefined);
});

test('a lone voter elects itself once its file says 1, and not before', () => {
  const world = pair();
  const client = world.client(1);
  client.push(client.create('/before'));
  assert.equal(client.take(), ['connected', 'create ok']);
  world.crash(2);
  world.pass(20_000);
  assert.is(world.leader, undefined);
  world.member(1).disk.oracle = true;
  world.until(() => world.leader === 1, 'it leads alone');
  const next = world.client(1);
  next.push(next.create('/alone'));
  assert.equal(next.take(), ['connected', 'create ok']);

  // Its own file says 0, so it follows the other, which no quorum follows.
  world.start(2);
  world.until(() => world.isServing(2), 'the old leader follows');
  assert.is(world.leader, 1);
  assert.ok(has(world, 2, '/before') && has(world, 2, '/alone'));
});

test('a leader that the oracle does not let establish its epoch asks twice a tick, no more', () => {
  const world = pair();
  const { disk, peer } = world.member(1);
  world.crash(2);
  disk.oracle = true;
  let asked = 0;
  const emit = peer.emit.bind(peer);
  peer.emit = (effect) => {
    if (effect.kind === 'ask-oracle' && peer.role instanceof Leader) {
      disk.oracle = false;
      // One that asks without a pause must fail here.
      if (++asked > 1000) throw new Error('it asks again and again');
    }
    emit(effect);
  };
  world.until(() => asked > 0, 'it was elected, and asked');
  asked = 0;
  const { tickTimeMs } = peer.limits;
  world.pass(2 * tickTimeMs);
  assert.ok(peer.role instanceof Leader, world.describe());
  assert.is(asked, 4);
});

test('a voter that hears the other does not lead alone, whatever its file says', () => {
  const world = pair();
  world.member(2).disk.oracle = true;
  world.crash(1);
  world.pass(3000);
  world.member(1).disk.oracle = true;
  world.start(1);
  world.pass(10_000);
  assert.is(world.leader, 2);
  assert.not.ok(world.isServing(1), 'it may not follow either: only one file may say 1');
  world.member(1).disk.oracle = false;
  world.allServe();
  assert.is(world.leader, 2);
});

test('an answer about the time before the other voter came back decides nothing', () => {
  const world = pair();
  const client = world.client(2);
  const { peer, disk } = world.member(2);
  const questions: number[] = [];
  const emit = peer.emit.bind(peer);
  peer.emit = (effect) => {
    if (effect.kind === 'ask-oracle') questions.push(effect.question);
    emit(effect);
  };
  disk.oracle = null;
  world.crash(1);
  client.push(client.create('/in-doubt'));
  assert.is(questions.length, 1);
  world.member(1).isDiskHeld = true;
  world.start(1);
  world.until(() => questions.length === 1 && isLinked(world), 'it is back');
  world.crash(1);
  client.push(client.create('/in-doubt-too'));
  assert.is(questions.length, 2);
  const say = (question = 0) => {
    peer.step({ kind: 'oracle-said', question, isGranted: true });
    world.settle();
  };
  say(questions[0]);
  assert.equal(client.take(), ['connected']);
  say(questions[1]);
  assert.equal(client.take(), ['create ok', 'create ok']);
});

test('a leader without its follower waits for one that said who it is, up to initLimit', () => {
  const world = pair();
  world.crash(1);
  const link = new HandLink(world, 2);
  link.introduce(1);
  world.pass(2000);
  assert.is(world.leader, 2, world.describe());
  world.pass(30_000);
  assert.match(lastNote(world, 2), /no voter is about to be in sync|only server 2 is in sync/);
});

test('three voters have no oracle', () => {
  const world = new EnsembleWorld(3, 0, { hasOracle: true });
  for (const sid of [1, 2, 3]) world.member(sid).disk.oracle = true;
  world.start();
  world.allServe();
  world.crash(1);
  world.crash(2);
  world.pass(30_000);
  assert.is(world.leader, undefined);
});

test('an observer finds a leader that leads alone', () => {
  const world = pair(1);
  world.member(2).disk.oracle = true;
  world.crash(1);
  world.crash(3);
  world.pass(2000);
  world.start(3);
  world.until(() => world.isServing(3), 'it observes');
  assert.is(world.member(3).peer.role?.kind, 'observing');
});

test('a leader without its follower adds a third voter, and then needs no oracle', () => {
  const world = new EnsembleWorld(3, 0, { initial: 2, hasOracle: true });
  for (const sid of [1, 2, 3]) world.member(sid).disk.oracle = sid === 2;
  world.start();
  world.allServe();
  assert.is(world.leader, 2);
  world.crash(1);
  world.pass(2000);
  const client = world.client(2);
  const reconfig = (joiningServers: string | null, leavingServers: string | null): string[] => {
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
    return client.take();
  };
  assert.equal(reconfig(null, '1'), ['connected', 'reconfig BADARGUMENTS'], 'one voter is too few');
  const joiner = 'server.3=127.0.0.3:2002:3002:participant;4002';
  assert.equal(reconfig(joiner, null), ['reconfig ok']);
  world.member(2).disk.oracle = false;
  world.pass(10_000);
  assert.is(world.leader, 2, world.describe());
  assert.is(world.member(2).notes.filter((note) => /voter is back/.test(note)).length, 1);
  const late = world.client(2);
  late.push(late.create('/of-two'));
  assert.equal(late.take(), ['connected', 'create ok']);
});

test.run();
