import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { hostname } from 'node:os';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Perms } from '../../../../src/protocol/perms.js';
import { AS_ROOT, withAdmin } from './admin-world.js';

test('permissions that everyone has allow no snapshot and no restore', async () => {
  const hash = createHash('sha1').update('super:secret').digest('base64');
  const config = {
    'DigestAuthenticationProvider.superDigest': `super:${hash}`,
    'admin.rateLimiterIntervalInMS': '0',
  };
  const anyone = { perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } };
  const operator = createHash('sha1').update('root:secret').digest('base64');
  const own = { perms: Perms.ALL, id: { scheme: 'digest', id: `root:${operator}` } };
  await withAdmin(async ({ client, ask }) => {
    const statusOf = async (Authorization: string) =>
      (await ask('snapshot?streaming=false', { headers: { Authorization } })).status;
    for (const command of ['snapshot', 'snap', 'restore', 'rest']) {
      const method = command.startsWith('r') ? 'POST' : 'GET';
      const { status, json } = await ask(command, { ...AS_ROOT, method });
      assert.is(status, 403, command);
      assert.match(String(json['error']), /admin\.anyoneMayTransfer/);
    }
    assert.is(await statusOf('ip'), 403);
    assert.is(await statusOf('digest super:secret'), 200);
    await client.setACL('/', [anyone, own]);
    assert.is(await statusOf('digest root:secret'), 200);
    assert.is(await statusOf('digest root:other'), 403);
    await client.setACL('/', [anyone, { ...own, perms: Perms.READ }]);
    assert.is(await statusOf('digest root:secret'), 403);
  }, config);
  const skipped = { skipACL: 'yes' };
  await withAdmin(async ({ ask }) => {
    assert.is((await ask('snapshot', AS_ROOT)).status, 403);
  }, skipped);
});

test('a name that a stranger may own is refused, and others are known', async () => {
  const statusOf = (port: number | undefined, host: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      const headers = host === undefined ? {} : { host };
      const place = { port, host: '127.0.0.1', path: '/commands/ruok', setHost: false, headers };
      get(place, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      }).on('error', reject);
    });
  const cases: readonly (readonly [host: string, status: number])[] = [
    ['evil.example.com', 403],
    ['evil.example.com:8080', 403],
    ['EVIL.example.com.', 403],
    ['127.0.0.1.evil.example.com', 403],
    ['localhost.evil.example.com:8080', 403],
    ['127.0.0.1:8080', 200],
    ['10.1.2.3', 200],
    ['[::1]:8080', 200],
    ['localhost:8080', 200],
    ['zookeeper:8080', 200],
    ['zk-0.zk-headless.default.svc.cluster.local', 200],
    ['zk-0.zk-headless.default.svc', 200],
    [hostname(), 200],
    ['zk.corp.example.com:8080', 200],
    ['ZK2.corp.example.com.:8080', 200],
  ];
  const names = { 'admin.hostNames': 'zk.corp.example.com, zk2.corp.example.com' };
  await withAdmin(async ({ server }) => {
    for (const [host, status] of cases) {
      assert.is(await statusOf(server.adminPort, host), status, host);
    }
  }, names);
  await withAdmin(
    async ({ server }) => {
      assert.is(await statusOf(server.adminPort, 'evil.example.com'), 200);
    },
    { 'admin.hostNames': '*' },
  );
});

test.run();
