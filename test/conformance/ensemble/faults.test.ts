import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFaults } from '../../faults/run-faults.js';
import { oracleTest } from '../../support/apache/oracle.js';

/** `npm run prove -- faults --mixed --minutes N` runs longer. */
const FAULTS_MS = 20_000;

oracleTest(
  'members that become bundled or Apache at each start lose no data under faults',
  async () => {
    const result = await runFaults({ size: 3, seed: 5, ms: FAULTS_MS, isMixed: true });
    const { problems, acknowledged, logs } = result;
    assert.is(problems.length, 0, `${problems.slice(0, 20).join('\n')}\n${logs()}`);
    assert.ok(acknowledged > 100, `only ${acknowledged} writes were acknowledged`);
  },
);

test.run();
