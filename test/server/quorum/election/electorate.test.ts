import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Ballot,
  Ballots,
  Electorate,
  hasHistory,
  initialVote,
} from '../../../../src/server/quorum/election/fast-leader-election.js';
import type { QuorumConfig } from '../../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../../sim/shape.js';

function configOf(version: number, participants: number[], observers: number[] = []): QuorumConfig {
  const line = (role: string) => (sid: number) => `server.${sid}=h${sid}:2888:3888:${role}`;
  const lines = [...participants.map(line('participant')), ...observers.map(line('observer'))];
  return parse([...lines, `version=${version}`].join('\n'));
}

const PRESENT = configOf(5, [1, 2, 3], [4]);
const NEXT = configOf(6, [3, 4, 5]);
const both = new Electorate(PRESENT, NEXT);
const one = new Electorate(PRESENT);
const set = (...sids: number[]) => new Set(sids);

test('a proposed configuration counts only if it is newer', () => {
  for (const [next, isQuorum] of [
    [configOf(4, [3, 4, 5]), true],
    [configOf(5, [3, 4, 5]), true],
    [NEXT, false],
  ] as const) {
    assert.is(new Electorate(PRESENT, next).isQuorum(set(1, 2)), isQuorum);
  }
  assert.is(one.isQuorum(set(1, 2)), true);
});

test('a quorum and everybody are those of both configurations', () => {
  assert.equal([both.isQuorum(set(1, 3, 4)), both.isQuorum(set(3, 4, 5))], [true, false]);
  assert.equal(
    [both.isEverybody(set(1, 2, 3, 4, 5)), both.isEverybody(set(1, 2, 3, 4))],
    [true, false],
  );
  assert.equal([one.isEverybody(set(1, 2, 3)), one.isEverybody(set(1, 2, 4))], [true, false]);
  assert.equal([...both.members()].sort(), [1, 2, 3, 4, 5]);
  assert.equal([...one.members()].sort(), [1, 2, 3]);
  assert.equal(
    [1, 3, 4, 5, 6].map((sid) => both.has(sid)),
    [true, true, true, true, false],
  );
  assert.equal(
    [1, 4].map((sid) => one.has(sid)),
    [true, false],
  );
});

test('a follower that joins may complete the quorum of the proposed configuration only', () => {
  assert.is(both.isFollowing(set(1, 2, 4), 5), true);
  assert.is(both.isFollowing(set(1, 2), 5), false);
  assert.is(both.isFollowing(set(1, 4), 3), false, 'not that of the present one');
  assert.is(one.isFollowing(set(1), 2), false);
  assert.is(one.isFollowing(set(1, 2), 9), true);
});

test('a vote for a server that may not lead is never better', () => {
  const vote = (leader: number, zxid: bigint) => ({ leader, zxid, peerEpoch: 1n });
  assert.is(one.prefers(vote(2, 9n), vote(1, 8n)), true);
  assert.is(one.prefers(vote(2, 8n), vote(1, 9n)), false);
  assert.is(one.prefers(vote(4, 9n), vote(1, 8n)), false, 'an observer');
  assert.is(one.prefers(vote(1, 8n), vote(4, 9n)), true);
  assert.is(both.prefers(vote(4, 9n), vote(1, 8n)), true, 'it may lead the proposed one');
});

test('only a newer configuration of a notification counts', () => {
  assert.is(one.newerIn(one.text), undefined);
  assert.is(one.newerIn(new Electorate(configOf(5, [7, 8, 9])).text), undefined);
  assert.is(one.newerIn(new Electorate(configOf(4, [7, 8, 9])).text), undefined);
  assert.equal(one.newerIn(both.text), undefined);
  const newer = one.newerIn(new Electorate(NEXT).text);
  assert.ok(typeof newer === 'object' && newer.version === NEXT.version);
  assert.type(one.newerIn('nonsense'), 'string');
});

test('one voter of two is alone while the other is silent', () => {
  const pair = new Electorate(configOf(1, [1, 2]));
  assert.is(
    pair.isLone(1, (sid) => sid === 2),
    true,
  );
  assert.is(
    pair.isLone(1, () => false),
    false,
  );
  assert.is(
    new Electorate(configOf(1, [1, 2]), NEXT).isLone(1, () => true),
    false,
  );
});

const NO_VOTE = -(2n ** 63n);

test('a voter votes for itself at first, and others for nobody', () => {
  const candidate = { zxid: 7n, epoch: 3, isObserver: false, config: PRESENT };
  assert.equal(initialVote(candidate, 2), { leader: 2, zxid: 7n, peerEpoch: 3n });
  assert.equal(initialVote(candidate, 9), { leader: Number(NO_VOTE), zxid: 7n, peerEpoch: 3n });
  assert.equal(initialVote({ ...candidate, isObserver: true }, 4), {
    leader: Number(NO_VOTE),
    zxid: NO_VOTE,
    peerEpoch: NO_VOTE,
  });
  assert.equal(
    [-2n, -1n, 0n].map((zxid) => hasHistory({ zxid })),
    [true, false, true],
  );
});

const VOTE = { leader: 3, zxid: 7n, electionEpoch: 4n, peerEpoch: 2n };
const OTHERS = [{ leader: 2 }, { zxid: 8n }, { electionEpoch: 5n }, { peerEpoch: 1n }].map(
  (change) => ({ ...VOTE, ...change }),
);

function ballotsOf(...ballots: Ballot[]): Ballots {
  const all = new Ballots();
  ballots.forEach((ballot, at) => {
    all.set(at + 1, ballot);
  });
  return all;
}

test('votes are alike in leader, zxid, round, and epoch', () => {
  const cast = [VOTE, ...OTHERS].map((vote) => ({ vote, state: 'looking', version: 2 }) as const);
  const ballots = ballotsOf(...cast);
  assert.equal([...ballots.votingLike(VOTE)], [1]);
  assert.equal([...ballots.votingFor(VOTE)], [1, 3, 4, 5]);
  assert.equal([...ballots.agreeingInRound(VOTE)], [1]);
  ballots.delete(1);
  assert.not(ballots.has(1));
  assert.ok(ballots.has(2));
  ballots.clear();
  assert.not(ballots.has(2));
});

test('those that follow agree by their leader alone', () => {
  const cast = [VOTE, ...OTHERS].map((vote) => ({ vote, state: 'following', version: 2 }) as const);
  const ballots = ballotsOf(...cast);
  assert.equal([...ballots.agreeingInRound(VOTE)], [1, 3, 4, 5]);
  assert.equal(
    [1, 9].map((sid) => ballots.hasLeading(sid)),
    [false, false],
  );
  ballots.set(9, { vote: VOTE, state: 'leading', version: 2 });
  assert.is(ballots.hasLeading(9), true);
});

test('servers of the same leader agree in one epoch, or if just one of them sends a version', () => {
  const old = { ...VOTE, peerEpoch: 1n };
  const ballots = ballotsOf(
    { vote: VOTE, state: 'following', version: 2 },
    { vote: old, state: 'following', version: 2 },
    { vote: old, state: 'following', version: 1 },
    { vote: old, state: 'following', version: 0 },
    { vote: { ...VOTE, leader: 2 }, state: 'following', version: 2 },
  );
  const agreeing = (version: number) => [
    ...ballots.agreeingWith({ vote: VOTE, state: 'leading', version }),
  ];
  assert.equal(agreeing(2), [1, 4]);
  assert.equal(agreeing(1), [1, 4]);
  assert.equal(agreeing(0), [1, 2, 3]);
});

test.run();
