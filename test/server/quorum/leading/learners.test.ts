import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LearnerHandler } from '../../../../src/server/quorum/leading/learners.js';
import { Learners, STAGES } from '../../../../src/server/quorum/leading/learners.js';
import { LIMITS } from '../../../sim/nodes/peer-parts.js';

const OWN = 9;

/** The links of server 9, with learners that differ from new ones. */
function learnersOf(...changes: readonly Partial<LearnerHandler>[]): Learners {
  const peer = { sid: OWN, nowMs: 100, wallMs: 0, limits: LIMITS, note: () => undefined };
  const learners = new Learners(peer as never);
  changes.forEach((change, link) => {
    learners.open(link, `10.0.0.${link}:1`);
    // A learner goes through the stages in order, and only the last one counts here.
    const { stage: currentStage = 'new', ...others } = change;
    Object.assign(learners.get(link) ?? {}, others, { currentStage });
  });
  return learners;
}

function listed(sids: ReadonlySet<number>): string {
  return [...sids].sort((a, b) => a - b).join(' ');
}

test('followers are voters in sync, and this server', () => {
  for (const stage of STAGES) {
    const learners = learnersOf({ sid: 1, stage }, { sid: 2, stage, isObserver: true });
    const isSynced = stage === 'synced' || stage === 'active';
    assert.is(listed(learners.followers()), isSynced ? '1 9' : '9', stage);
    const isComing = isSynced || stage === 'streaming' || stage === 'syncing';
    assert.is(listed(learners.onTheWay()), isComing ? '1 9' : '9', stage);
  }
});

test('voters that said who they are since a time, or get in sync, are registered', () => {
  const learners = learnersOf(
    { sid: 1, stage: 'registered', claimedMs: 49 },
    { sid: 2, stage: 'registered', claimedMs: 50 },
    { sid: 3, stage: 'streaming', claimedMs: 10 },
    { sid: 4, stage: 'streaming', claimedMs: 60, isObserver: true },
    { sid: -1, stage: 'new', claimedMs: 60 },
    { sid: 0, stage: 'registered', claimedMs: 60 },
    { sid: 5, stage: 'active', claimedMs: 10 },
  );
  assert.is(listed(learners.registeredSince(50)), '0 2 3 5 9');
  assert.equal(
    [1, 4, 7].map((sid) => learners.isLinked(sid)),
    [true, false, false],
  );
});

test('the log must keep the txns after the earliest one that a learner has', () => {
  const needed = (...changes: readonly Partial<LearnerHandler>[]) =>
    learnersOf(...changes).neededZxid;
  const [searching, streaming] = [{ stage: 'searching' }, { stage: 'streaming' }] as const;
  assert.is(needed(), null);
  assert.is(needed({ stage: 'active', sentZxid: 3n }), null);
  assert.is(needed({ ...searching, lastZxid: 5n, sentZxid: 1n }), 5n);
  assert.is(needed({ ...streaming, lastZxid: 1n, sentZxid: 5n }), 5n);
  assert.is(needed({ stage: 'syncing', isBehind: true, lastZxid: 1n, sentZxid: 5n }), 5n);
  assert.is(needed({ ...streaming, sentZxid: 5n }, { ...streaming, sentZxid: 7n }), 5n);
  assert.is(needed({ ...streaming, sentZxid: 7n }, { ...searching, lastZxid: 5n }), 5n);
  assert.is(needed({ ...searching, lastZxid: 0n }, { ...streaming, sentZxid: 7n }), 0n);
});

test('the servers in sync are named in ascending order', () => {
  assert.is(learnersOf().inSync, 'server 9 is');
  const active = (sid: number) => ({ sid, stage: 'active' }) as const;
  assert.is(learnersOf(active(10), active(2)).inSync, 'servers 2, 9, 10 are');
});

test('learners are counted by how they got in sync', () => {
  const kinds = ['diff', 'snap', null, 'diff'] as const;
  const learners = learnersOf(...kinds.map((syncKind) => ({ syncKind })));
  assert.equal([learners.inSyncBy('diff'), learners.inSyncBy('snap')], [2, 1]);
  learners.remove(0);
  assert.is(learners.inSyncBy('diff'), 1);
});

test.run();
