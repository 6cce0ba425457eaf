import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { RawClient } from './support/raw-client.js';

/** A session reconnects with other timeouts: returns the negotiated ones. */
async function timeoutsOf(port: number): Promise<readonly number[]> {
  const first = await RawClient.connect(port, { timeoutMs: 10_000 });
  const given = [first.live.timeoutMs];
  let last = first;
  for (const timeoutMs of [20_000, 1, 1_000_000, 12_345]) {
    last = await RawClient.connect(port, { session: first.live, timeoutMs });
    assert.is(last.live.id, first.live.id);
    given.push(last.live.timeoutMs);
  }
  await last.close();
  return given;
}

test('a session that reconnects negotiates its timeout again', async () => {
  const server = await startBundled({ config: { tickTime: '1000' } });
  try {
    assert.equal(await timeoutsOf(server.port), [10_000, 20_000, 2000, 20_000, 12_345]);
  } finally {
    await server.close();
  }
});

oracleTest("Apache's server gives the same timeouts", async () => {
  const oracle = await startOracle({ config: { tickTime: 1000 } });
  try {
    assert.equal(await timeoutsOf(oracle.port), [10_000, 20_000, 2000, 20_000, 12_345]);
  } finally {
    await oracle.close();
  }
});

test.run();
