// conformance: runs against Apache's server, too.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isServing } from '../support/apache/oracle.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));

test('a shell starts the server by the command that print-cmd prints', async () => {
  const home = makeTempDir('print-cmd');
  const folder = join(home.path, "it's here");
  mkdirSync(folder);
  const port = await freePort();
  const file = join(folder, 'zoo.cfg');
  writeFileSync(file, `dataDir=${join(folder, 'data')}\nclientPort=${port}\n`);
  const env = { ...process.env, ZOO_LOG_DIR: folder };
  const args = ['print-cmd', '-Dzookeeper.admin.enableServer=false', file];
  const printed = spawnSync(process.execPath, [ZKSERVER, ...args], { env, encoding: 'utf8' });
  assert.is(printed.status, 0, printed.stderr);
  assert.match(printed.stdout, / start-foreground -Dzookeeper\.admin\.enableServer=false -- /);
  const server = spawn('sh', ['-c', `exec ${printed.stdout}`], { stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('close', resolve));
  try {
    await waitFor('the server to serve', () => isServing(port));
    assert.match(readFileSync(join(folder, 'zkserver.out'), 'utf8'), 'serving on');
  } finally {
    server.kill();
    await ended;
    home.remove();
  }
});

test('print-cmd warns of what has no effect, as a start does', () => {
  const home = makeTempDir('print-warnings');
  const file = join(home.path, 'zoo.cfg');
  try {
    writeFileSync(file, `dataDir=${join(home.path, 'data')}\nclientPort=2181\nnonsense.key=1\n`);
    writeFileSync(join(home.path, 'java.env'), 'JVMFLAGS="-Xmx1g"\n');
    const args = [ZKSERVER, 'print-cmd', file];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.is(status, 0, stderr);
    assert.match(stderr, `${file}:3: nonsense.key: unknown key`);
    assert.match(stderr, '-Xmx1g: ignored');
  } finally {
    home.remove();
  }
});

test('--config before the verb names the folder of zoo.cfg, as for zkServer.sh', () => {
  const home = makeTempDir('config-folder');
  try {
    const file = join(home.path, 'zoo.cfg');
    writeFileSync(file, `dataDir=${join(home.path, 'data')}\nclientPort=2181\n`);
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [ZKSERVER, ...args], { encoding: 'utf8' });
    const { status, stdout, stderr } = run('--config', home.path, 'print-cmd');
    assert.is(status, 0, stderr);
    assert.is(stderr, `Using config: ${file}\n`);
    assert.match(stdout, file);
    const none = run('--config', join(home.path, 'none'), 'start');
    assert.is(none.status, 64);
    assert.match(none.stderr, `not found: ${join(home.path, 'none', 'zoo.cfg')}`);
    assert.is(run('--config').status, 64);
  } finally {
    home.remove();
  }
});

test('a verb without a configuration names the file that it looked for', () => {
  const home = makeTempDir('no-config');
  try {
    const env = { ...process.env, ZOOCFGDIR: home.path, ZOOCFG: '' };
    const { status, stderr } = spawnSync(process.execPath, [ZKSERVER, 'start-foreground'], {
      env,
      encoding: 'utf8',
    });
    assert.is(status, 64);
    const file = join(home.path, 'zoo.cfg');
    assert.match(stderr, `zkserver: no configuration: not found: ${file}\n`);
  } finally {
    home.remove();
  }
});

test.run();
