// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServing, oracleTest, startOracle } from './oracle.js';

oracleTest("Apache's server starts, serves, and stops", async () => {
  const oracle = await startOracle();
  try {
    assert.ok(await isServing(oracle.port));
  } finally {
    await oracle.close();
  }
  assert.not.ok(await isServing(oracle.port));
});

test.run();
