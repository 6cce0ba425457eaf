import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFaults } from './run-faults.js';

/** The time of each run; `npm run prove -- faults --minutes N` runs longer. */
const FAULTS_MS = 12_000;

for (const size of [3, 5]) {
  test(`${size} processes lose no data and show no anomaly when killed, stopped, and cut off`, async () => {
    const result = await runFaults({ size, seed: size, ms: FAULTS_MS });
    const { problems, acknowledged, multis, refusals, holds, logs } = result;
    assert.is(problems.length, 0, `${problems.slice(0, 20).join('\n')}\n${logs()}`);
    assert.ok(acknowledged > 100, `only ${acknowledged} writes were acknowledged`);
    const tried = `${multis} multis, ${refusals} refused, ${holds} holds`;
    assert.ok(multis > 10 && refusals > 10 && holds > 1, `too few were tried: ${tried}`);
  });
}

test.run();
