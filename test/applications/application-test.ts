import { test } from 'uvu';
import type { Application } from './application.js';

/** Registers a test of an application. If it is not installed, the test counts as skipped. */
export function applicationTest({
  name,
  source,
  version,
}: Application): typeof test | typeof test.skip {
  if (version() !== undefined) return test;
  const why = `${source} is not installed`;
  if (process.env['ZK_ORACLE'] === 'required') throw new Error(`ZK_ORACLE=required, but ${why}`);
  console.log(`skipped: ${name}: ${why}`);
  return test.skip;
}
