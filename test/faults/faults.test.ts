import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFaults } from './run-faults.js';

/** Of each run; `npm run faults -- --minutes N` runs longer. */
const FAULTS_MS = 12_000;

for (const size of [3, 5]) {
  test(`${size} processes that are killed, stopped and cut lose nothing and show nothing wrong`, async () => {
    const { problems, acknowledged, logs } = await runFaults({ size, seed: size, ms: FAULTS_MS });
    assert.is(problems.length, 0, `${problems.slice(0, 20).join('\n')}\n${logs()}`);
    assert.ok(acknowledged > 100, `only ${acknowledged} writes were acknowledged`);
  });
}

test.run();
