import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Event } from './history.js';
import { parseEvent } from './history.js';
import { isWorse, judgeCounter, judgeHolds, judgeItems, longestPauseMs } from './judges.js';

const hold = (begin: number, end: number, what = 'lock'): Event => ({
  op: 'hold',
  what,
  begin,
  end,
  at: end,
});
const put = (item: string, isSure = true): Event => ({
  op: 'put',
  what: 'queue',
  item,
  isSure,
  at: 0,
});
const gone = (item: string, isSure = true): Event =>
  ({ ...put(item, isSure), op: 'gone' }) as Event;
const done = (item: string): Event => ({ op: 'done', what: 'queue', item, at: 0 });
const add = (isSure = true): Event => ({ op: 'add', what: 'counter', isSure, at: 0 });
const value = (value: number, what = 'counter'): Event => ({ op: 'value', what, value });

test('one holder after the other passes, also of two locks', () => {
  assert.equal(judgeHolds([hold(1, 2), hold(2, 3), hold(1, 3, 'other')], 'lock'), []);
});

test('two holders at once are found, in any order of the lines', () => {
  const found = ['lock: 2 holders at 3.000 (limit 1)'];
  assert.equal(judgeHolds([hold(3, 5), hold(1, 4)], 'lock'), found);
  assert.equal(judgeHolds([hold(1, 9), hold(2, 3), hold(3, 4)], 'lock').length, 2);
});

test('a semaphore has as many holders as its limit', () => {
  assert.equal(judgeHolds([hold(1, 4), hold(2, 5)], 'lock', 2), []);
  const found = ['lock: 3 holders at 3.000 (limit 2)'];
  assert.equal(judgeHolds([hold(1, 4), hold(2, 5), hold(3, 6)], 'lock', 2), found);
});

test('an acknowledged item that is gone is lost, an unanswered one is not', () => {
  const history = [put('a'), put('b'), put('c', false), done('a')];
  assert.equal(judgeItems(history, 'queue'), ['queue: b is lost']);
  assert.equal(judgeItems([put('a'), put('c', false), done('a'), done('c')], 'queue'), []);
});

test('a deleted item that is there is back, also if its writer got no answer', () => {
  const found = ['queue: a is back'];
  assert.equal(judgeItems([put('a'), gone('a'), done('a')], 'queue'), found);
  assert.equal(judgeItems([put('a', false), gone('a'), done('a')], 'queue'), found);
  const unsure = [put('a'), gone('a', false)];
  assert.equal(judgeItems(unsure, 'queue'), []);
  assert.equal(judgeItems([...unsure, done('a')], 'queue'), []);
});

test('an item that nobody wrote is found', () => {
  assert.equal(judgeItems([done('a')], 'queue'), ['queue: nobody wrote a']);
});

test('an item may be there twice only after a retry', () => {
  const history = [put('a'), done('a'), done('a')];
  assert.equal(judgeItems(history, 'queue'), ['queue: 1 items twice (limit 0)']);
  assert.equal(judgeItems(history, 'queue', 1), []);
});

test('a counter is exact but for additions without an answer', () => {
  const adds = [add(), add(), add(false)];
  assert.equal(judgeCounter([...adds, value(2)], 'counter'), []);
  assert.equal(judgeCounter([...adds, value(3)], 'counter'), []);
  const wrong = (count: number) => [`counter: the value is ${count} (expected 2 to 3)`];
  assert.equal(judgeCounter([...adds, value(1)], 'counter'), wrong(1));
  assert.equal(judgeCounter([...adds, value(4)], 'counter'), wrong(4));
  assert.equal(judgeCounter([...adds, value(4)], 'counter', 1), []);
  assert.equal(judgeCounter(adds, 'counter'), ['counter: nobody read its value']);
});

test('holders of a lock count themselves', () => {
  const history = [hold(1, 2), hold(2, 3)];
  const found = ['lock: the value is 1 (expected 2 to 2)'];
  assert.equal(judgeCounter([...history, value(1, 'lock')], 'lock'), found);
  assert.equal(judgeCounter([...history, value(2, 'lock')], 'lock'), []);
});

test('the longest pause is between neighbors in time', () => {
  assert.is(longestPauseMs([10, 1, 4]), 6);
  assert.is(longestPauseMs([]), 0);
});

test('a duration is worse only beyond the noise', () => {
  assert.ok(isWorse(9000, 4000));
  assert.not(isWorse(4000, 2000));
});

test('other lines are skipped', () => {
  assert.equal(parseEvent('WARN {"op"'), []);
  assert.equal(parseEvent('{"op":"suspended","at":1}'), [{ op: 'suspended', at: 1 }]);
});

test.run();
