import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  containsExcusedQuorum,
  NOBODY,
} from '../../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../../sim/shape.js';

/** The subsets of the servers 1 to 4 that suffice while the oracle excuses `excused`. */
function quorumsOf(lines: string, excused: readonly number[]): string {
  const config = parse(`${lines}\nversion=0`);
  const found: string[] = [];
  for (let bits = 0; bits < 16; bits++) {
    const sids = [1, 2, 3, 4].filter((_, at) => (bits & (1 << at)) !== 0);
    const isExcused = (sid: number) => excused.includes(sid);
    if (containsExcusedQuorum(config, new Set(sids), isExcused)) found.push(sids.join(''));
  }
  return found.join(' ');
}

function servers(count: number, role = 'participant'): string {
  const sids = Array.from({ length: count }, (_, at) => at + 1);
  return sids.map((sid) => `server.${sid}=h${sid}:2888:3888:${role}`).join('\n');
}

const PAIR = servers(2);

test('one of two voters suffices while the other is excused', () => {
  assert.is(quorumsOf(PAIR, []), '12 123 124 1234');
  assert.is(quorumsOf(PAIR, [2]), '1 12 13 123 14 124 134 1234');
  assert.is(quorumsOf(PAIR, [1]), '2 12 23 123 24 124 234 1234');
  assert.is(quorumsOf(PAIR, [1, 2]), '1 2 12 13 23 123 14 24 124 134 234 1234');
  assert.is(quorumsOf(PAIR, [3, 4]), quorumsOf(PAIR, []));
});

test('observers do not count, and excuse nobody', () => {
  const observed = `${PAIR}\nserver.3=h3:2888:3888:observer\nserver.4=h4:2888:3888:observer`;
  assert.is(quorumsOf(observed, []), quorumsOf(PAIR, []));
  assert.is(quorumsOf(observed, [2]), quorumsOf(PAIR, [2]));
});

test('no other ensemble has an oracle', () => {
  for (const count of [1, 3, 4]) {
    const lines = servers(count);
    assert.is(quorumsOf(lines, [1, 2, 3, 4]), quorumsOf(lines, []), `${count} voters`);
  }
  const groups = `${PAIR}\ngroup.1=1:2\nweight.1=1\nweight.2=1`;
  assert.is(quorumsOf(groups, [1, 2]), quorumsOf(groups, []));
});

test('by default nobody is excused', () => {
  for (const sid of [0, 1, 2]) assert.not(NOBODY(sid));
});

test.run();
