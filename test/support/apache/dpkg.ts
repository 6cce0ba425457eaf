import { spawnSync } from 'node:child_process';
import { test } from 'uvu';

const hasDpkg = spawnSync('dpkg-deb', ['--version']).status === 0;
if (!hasDpkg) console.log('skipped: the Debian package: dpkg-deb is not installed');
/** Registers a test that needs dpkg-deb. Without it, the test counts as skipped. */
export const debTest = hasDpkg ? test : test.skip;
