import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LoadProgress } from '../../../../src/server/node/storage/load-progress.js';

function within(total: number) {
  const told: number[] = [];
  let nowMs = 5000;
  const progress = new LoadProgress(
    total,
    (percent) => told.push(percent),
    () => nowMs,
  );
  const read = (bytes: number, ms: number): void => {
    nowMs += ms;
    progress.read(bytes);
  };
  return { told, read };
}

test('it reports once a second, and nothing of a short start', () => {
  const { told, read } = within(1000);
  for (let i = 0; i < 9; i++) read(10, 111);
  assert.equal(told, []);
  read(10, 1);
  assert.equal(told, [10]);
  read(100, 999);
  assert.equal(told, [10]);
  read(100, 1);
  assert.equal(told, [10, 30]);
});

test('a start that reads more than it expected is not over before its end', () => {
  const { told, read } = within(1000);
  read(5000, 1000);
  assert.equal(told, [99]);
  const none = within(0);
  none.read(1, 1000);
  assert.equal(none.told, [99]);
});

test.run();
