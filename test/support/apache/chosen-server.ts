import { test } from 'uvu';
import { startBundled } from '../bundled.js';
import { SharedByTests } from '../shared-by-tests.js';
import { oracleTest, startOracle } from './oracle.js';

/** `npm run conformance` runs these tests against Apache's server, `npm test` against ours. */
const isApache = process.env['TEST_SERVER'] === 'apache';

/** Registers a test that uses the chosen server. */
export const chosenTest = isApache ? oracleTest : test;

/** One server of that kind for the tests of a file. */
export function sharedServer(): SharedByTests<{ readonly port: number; close(): Promise<void> }> {
  return new SharedByTests(async () => (isApache ? startOracle() : startBundled()));
}
