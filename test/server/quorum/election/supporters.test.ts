import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Supporters } from '../../../../src/server/quorum/election/fast-leader-election.js';
import { containsQuorum } from '../../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../../sim/shape.js';

function membershipOf(...sids: number[]) {
  const lines = sids.map((sid) => `server.${sid}=h${sid}:2888:3888`);
  const config = parse([...lines, 'version=0'].join('\n'));
  return { config, isQuorum: (some: ReadonlySet<number>) => containsQuorum(config, some) };
}

const membership = membershipOf(1, 2, 3, 4, 5);
const MAX_MS = 100;
const LATE = /^a voter sent no epoch for 100 ms and looks for a leader again$/;
const LOST = /^the voters that elected it look for a leader again$/;

function elected(...sids: number[]): Supporters {
  const supporters = new Supporters();
  supporters.begin(new Set(sids));
  return supporters;
}

function why(supporters: Supporters, waitedMs = 0, maxMs = MAX_MS): string {
  return supporters.whyLeave(membership as never, waitedMs, maxMs);
}

test('only those that elected it are its supporters', () => {
  const supporters = elected(1, 2, 3);
  assert.ok(supporters.has(3));
  assert.not(supporters.has(4));
  supporters.noteLooking(4, true);
  assert.is(supporters.departedSids.size, 0);
  assert.is(why(supporters, MAX_MS + 1), '');
});

test('it stops waiting once too many left for a quorum', () => {
  const supporters = elected(1, 2, 3, 4);
  for (const [sid, reason] of [
    [1, /^$/],
    [2, /^$/],
    [3, LOST],
  ] as const) {
    supporters.noteLooking(sid, true);
    assert.match(why(supporters), reason);
  }
  assert.equal([...supporters.departedSids], [1, 2, 3]);
  supporters.clear();
  assert.equal([...supporters.departedSids], []);
  assert.is(why(supporters), '');
});

test('of two voters, one that left is enough', () => {
  const supporters = elected(1, 2);
  supporters.noteLooking(2, true);
  assert.match(supporters.whyLeave(membershipOf(1, 2) as never, 0, MAX_MS), LOST);
});

test('those that look in the same round have not left', () => {
  const supporters = elected(1, 2, 3);
  for (const sid of [1, 2, 3]) supporters.noteLooking(sid, false);
  assert.is(supporters.departedSids.size, 0);
  assert.is(why(supporters, MAX_MS), '');
});

test('after the time limit, it stops waiting if one looks again, once for each look', () => {
  const supporters = elected(1, 2, 3);
  assert.is(why(supporters, MAX_MS + 1), '', 'nobody looks');
  supporters.noteLooking(1, false);
  assert.match(why(supporters, MAX_MS + 1), LATE);
  assert.is(why(supporters, MAX_MS + 1), '');
  supporters.noteLooking(1, false);
  assert.is(why(supporters, MAX_MS), '', 'in time');
  assert.is(why(supporters, MAX_MS + 1), '');
  supporters.noteLooking(1, false);
  supporters.clear();
  assert.is(why(supporters, MAX_MS + 1), '');
});

test('the time limit may be 0, and a negative one disables it', () => {
  const supporters = elected(1, 2, 3);
  supporters.noteLooking(1, false);
  assert.is(why(supporters, 1000, -1), '');
  supporters.noteLooking(1, false);
  assert.match(why(supporters, 1, 0), /for 0 ms/);
});

test.run();
