/** zkops snapshot over the AdminServer of a running server. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/index.js';
import { callTask, taskJson } from '../commands/zkops/call-task.js';
import { startBundled } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';

interface World {
  readonly client: SessionClient;
  readonly folder: string;
  /** --admin of the server. */
  readonly admin: readonly string[];
}

async function withServer(use: (world: World) => Promise<void>): Promise<void> {
  const home = makeTempDir('snapshot');
  const server = await startBundled({
    dataDir: join(home.path, 'data'),
    config: {
      'admin.serverAddress': '127.0.0.1',
      'admin.enableServer': 'true',
      'admin.serverPort': '0',
      'admin.rateLimiterIntervalInMS': '0',
      'admin.anyoneMayTransfer': 'true',
    },
  });
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    await use({
      client,
      folder: home.path,
      admin: ['--admin', `http://127.0.0.1:${server.adminPort}`],
    });
  } finally {
    await client.close().catch(() => undefined);
    await server.close();
    home.remove();
  }
}

test('a snapshot is saved, verified, and restored', () =>
  withServer(async ({ client, folder, admin }) => {
    const file = join(folder, 'before.snapshot');
    await client.create('/app', Buffer.from('before'));
    const saved = await taskJson(['snapshot', 'save', file, ...admin]);
    assert.is(saved.exitCode, 0, saved.verdict.summary);
    assert.match(saved.verdict.summary, /^saved \d+ znodes$/);
    assert.is((await taskJson(['snapshot', 'status', file])).exitCode, 0);
    await client.setData('/app', Buffer.from('mistake'));
    const dry = await taskJson(['snapshot', 'restore', file, ...admin, '--dry-run']);
    assert.match(dry.verdict.summary, /^would replace all data of http:/);
    assert.is(`${(await client.getData('/app')).data}`, 'mistake');
    const restored = await taskJson(['snapshot', 'restore', file, ...admin, '--yes']);
    assert.is(restored.exitCode, 0, restored.verdict.summary);
    assert.is(`${(await client.getData('/app')).data}`, 'before');
  }));

test('nothing is overwritten, sent without a word, or sent damaged', () =>
  withServer(async ({ client, folder, admin }) => {
    const file = join(folder, 'a.snapshot');
    await client.create('/app', Buffer.from('x'));
    await taskJson(['snapshot', 'save', file, ...admin]);
    const again = await callTask(['snapshot', 'save', file, ...admin]);
    assert.equal([again.exitCode, /never overwrites/.test(again.error)], [64, true]);
    const silent = await callTask(['snapshot', 'restore', file, ...admin]);
    assert.is(silent.exitCode, 64);
    assert.match(silent.error, /add --yes to confirm, or --dry-run\n.*zkops snapshot save/);
    const torn = join(folder, 'torn.snapshot');
    writeFileSync(torn, readFileSync(file).subarray(0, 60));
    const damaged = await taskJson(['snapshot', 'restore', torn, ...admin, '--yes']);
    assert.is(damaged.exitCode, 2);
    assert.match(damaged.verdict.summary, /nothing was restored$/);
    assert.ok(await client.exists('/app'));
  }));

test('a refusal has its reason and the next step, and leaves no file', () =>
  withServer(async ({ client, folder, admin }) => {
    const file = join(folder, 'b.snapshot');
    const closed = ['--admin', `http://127.0.0.1:${await freePort()}`];
    const refused = await callTask(['snapshot', 'save', file, ...closed]);
    assert.equal([refused.exitCode, /ECONNREFUSED/.test(refused.error)], [3, true]);
    await client.addAuth('digest', 'op:secret');
    await client.setACL('/', [{ perms: 31, id: { scheme: 'auth', id: '' } }]);
    const denied = await callTask(['snapshot', 'save', file, ...admin]);
    assert.match(denied.error, /status 40[13].*\n.*add --auth USER:PASSWORD/);
    assert.equal(
      readdirSync(folder).filter((name) => name.startsWith('b.')),
      [],
    );
    const shown = await callTask([
      'snapshot',
      'save',
      'x',
      '--auth',
      'op:secret',
      '--admin',
      'zk1',
    ]);
    assert.match(shown.error, '--auth: other users can see this password in the list of processes');
    const auth = join(folder, 'auth');
    writeFileSync(auth, 'op:secret\n', { mode: 0o600 });
    const allowed = await taskJson(['snapshot', 'save', file, ...admin, '--auth-file', auth]);
    assert.is(allowed.exitCode, 0, allowed.verdict.summary);
    assert.ok(existsSync(file));
    const wrong = await callTask(['snapshot', 'save', 'x', '--admin', 'zk1']);
    assert.is(wrong.exitCode, 64);
  }));

test.run();
