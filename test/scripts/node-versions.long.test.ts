import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

const run = promisify(execFile);

/** The newer releases of Node.js that the README names; the other tests use the installed one. */
const NEWER = [22, 24, 26];
/** Sockets, disk, threads, clients, an ensemble, and the bundles. */
const PARTS = [
  'index.test',
  'storage/compaction',
  'storage/log-disk',
  'client/session',
  'boot/start-ensemble',
  'quorum-peer',
  'cli/zksh-script',
];

const isInCI = process.env['ZK_ORACLE'] === 'required';
if (!isInCI) console.log('skipped: newer releases of Node.js: only CI downloads them');
const newerTest = isInCI ? test : test.skip;

for (const major of NEWER) {
  newerTest(`Node.js ${major} passes the tests of each part`, async () => {
    const options = { cwd: PROJECT_ROOT, maxBuffer: 1 << 24 };
    const which = ['exec', '--yes', `--package=node@${major}`, '--', 'node', '-p'];
    const found = await run('npm', [...which, "process.execPath + ' ' + process.version"], options);
    const [node = '', version = ''] = found.stdout.trim().split(' ');
    assert.match(version, new RegExp(`^v${major}\\.`));
    const { stdout } = await run(node, ['scripts/test.mjs', ...PARTS], options).catch(
      (error: { readonly stdout: string }) => error,
    );
    assert.match(stdout, / passed, 0 failed\n$/);
  });
}

test.run();
