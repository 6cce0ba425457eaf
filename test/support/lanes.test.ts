import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lanes } from './lanes.js';

test('a few jobs run at once, and each test has its own outcome', async () => {
  const lanes = new Lanes<number[]>(2);
  let running = 0;
  let most = 0;
  const tests = [0, 1, 2, 3, 4].map((job) =>
    lanes.use(async (log) => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      log.push(job);
      if (job === 1) throw new Error('job 1');
    }),
  );
  const log: number[] = [];
  const outcomes = await Promise.allSettled(tests.map((run) => run(log)));
  assert.equal(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  assert.equal(log, [0, 1, 2, 3, 4]);
  assert.is(most, 2);
});

test.run();
