import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';

// A random port would be a server that nobody finds, beside one that nobody expects.
test('a single server without clientPort serves on the port of its server line', async () => {
  const home = makeTempDir('zkserver');
  const port = await freePort();
  const file = join(home.path, 'zoo.cfg');
  const lines = [`dataDir=${home.path}`, `server.1=127.0.0.1:2888:3888;127.0.0.1:${port}`];
  writeFileSync(file, [...lines, 'admin.enableServer=false', ''].join('\n'));
  const server = runZkserver(['start-foreground', file]);
  const client = createClient({ connectString: `127.0.0.1:${port}` });
  try {
    await waitFor('the server to serve', () => /serving on .*:\d+,/.test(server.output()));
    await client.connect();
    await client.create('/a', null);
  } finally {
    await client.close();
    await server.stop('SIGKILL');
    home.remove();
  }
});

// It listens on this address alone, so neither 127.0.0.1 nor localhost has an answer.
test('status and init --force find a server at the address of its server line', async () => {
  const home = makeTempDir('zkserver');
  const place = `127.0.0.2:${await freePort()}`;
  const file = join(home.path, 'zoo.cfg');
  const lines = [`dataDir=${home.path}`, `server.1=127.0.0.1:2888:3888;${place}`];
  const text = [...lines, 'admin.enableServer=false', ''].join('\n');
  writeFileSync(file, text);
  const server = runZkserver(['start-foreground', file]);
  const ask = async (...args: string[]) => {
    const asked = runZkserver(args);
    await asked.ended;
    return asked;
  };
  try {
    await waitFor('the server to serve', () => /serving on .*:\d+,/.test(server.output()));
    assert.is((await ask('status', file)).output(), 'Mode: standalone\n');
    const init = await ask('init', file, '--force');
    assert.is(init.process.exitCode, 4, init.output());
    assert.is(readFileSync(file, 'utf8'), text);
    assert.is(await server.stop(), 0);
    const stopped = await ask('status', file);
    assert.match(stopped.output(), `${place}: no answer`);
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

test.run();
