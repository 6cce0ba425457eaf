import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ElectionRound,
  FastLeaderElection,
} from '../../../../src/server/quorum/election/fast-leader-election.js';
import { ensembleOf, frameOf, WAITS } from '../worlds/election-world.js';

const config = ensembleOf(3);
const LAST_ROUND = 2n ** 63n - 1n;

/** Three servers whose notifications arrive at once, and an attacker who forges some. */
class Elections {
  nowMs = 0;
  readonly servers = new Map<number, FastLeaderElection>();

  look(...sids: number[]): void {
    for (const sid of sids) {
      const known = this.servers.get(sid);
      const election = known ?? new FastLeaderElection({ sid, ...WAITS }, config);
      this.servers.set(sid, election);
      election.lookForLeader({ zxid: 0n, epoch: 0, isObserver: false, config }, this.nowMs);
    }
  }

  restart(sid: number): void {
    this.servers.delete(sid);
    this.look(sid);
  }

  forge(to: number, asSid: number, electionEpoch: bigint): void {
    const frame = frameOf('looking', { leader: asSid, electionEpoch });
    this.servers.get(to)?.receive(asSid, frame, this.nowMs);
  }

  /** Delivers and lets time pass until all have the same leader, or `ms` have passed. */
  agree(ms = 20_000): number | undefined {
    const endMs = this.nowMs + ms;
    for (;;) {
      this.deliver();
      const all = [...this.servers.values()];
      const leaders = new Set(all.map(({ vote }) => vote.leader));
      if (all.every(({ state }) => state !== 'looking') && leaders.size === 1)
        return [...leaders][0];
      if (this.nowMs >= endMs) return undefined;
      this.nowMs += 50;
      for (const election of all) election.tick(this.nowMs);
    }
  }

  private deliver(): void {
    for (let isMore = true, turns = 0; isMore && turns < 1000; turns++) {
      isMore = false;
      for (const [from, election] of this.servers) {
        for (const { to, frame } of election.takeOutgoing()) {
          isMore = true;
          this.servers.get(to)?.receive(from, frame, this.nowMs);
        }
      }
    }
  }
}

for (const round of [2n ** 40n, 2n ** 62n, LAST_ROUND]) {
  test(`a forged round of ${round} blocks no election, now or later`, () => {
    const elections = new Elections();
    for (const waitMs of [0, 5000]) {
      elections.look(1, 2, 3);
      elections.nowMs += waitMs;
      for (const to of [1, 2, 3]) elections.forge(to, to === 3 ? 2 : 3, round);
      assert.is(elections.agree(), 3);
    }
    elections.look(1, 2, 3);
    assert.is(elections.agree(), 3, 'all look again');
    elections.restart(2);
    assert.is(elections.agree(), 3, 'a restarted server joins');
    elections.look(1, 3);
    elections.restart(2);
    assert.is(elections.agree(), 3, 'a restarted server and the others elect');
  });
}

test('a server that keeps a far round, as Apache’s does, is joined there after a wait', () => {
  const [high] = [LAST_ROUND - 5n];
  const elections = new Elections();
  elections.look(1);
  const { servers } = elections;
  const own = servers.get(1);
  for (; own?.state === 'looking' && elections.nowMs < 10_000; elections.nowMs += 50) {
    // It answers a vote of an earlier round with its own.
    for (const { to } of own.takeOutgoing()) if (to === 3) elections.forge(1, 3, high);
    own.tick(elections.nowMs);
  }
  assert.is(own?.state, 'following');
  assert.is(own?.vote.electionEpoch, high);
  elections.look(1);
  assert.is(own?.vote.electionEpoch, 1n, 'the next election counts from the start');
});

test('a vote of a far round gets no response, so that two servers do not respond to each other forever', () => {
  const elections = new Elections();
  elections.look(1);
  elections.servers.get(1)?.takeOutgoing();
  elections.forge(1, 3, LAST_ROUND);
  assert.equal(elections.servers.get(1)?.takeOutgoing(), []);
});

test('a flood of ever later rounds does not prevent an agreement', () => {
  const elections = new Elections();
  elections.look(1, 2, 3);
  for (let round = 2n; round < 1000n; round++) elections.forge(1, 2, round);
  assert.is(elections.servers.get(1)?.vote.electionEpoch, 17n);
  assert.is(elections.agree(), 3);
});

test('a round follows a small jump at once and a far one after a wait, and never overflows', () => {
  const round = new ElectionRound();
  round.next(0);
  assert.ok(round.follow(2n ** 32n, 0));
  assert.not.ok(round.follow(2n ** 34n, 1999));
  assert.ok(round.follow(LAST_ROUND, 2000));
  round.next(3000);
  assert.is(round.value, 1n);
  round.join(-5n);
  round.next(4000);
  assert.is(round.value, 1n);
});

test.run();
