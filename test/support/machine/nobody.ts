import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import { PROJECT_ROOT } from '../tidy/source-file.js';

/** No entry of /etc/passwd has this id. */
const ID = '54321';

/** Arguments of setpriv for a user without an entry in /etc/passwd. */
export const AS_NOBODY = ['--reuid', ID, '--regid', ID, '--clear-groups'];

const program = join(PROJECT_ROOT, 'dist/bin/zksh.cjs');
const canSwitch = spawnSync('setpriv', [...AS_NOBODY, 'head', '-c1', program]).status === 0;
if (!canSwitch) {
  console.log('skipped: a user without an entry in /etc/passwd: needs root and a readable dist');
}

/** Registers a test that runs the programs as such a user. Without the right, it is skipped. */
export const nobodyTest = canSwitch ? test : test.skip;
