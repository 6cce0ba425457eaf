import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { Perms } from '../../../../src/protocol/perms.js';
import { LIMITS } from '../../../../src/server/limits/limits.js';
import { startBundled } from '../../../support/bundled.js';
import { freePort } from '../../../support/machine/free-port.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { ADMIN, type Answer, AS_ROOT, OPEN, withAdmin } from './admin-world.js';

test('snapshot streams a file from which another server starts', async () => {
  await withAdmin(async ({ client, url }) => {
    await client.create('/kept', Buffer.from('data'));
    const response = await fetch(url('snapshot'), AS_ROOT);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.is(response.status, 200);
    assert.is(response.headers.get('content-type'), 'application/octet-stream');
    assert.is(response.headers.get('snapshot_size'), String(bytes.length));
    const zxid = response.headers.get('last_zxid') ?? '';
    assert.match(zxid, /^0x[0-9a-f]+$/);
    const copy = makeTempDir('admin');
    const config = { 'snapshot.trust.empty': 'true' };
    try {
      await (await startBundled({ dataDir: join(copy.path, 'layout') })).close();
      const first = join(copy.path, 'layout', 'version-2', 'snapshot.0');
      writeFileSync(first.replace(/0$/, zxid.slice(2)), bytes);
      const other = await startBundled({ dataDir: join(copy.path, 'layout'), config });
      const reader = new ZooKeeper({ connectString: other.connectString });
      try {
        await reader.connect();
        assert.is((await reader.getData('/kept')).data?.toString(), 'data');
      } finally {
        await reader.close();
        await other.close();
      }
    } finally {
      copy.remove();
    }
  }, OPEN);
});

test('snapshot requires an identity with all permissions on the root, and has a rate limit', async () => {
  await withAdmin(async ({ client, ask }) => {
    assert.is((await ask('snapshot')).status, 401);
    const odd = { headers: { Authorization: 'digest' } };
    assert.is((await ask('snap', odd)).status, 401);
    const scheme = { headers: { Authorization: 'nosuch x:y' } };
    assert.is((await ask('snap', scheme)).status, 401);
    await client.setACL('/', [
      { perms: Perms.ALL - Perms.DELETE, id: { scheme: 'world', id: 'anyone' } },
    ]);
    assert.is((await ask('snapshot', AS_ROOT)).status, 403);
    await client.setACL('/', [{ perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } }]);
    const { status, json } = await ask('snapshot?streaming=false', AS_ROOT);
    assert.equal([status, json], [200, { command: 'snapshot', error: null }]);
    assert.is((await ask('snapshot', AS_ROOT)).status, 429);
  }, OPEN);
});

test('a disabled snapshot is unavailable, and so is one of a server in memory', async () => {
  await withAdmin(async ({ ask }) => assert.is((await ask('snapshot', AS_ROOT)).status, 503), {
    ...OPEN,
    'admin.snapshot.enabled': 'false',
  });
  const server = await startBundled({ config: { ...ADMIN, ...OPEN } });
  try {
    const url = `http://127.0.0.1:${server.adminPort}/commands/snapshot`;
    assert.is((await fetch(url, AS_ROOT)).status, 503);
  } finally {
    await server.close();
  }
});

test('behind a proxy, the ip of an operator is the first one that the proxy forwards', async () => {
  const onlyFrom = { perms: Perms.ALL, id: { scheme: 'ip', id: '10.1.2.3' } };
  const anyone = { perms: Perms.READ, id: { scheme: 'world', id: 'anyone' } };
  const ask = { headers: { Authorization: 'ip', 'X-Forwarded-For': '10.1.2.3, 10.9.9.9' } };
  for (const [isTaken, status] of [
    ['true', 200],
    ['false', 403],
  ] as const) {
    await withAdmin(
      async ({ client, ask: askServer }) => {
        await client.setACL('/', [onlyFrom, anyone]);
        assert.is((await askServer('snapshot?streaming=false', ask)).status, status);
      },
      { 'IPAuthenticationProvider.usexforwardedfor': isTaken },
    );
  }
});

