/** Programs of a user without an entry in /etc/passwd, as in containers and units of systemd. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AS_NOBODY, nobodyTest } from '../../support/machine/nobody.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { PROJECT_ROOT, readSources } from '../../support/tidy/source-file.js';

/** These catch the error of a user without an entry. */
const CAREFUL = ['src/commands/program/home-folder.ts', 'src/server/node/log/server-user.ts'];

test('only careful files ask for the home or the entry of the user', () => {
  const users = readSources('src').filter(({ code }) => /\b(homedir|userInfo)\(/.test(code));
  assert.equal(users.map(({ path }) => path).sort(), CAREFUL);
});

nobodyTest('every program runs for a user without an entry and without a home', () => {
  const { path, remove } = makeTempDir('user');
  chmodSync(path, 0o777);
  try {
    for (const args of [
      ['zksh', '--embedded', '-c', 'ls /'],
      ['zksh', '--profile', 'none', '-c', 'ls /'],
      ['zkops', 'ruok', '--servers', '127.0.0.1:1', '--timeout', '100ms'],
      ['zkops', '__complete', 'zkops', '--profile', ''],
      ['zkserver', 'init', join(path, 'server')],
    ]) {
      const [name = '', ...rest] = args;
      const script = join(PROJECT_ROOT, 'dist/bin', `${name}.cjs`);
      const { stdout, stderr } = spawnSync(
        'setpriv',
        [...AS_NOBODY, process.execPath, script, ...rest],
        {
          cwd: path,
          env: { PATH: process.env['PATH'] },
          encoding: 'utf8',
        },
      );
      assert.not.match(stdout + stderr, /uv_os|internal error|SystemError| {4}at /, args.join(' '));
    }
  } finally {
    remove();
  }
});

test.run();
