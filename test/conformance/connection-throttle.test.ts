/**
 * The connection throttle of a whole server: when the bucket is empty, a new connection is closed.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { RawClient } from './support/raw-client.js';

const CONFIG = { connection_throttle_tokens: '2', connection_throttle_fill_time: '3600000' };

async function play(port: number): Promise<string[]> {
  const seen: string[] = [];
  for (let i = 0; i < 4; i++) {
    const client = await RawClient.connect(port);
    seen.push(client.session === undefined ? 'closed' : 'session');
    await client.drop();
  }
  return seen;
}

const EXPECTED = ['session', 'session', 'closed', 'closed'];

test('two tokens accept two sessions', async () => {
  const server = await startBundled({ config: CONFIG });
  try {
    assert.equal(await play(server.port), EXPECTED);
  } finally {
    await server.close();
  }
});

oracleTest('Apache accepts the same number', async () => {
  const oracle = await startOracle({ config: CONFIG });
  try {
    assert.equal(await play(oracle.port), EXPECTED);
  } finally {
    await oracle.close();
  }
});

test.run();
