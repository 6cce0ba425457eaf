/** A server under a user id without an entry in /etc/passwd, as containers may have. */
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { runZkserver } from '../support/bundled.js';
import { namespaceTest } from '../support/machine/namespaces.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';
import { waitFor } from '../support/wait-for.js';

namespaceTest('a server needs no name for its user', async () => {
  const home = makeTempDir('user');
  const options = ['zookeeper.admin.enableServer=false', 'zookeeper.4lw.commands.whitelist=*'];
  const server = runZkserver(
    ['start-foreground', '0', join(home.path, 'data'), ...options.flatMap((one) => ['-D', one])],
    ['unshare', '--map-user=54321'],
  );
  try {
    const [, port] = await waitFor('the server to serve', () => {
      if (server.process.exitCode !== null) throw new Error(server.output());
      return /serving on .*:(\d+),/.exec(server.output());
    });
    const envi = `${await askWord({ host: '127.0.0.1', port: Number(port) }, 'envi')}`;
    assert.match(envi, /^user\.name=\?$/m);
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

const BUNDLE = join(PROJECT_ROOT, 'dist/bin/zkserver.cjs');

/** Runs a command of zkserver as the user nobody. */
const runAsNobody = (args: readonly string[]) =>
  spawnSync(
    'setpriv',
    [
      ...['--reuid=65534', '--regid=65534', '--clear-groups'],
      ...[process.execPath, BUNDLE, ...args],
    ],
    { encoding: 'utf8' },
  );

namespaceTest('a snapshot of root is forbidden, and not damaged, to the user of the server', () => {
  const home = makeTempDir('owner');
  const folder = join(home.path, 'zk');
  chmodSync(home.path, 0o755);
  const data = join(folder, 'data');
  const run = (...args: string[]) => {
    const words = [...args, '0', data, '-D', 'zookeeper.admin.enableServer=false'];
    return spawnSync(process.execPath, [BUNDLE, ...words], { encoding: 'utf8' });
  };
  try {
    assert.is(spawnSync(process.execPath, [BUNDLE, 'init', folder]).status, 0);
    spawnSync('chown', ['-R', '65534:65534', folder]);
    // By mistake, root starts the server. Its first start writes a snapshot.
    const started = run('start');
    assert.is(started.status, 0, started.stderr);
    assert.match(started.stderr, `${data}: belongs to user 65534, who cannot read`);
    assert.is(run('stop').status, 0);
    const { status, stderr } = runAsNobody(['start-foreground', '0', data]);
    assert.is(status, 4, stderr);
    assert.match(stderr, /snapshot\.0: cannot read: EACCES/);
    assert.match(stderr, `sudo chown -R nobody: ${data}\n`);
    assert.not.match(stderr, /damaged|trust/);
  } finally {
    run('stop');
    home.remove();
  }
});

namespaceTest('a server whose files belong to another user says so, and how to give them', () => {
  const home = makeTempDir('owner');
  const folder = join(home.path, 'zk');
  chmodSync(home.path, 0o755);
  try {
    assert.is(spawnSync(process.execPath, [BUNDLE, 'init', folder]).status, 0);
    const config = join(folder, 'zoo.cfg');
    const { status, stderr } = runAsNobody(['start-foreground', config]);
    assert.is(status, 4, stderr);
    assert.match(stderr, `sudo chown -R nobody: ${join(folder, 'data')}\n`);
    assert.not.match(stderr, / at .*:\d+:\d+/);
    const made = runAsNobody(['init', join(folder, 'new')]);
    assert.is(made.status, 4, made.stderr);
    assert.match(made.stderr, 'sudo -u zookeeper zkserver init');
    assert.match(made.stderr, `sudo install -d -o zookeeper -g zookeeper ${join(folder, 'new')}`);
    chmodSync(config, 0o600);
    const loaded = runAsNobody(['load', config, folder]);
    assert.match(
      loaded.stderr,
      /permission denied.*\n {2}run this as root, or as the user of the server.* chown zookeeper: .*zoo\.cfg/,
    );
  } finally {
    home.remove();
  }
});

test.run();
