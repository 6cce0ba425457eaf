import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import { PROJECT_ROOT } from '../tidy/source-file.js';
import { makeTempDir } from './temp-dir.js';

const BOOT_MS = 120_000;
const SCRIPT = join(PROJECT_ROOT, 'test/support/machine/booted-systemd.sh');

/** The output of the script, which root runs under a systemd of its own. */
export function runBooted(script: string): string {
  const { path, remove } = makeTempDir('booted');
  try {
    const [file, out] = [join(path, 'try.sh'), join(path, 'out')];
    writeFileSync(file, script);
    const boot = ['bash', SCRIPT, path, PROJECT_ROOT, file];
    // All mounts and processes end with the namespaces.
    const { stdout, stderr } = spawnSync(
      'unshare',
      ['-mpfnui', '--kill-child', '--mount-proc', ...boot],
      {
        encoding: 'utf8',
        env: { ...process.env, NODE: process.execPath },
        timeout: BOOT_MS,
        killSignal: 'SIGKILL',
      },
    );
    return existsSync(out) ? readFileSync(out, 'utf8') : `${stdout}${stderr}`;
  } finally {
    remove();
  }
}

const lacking = existsSync('/lib/systemd/systemd') ? runBooted('echo booted') : 'no systemd';
const canBoot = lacking === 'booted\n';
if (!canBoot) console.log(`skipped: a booted systemd: ${lacking.trim().split('\n').at(-1)}`);

/** Registers a test that boots systemd. Without the right to do it, the test counts as skipped. */
export const bootedTest = canBoot ? test : test.skip;
