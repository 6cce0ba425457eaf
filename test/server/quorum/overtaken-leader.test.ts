import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLink } from './worlds/hand-link.js';

// A member that tried to lead and accepted an epoch cannot follow a leader of an older epoch.

/** Server 1 returns with an epoch one ahead of that of the leader, server 3. */
function overtaken(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start(1, 2, 3);
  world.allServe();
  world.crash(1);
  world.member(1).disk.acceptedEpoch = world.member(3).peer.currentEpoch + 1;
  world.start(1);
  return world;
}

test('a leader ends for a voter with a newer epoch, so that all serve again', () => {
  const world = overtaken();
  world.pass(110_000);
  world.allServe();
  assert.match(
    world.member(3).notes.join('; '),
    /server 1 accepted epoch 2 and cannot follow epoch/,
  );
});

test('it does not end at once, whatever another server claims', () => {
  const world = overtaken();
  const { currentEpoch } = world.member(3).peer;
  world.pass(50_000);
  assert.is(world.leader, 3);
  assert.is(world.member(3).peer.currentEpoch, currentEpoch);
  assert.not.ok(world.isServing(1));
});

for (const [who, isUp, remote] of [
  ['a voter that serves', true, undefined],
  ['an absent voter, from an address that is not its own', false, '10.0.0.9:4567'],
] as const) {
  test(`a stranger that claims to be ${who} does not end the leader`, () => {
    const world = new EnsembleWorld(3);
    world.start(1, 2, 3);
    world.allServe();
    if (!isUp) world.crash(1);
    world.pass(101_000);
    const { currentEpoch } = world.member(3).peer;
    new HandLink(world, 3, remote).introduce(1, PacketType.FOLLOWERINFO, currentEpoch + 1);
    world.pass(5_000);
    assert.is(world.leader, 3);
    assert.is(world.member(3).peer.currentEpoch, currentEpoch);
    assert.ok(world.isServing(2));
  });
}

test.run();
