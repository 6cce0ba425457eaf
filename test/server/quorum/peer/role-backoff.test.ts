import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RoleBackoff } from '../../../../src/server/quorum/peer/observer-masters.js';
import { LIMITS } from '../../../sim/nodes/peer-parts.js';
import { EnsembleWorld } from '../worlds/ensemble-world.js';

const VOTERS = [1, 2, 3];

test('a pause is a random part of the maximum, and 0 if that is 0', () => {
  const limits = { ...LIMITS, observerReconnectDelayMs: 100, observerElectionDelayMs: 0 };
  const found = new Set<number>();
  for (let seed = 0; seed < 50; seed++) {
    const pauses = new RoleBackoff(limits, seed);
    const pauseMs = pauses.connectMs(true);
    assert.ok(pauseMs >= 0 && pauseMs < 100, `${pauseMs} of seed ${seed}`);
    found.add(pauseMs);
    assert.is(pauses.connectMs(false), 0);
    pauses.begin('observing', 7);
    assert.ok(pauses.isOver(7));
    assert.is(pauses.nextWakeMs(7), Number.POSITIVE_INFINITY);
  }
  assert.ok(found.size > 10, `only ${[...found].join(', ')}`);
});

test('a pause follows a role that ends before it serves, except the first two', () => {
  const pauses = new RoleBackoff({ ...LIMITS, tickTimeMs: 1000, observerElectionDelayMs: 0 }, 1);
  const pauseMs = (): number => {
    pauses.begin('following', 7000);
    const wakeMs = pauses.nextWakeMs(7000);
    return Number.isFinite(wakeMs) ? wakeMs - 7000 : 0;
  };
  assert.equal(Array.from({ length: 8 }, pauseMs), [0, 0, 50, 100, 200, 400, 500, 500]);
  pauses.served();
  assert.equal(Array.from({ length: 3 }, pauseMs), [0, 0, 50]);
});

test('a server that no leader can accept tries at growing intervals, and joins when one can', () => {
  const world = new EnsembleWorld(3);
  world.start(1, 2);
  world.until(() => world.isServing(1) && world.isServing(2), 'two members serve');
  // As with the data of another ensemble.
  world.member(3).disk.acceptedEpoch = 3;
  world.start(3);
  world.pass(20_000);
  const ends = world.member(3).notes.filter((note) => note.startsWith('stopped '));
  assert.match(ends[0] ?? '', /its epoch 1 is older than the accepted epoch 3/);
  assert.ok(ends.length > 10 && ends.length < 60, `${ends.length} times in 20 s`);
  assert.ok(world.isServing(1) && world.isServing(2));
  world.crash(2);
  world.until(() => world.isServing(1) && world.isServing(3), 'the others agree on a newer epoch');
});

test('an observer whose leader crashed looks again after a delay (observer.election.DelayMs)', () => {
  const world = new EnsembleWorld(3, 1, { observerElectionDelayMs: 20_000 });
  world.start();
  world.allServe();
  world.crash(3);
  const { peer } = world.member(4);
  world.until(() => world.leader === 2 && world.isServing(1), 'the voters have a leader');
  assert.is(peer.role, null);
  assert.ok(Number.isFinite(peer.nextWakeMs), 'it requests a timer');
  world.until(() => world.isServing(4), 'the observer joins');
});

test('an observer connects after a delay (observer.reconnectDelayMs), and does not count as silent', () => {
  const world = new EnsembleWorld(3, 1, { observerReconnectDelayMs: 50_000 });
  world.start();
  world.until(() => VOTERS.every((sid) => world.isServing(sid)), 'the voters serve');
  const { peer, notes } = world.member(4);
  world.until(() => peer.role !== null, 'it knows who leads');
  world.pass(1000);
  assert.not(world.isServing(4));
  world.until(() => world.isServing(4), 'the observer joins');
  assert.not.match(notes.join('\n'), /^stopped /m);
});

for (const [kind, option] of [
  // The keys leader.maxConcurrentSnapSyncs and leader.maxConcurrentDiffSyncs.
  ['SNAP', 'maxConcurrentSnapSyncs'],
  ['DIFF', 'maxConcurrentDiffSyncs'],
] as const) {
  test(`while a ${kind} is in progress, an observer is refused, but a follower is accepted`, () => {
    const pauses = { observerElectionDelayMs: 200 };
    const world = new EnsembleWorld(3, 2, { [option]: 1, ...pauses, maxLogBytes: -1 });
    world.start();
    world.allServe();
    const client = world.client(2);
    for (const sid of [1, 4, 5]) world.crash(sid);
    client.push(client.create('/a'));
    assert.equal(client.take(), ['connected', 'create ok']);
    const { peer, notes } = world.member(3);
    if (kind === 'SNAP') peer.committedLog.clear();
    const { disk } = world.member(4);
    world.member(4).isDiskHeld = true;
    const isUnderWay = () => new RegExp(`server 4 .*by ${kind}$`, 'm').test(notes.join('\n'));
    notes.length = 0;
    world.start(4);
    for (let i = 0; i < 5 && !isUnderWay(); i++) {
      disk.work.shift()?.();
      world.settle();
    }
    assert.ok(isUnderWay(), notes.join('\n'));
    world.start(5);
    world.until(() => notes.join('\n').includes(`(leader.${option})`), '5 is refused');
    world.start(1);
    world.until(() => world.isServing(1), 'the follower is accepted');
    assert.not(world.isServing(5));
    world.member(4).isDiskHeld = false;
    world.allServe();
  });
}

test.run();
