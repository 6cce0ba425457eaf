import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Scrollback } from '../../../src/shell/terminal/scrollback.js';

test('lines pushed before a screen exists appear on it later', async () => {
  const { scrollback, writes } = fixture();
  scrollback.push('one');
  scrollback.push('two\nthree\n');
  scrollback.push('');
  scrollback.attach((text) => writes.push(text));
  await scrollback.drained();
  assert.is(writes.join(''), 'one\ntwo\nthree\n');
});

test('a long output is written in slices of whole lines, with turns in between', async () => {
  const { scrollback, writes } = fixture();
  scrollback.attach((text) => writes.push(text));
  const lines = Array.from({ length: 100_000 }, (_, index) => `/node-${index}`).join('\n');
  scrollback.push(lines);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await scrollback.drained();
  isDone = true;
  assert.ok(writes.length > 10 && turns > writes.length / 2, `${turns} turns`);
  assert.ok(writes.every((text) => text.endsWith('\n') && text.length < 70_000));
  assert.is(writes.join(''), `${lines}\n`);
});

test('dropped lines are counted and never shown', async () => {
  const { scrollback, writes } = fixture();
  scrollback.push('a\nb\n');
  scrollback.push('c');
  assert.is(scrollback.drop(), 3);
  await scrollback.drained();
  scrollback.attach((text) => writes.push(text));
  scrollback.push('d');
  await scrollback.drained();
  assert.equal(writes, ['d\n']);
});

test('an emitter of much output waits for room', async () => {
  const { scrollback, writes } = fixture();
  await scrollback.roomy();
  scrollback.push('x'.repeat(1_000_000));
  let isRoomy = false;
  const roomy = scrollback.roomy().then(() => {
    isRoomy = true;
  });
  await Promise.resolve();
  assert.is(isRoomy, false);
  scrollback.attach((text) => writes.push(text));
  await roomy;
  assert.is(writes.join('').length, 1_000_001);
});

function fixture(): { scrollback: Scrollback; writes: string[] } {
  return { scrollback: new Scrollback(), writes: [] };
}

test.run();
