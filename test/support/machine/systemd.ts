import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

/** From Debian's package systemd. It needs no running systemd. */
export const ANALYZE = 'systemd-analyze';

const hasSystemd = spawnSync(ANALYZE, ['--version']).status === 0;
if (!hasSystemd) {
  if (process.env['ZK_ORACLE'] === 'required') {
    throw new Error("ZK_ORACLE=required, but Debian's systemd is not installed");
  }
  console.log("skipped: units checked by systemd-analyze: Debian's systemd is not installed");
}
/** Registers a test that needs systemd-analyze. Without it, the test counts as skipped. */
export const systemdTest = hasSystemd ? test : test.skip;
