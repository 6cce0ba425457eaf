import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LogReads } from '../../../../src/server/node/storage/log-reads.js';

test('a log that cannot be searched has no place for a learner', async () => {
  for (const [isSettled, warnings] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const warned: string[] = [];
    const reads = new LogReads({
      dir: {} as never,
      untilSettled: async () => isSettled,
      onWarning: (message) => warned.push(message),
    });
    const place = await new Promise((resolve) => {
      reads.search({ after: 1n, until: 5n }, 1, resolve);
    });
    assert.is(place, null);
    assert.is(warned.length, warnings);
  }
});

test.run();