test('shed_connections closes the requested number of clients', async () => {
  await withAdmin(async ({ server, ask }) => {
    let lost = 0;
    const others = [1, 2, 3].map(
      () =>
        new ZooKeeper({
          connectString: server.connectString,
        }),
    );
    try {
      for (const other of others) await other.connect();
      const post = (body: string) => ask('shed_connections', { ...AS_ROOT, method: 'POST', body });
      assert.is((await ask('shed_connections')).status, 405);
      for (const body of ['', '{}', '{"percentage":101}', '{"percentage":"50"}', 'null']) {
        assert.is((await post(body)).status, 400, body);
      }
      const { json } = await post('{"percentage":50}');
      assert.is(json['connections_shed'], 2);
      assert.is(json['percentage_requested'], 50);
      lost = 2;
      const unknown = { method: 'POST', body: '{"percentage":50}' };
      assert.is((await ask('shed_connections', unknown)).status, 401);
      const long = { ...AS_ROOT, method: 'POST', body: 'x'.repeat(LIMITS.httpBodyBytes.value + 1) };
      assert.is((await ask('shed_connections', long)).status, 413);
      const { json: figures } = await ask('monitor');
      assert.is(figures['httpBodyBytes_limit_exceeded_count'], 1);
      // Their sessions survive: they reconnect.
      await waitFor('all clients', async () => {
        const { json: now } = await ask('connections');
        return (now['connections'] as unknown[]).length === 4;
      });
    } finally {
      for (const other of others) await other.close();
    }
    assert.is(lost, 2);
  });
});

test('a reset may be requested by GET, but not by a page of another site', async () => {
  await withAdmin(async ({ ask }) => {
    const packets = async () => {
      const { json } = await ask('server_stats');
      return (json['server_stats'] as Answer)['packets_received'];
    };
    assert.ok(Number(await packets()) > 0);
    const foreign = { headers: { 'Sec-Fetch-Site': 'cross-site' } };
    assert.is((await ask('srst', foreign)).status, 403);
    assert.ok(Number(await packets()) > 0);
    assert.is((await ask('srst')).status, 200);
    assert.is(await packets(), 0);
    assert.is((await ask('crst', { method: 'POST' })).status, 200);
    assert.is((await ask('ruok', foreign)).status, 200);
    assert.is((await ask('ruok', { method: 'DELETE' })).status, 405);
  });
});

test('secrets are hidden', async () => {
  const superDigest = 'super:D/InIHSb7yEEbrWz8b9l71RjZJU=';
  await withAdmin(
    async ({ url }) => {
      for (const command of ['initial_configuration', 'system_properties']) {
        const text = await (await fetch(url(command))).text();
        assert.match(text, 'superDigest');
        assert.not.match(text, 'D/InIH');
      }
    },
    { 'DigestAuthenticationProvider.superDigest': superDigest },
  );
});

test('paths outside the commands are not found, and the command root is configurable', async () => {
  await withAdmin(
    async ({ server }) => {
      const origin = `http://127.0.0.1:${server.adminPort}`;
      for (const path of ['/', '/commands', '/commands/ruok', '/adminx']) {
        assert.is((await fetch(origin + path)).status, 404, path);
      }
      assert.match(await (await fetch(`${origin}/admin`)).text(), '"/admin/ruok"');
      assert.is((await fetch(`${origin}/admin/ruok`)).status, 200);
    },
    { 'admin.commandURL': '/admin' },
  );
});

test('an endless body is refused', async () => {
  await withAdmin(async ({ ask }) => {
    const body = 'x'.repeat(100_000);
    assert.is((await ask('shed_connections', { ...AS_ROOT, method: 'POST', body })).status, 413);
  });
});

test('a server inside a program opens no HTTP port by default', async () => {
  const server = await startBundled();
  try {
    assert.is(server.adminPort, undefined);
  } finally {
    await server.close();
  }
});

test('if its port is taken, the AdminServer is off, and clients are served', async () => {
  const taken = await freePort();
  const config = { ...ADMIN, 'admin.serverPort': String(taken) };
  const warnings: string[] = [];
  const first = await startBundled({ config });
  const second = await startBundled({ config, onWarning: (text) => warnings.push(text) });
  const client = new ZooKeeper({ connectString: second.connectString });
  try {
    assert.is(first.adminPort, taken);
    assert.is(second.adminPort, undefined);
    assert.match(warnings.join('\n'), /AdminServer: cannot start.*EADDRINUSE/);
    await client.connect();
  } finally {
    await client.close();
    await second.close();
    await first.close();
  }
});

test.run();
