import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

/** From Debian's package prometheus. */
const PROMTOOL = 'promtool';

const lacking =
  spawnSync(PROMTOOL, ['--version']).error === undefined
    ? undefined
    : "Debian's prometheus is not installed (promtool)";
if (lacking !== undefined) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error(`ZK_ORACLE=required, but ${lacking}`);
  }
  console.log(`skipped: metrics checked by Prometheus's own tool: ${lacking}`);
}

export const hasPromtool = lacking === undefined;

/** Registers a test that needs promtool. Without it, the test counts as skipped. */
export const promtoolTest = hasPromtool ? test : test.skip;

/** The complaints of `promtool check metrics`, or "" if it accepts every line and name. */
export function promtoolComplaints(metrics: string): string {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `exit code ${status}\n${stdout}${stderr}`;
}
