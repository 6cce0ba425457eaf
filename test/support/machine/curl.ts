import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

const lacking =
  spawnSync('curl', ['--version']).error === undefined ? undefined : 'curl is not installed';
if (lacking !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: examples with curl: ${lacking}`);
}

/** Registers a test that needs curl; without it the test counts as skipped. */
export const curlTest = lacking === undefined ? test : test.skip;
