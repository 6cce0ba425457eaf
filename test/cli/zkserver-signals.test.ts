/** Signals and closed outputs that end other programs, but not the server. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

const ZKSERVER = fileURLToPath(new URL('../../bin/zkserver.cjs', import.meta.url));
const FLAGS = ['-Dzookeeper.admin.enableServer=false'];

async function create(port: number, path: string): Promise<void> {
  const client = createClient({ connectString: `127.0.0.1:${port}` });
  try {
    await client.connect();
    await client.create(path);
  } finally {
    await client.close();
  }
}

test('a server serves on after signals, and SIGQUIT reports its state', async () => {
  const home = makeTempDir('signals');
  const port = await freePort();
  const args = ['start-foreground', ...FLAGS, `${port}`, home.path];
  const server = runZkserver(args, ['nohup']);
  try {
    await waitFor('the server to serve', () => /serving on /.test(server.output()));
    await create(port, '/before');
    for (const signal of ['SIGHUP', 'SIGPIPE', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const) {
      server.process.kill(signal);
      await create(port, `/${signal}`);
    }
    const line = await waitFor('the state', () => /^\{.*"event":"state".*$/m.exec(server.output()));
    const state = JSON.parse(line[0]) as Record<string, unknown>;
    assert.is(state['mode'], 'standalone');
    assert.ok(Number(state['znodes']) >= 5);
    assert.ok(Object.keys(state['waitsFor'] as object).length > 0);
    server.process.kill('SIGQUIT');
    await waitFor('two states', () => server.output().match(/"event":"state"/g)?.length === 2);
    assert.not.match(server.output(), /Debugger listening/);
    assert.is(await server.stop('SIGTERM'), 0);
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

test('a server serves on when nobody reads its output any more', async () => {
  const home = makeTempDir('signals');
  const port = await freePort();
  const args = [ZKSERVER, 'start-foreground', ...FLAGS, `${port}`, home.path];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  server.stderr.on('data', (bytes) => {
    output += bytes;
  });
  try {
    await waitFor('the server to serve', () => /serving on /.test(output));
    server.stdout.destroy();
    server.stderr.destroy();
    for (let at = 0; at < 3; at++) {
      server.kill('SIGQUIT');
      await create(port, `/n${at}`);
    }
    assert.is(server.exitCode, null);
  } finally {
    server.kill('SIGKILL');
    home.remove();
  }
});

test.run();
