import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeNotification } from '../../../src/server/quorum/wire/notification.js';
import { LIMITS } from '../../sim/nodes/peer-parts.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// A leader in discovery whose voters look for a leader again (leader.maxTimeToWaitForEpoch).

/** Server 3, elected by server 2, which does not connect. */
function electedAlone(maxTimeToWaitForEpochMs: number) {
  const world = new EnsembleWorld(3, 0, { maxTimeToWaitForEpochMs });
  world.start(3);
  const { peer, notes } = world.member(3);
  const hear = (sid: number, electionEpoch: bigint): void => {
    const vote = { leader: 3, zxid: 0n, electionEpoch, peerEpoch: 0n };
    const frame = encodeNotification({ state: 'looking', vote, version: 2, config: undefined });
    peer.step({ kind: 'notified', sid, frame });
    world.settle();
  };
  hear(2, 1n);
  world.until(() => peer.role?.phase === 'discovery', 'server 3 is elected');
  const isOver = () => notes.some((note) => note.startsWith('stopped leading: '));
  return { world, hear, notes, isOver };
}

test('a voter that looks again starts the timeout', () => {
  for (const round of [1n, 0n]) {
    const { world, hear, notes, isOver } = electedAlone(2000);
    hear(2, round);
    world.pass(2000);
    hear(2, round);
    assert.not.ok(isOver(), 'not yet');
    world.pass(50);
    assert.not.ok(isOver(), 'nobody looks');
    hear(1, round);
    assert.not.ok(isOver(), 'it never voted for this server');
    hear(2, round);
    assert.ok(isOver());
    const { counters } = world.member(3).peer.view.metrics;
    assert.is(counters.quit_leading_due_to_disloyal_voter, 1);
    assert.match(
      notes.join('; '),
      /stopped leading: a voter sent no epoch for 2000 ms and looks for a leader again/,
    );
  }
});

test('without the option, the leader waits for initLimit', () => {
  const { world, hear, notes, isOver } = electedAlone(-1);
  world.pass(2050);
  hear(2, 1n);
  assert.not.ok(isOver());
  world.pass(LIMITS.initLimit * 1000);
  assert.ok(isOver());
  assert.match(notes.join('; '), /no quorum within initLimit/);
});

test('a leader with the epochs of a quorum ignores it', () => {
  const world = new EnsembleWorld(3, 0, { maxTimeToWaitForEpochMs: 0 });
  world.start(2, 3);
  world.until(() => world.leader === 3, 'server 3 leads');
  const vote = { leader: 2, zxid: 0n, electionEpoch: 1n, peerEpoch: 0n };
  const frame = encodeNotification({ state: 'looking', vote, version: 2, config: undefined });
  world.member(3).peer.step({ kind: 'notified', sid: 2, frame });
  world.pass(100);
  assert.is(world.leader, 3);
});

test.run();
