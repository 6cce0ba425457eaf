import { chmodSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { pathOf, put, withConsole } from './console-world.js';

const post = (body: string): RequestInit => ({ method: 'POST', body });

test('a subtree is exported in each format, and imported after a preview', () =>
  withConsole(['--allow-writes', '--protect', '/keep'], async ({ api, client }) => {
    await client.create('/app', 'root');
    await client.create('/app/x', Buffer.of(0, 255));
    await client.create('/keep');
    for (const format of ['ndjson', 'json', 'yaml']) {
      const answer = await fetch(`${api.url}api/v1/export?path=/app&format=${format}`);
      assert.match(answer.headers.get('content-disposition') ?? '', `filename="app.${format}"`);
      const dump = await answer.text();
      const path = `/copy-${format}`;
      const dry = await api.ask(`/import?path=${path}&dryRun=true`, post(dump));
      assert.equal([dry.status, dry.body['znodes'], dry.body['existing']], [200, 2, 0]);
      assert.equal(dry.body['sample'], [path, `${path}/x`]);
      assert.is(await client.exists(path), null);
      const done = await api.ask(`/import?path=${path}`, post(dump));
      assert.is(done.status, 200, JSON.stringify(done.body));
      assert.equal((await client.getData(`${path}/x`)).data, Buffer.of(0, 255));
      const again = await api.ask(`/import?path=${path}`, post(dump));
      assert.equal([again.status, again.body['code']], [409, 'NODEEXISTS']);
      const cut = await api.ask('/import?path=/cut', post(dump.slice(0, -30)));
      assert.equal([cut.status, cut.body['code']], [400, 'BADDUMP']);
      const kept = await api.ask('/import?path=/keep/below', post(dump));
      assert.equal([kept.status, kept.body['code']], [403, 'PROTECTED']);
    }
    assert.is((await api.ask('/import', post('no dump'))).status, 400);
    assert.is((await api.ask('/export?path=/none')).status, 404);
    const any = { method: 'DELETE', headers: { 'if-match': '*' } };
    assert.is((await api.ask('/znode?path=/keep', any)).body['code'], 'PROTECTED');
  }));

test('each change can be undone, unless another client changed its znodes since', () =>
  withConsole(['--allow-writes'], async ({ api, client }) => {
    const listed = async () => {
      const { changes } = (await api.ask('/changes')).body;
      return Array.isArray(changes) ? changes : [];
    };
    const undoLast = async () => api.ask(`/changes/${(await listed())[0]?.id}/undo`, post(''));
    await client.create('/a', 'one');
    for (const name of ['b', 'c']) await client.create(`/a/${name}`, name);
    await api.ask('/znode?path=/a', put('two', 0));
    await api.ask('/znode?path=/a&count=3', { method: 'DELETE', headers: { 'if-match': '"1"' } });
    assert.equal(
      (await listed()).map(({ title, znodes }) => `${title}: ${znodes}`),
      ['delete /a: 3', 'set /a: 1'],
    );
    const [{ id: deleted }] = await listed();
    const { body: plan } = await api.ask(`/changes/${deleted}`);
    assert.equal([plan['total'], plan['conflicts'], plan['lost']], [3, [], []]);
    assert.is((await undoLast()).body['steps'], 3);
    assert.is(String((await client.getData('/a/c')).data), 'c');
    assert.is(String((await client.getData('/a')).data), 'two');
    assert.is((await listed())[0]?.title, 'undo of: delete /a');
    await undoLast();
    assert.is(await client.exists('/a'), null, 'an undo is undone');
    await undoLast();
    await client.setData('/a', 'theirs');
    const refused = await undoLast();
    assert.equal([refused.status, refused.body['exitStatus']], [409, 'badVersion']);
    assert.is((await api.ask('/changes/999')).status, 404);
  }));

test('an ACL is replaced by its version, but not by one that locks the console out', () =>
  withConsole(['--allow-writes'], async ({ api, client }) => {
    await client.create('/a');
    const lockout = await api.ask('/acl?path=/a', put('digest:eve:hash:cdrwa', 0));
    assert.equal([lockout.status, lockout.body['code']], [409, 'LOCKOUT']);
    const wrong = await api.ask('/acl?path=/a', put('world:anyone:x', 0));
    assert.equal([wrong.status, wrong.body['code']], [400, 'INVALIDACL']);
    assert.is((await api.ask('/acl?path=/a', put('world:anyone:ra', 1))).status, 412);
    assert.is((await api.ask('/acl?path=/a', put('world:anyone:ra', 0))).status, 200);
    const { body } = await api.ask('/znode?path=/a');
    assert.equal(body['acl'], [{ scheme: 'world', id: 'anyone', perms: 'ra' }]);
    const system = await api.ask('/acl?path=/zookeeper', put('world:anyone:ra', 0));
    assert.is(system.body['code'], 'PROTECTED');
  }));

const PROXY = ['--proxy-header', 'X-User', '--proxy-from', '10.9.9.9,127.0.0.0/8'];
const as = (user: string, init: RequestInit = {}): RequestInit => ({
  ...init,
  headers: { ...Object.fromEntries(new Headers(init.headers)), 'x-user': user },
});

test('a login with a SASL line has the permissions of its SASL user', async () => {
  const folder = makeTempDir('console');
  const [logins, jaas] = [`${folder.path}/logins`, `${folder.path}/jaas.conf`];
  const auth = 'org.apache.zookeeper.server.auth';
  writeFileSync(logins, 'zoe:sasl:bob:bobsecret\neve:sasl:bob:wrong\n', { mode: 0o600 });
  writeFileSync(jaas, `Server { ${auth}.DigestLoginModule required user_bob="bobsecret"; };`, {
    mode: 0o600,
  });
  const config = {
    'authProvider.1': `${auth}.SASLAuthenticationProvider`,
    'java.security.auth.login.config': jaas,
  };
  try {
    await withConsole(
      [...PROXY, '--zk-logins', logins],
      async ({ api, client }) => {
        const acl = [{ perms: 31, id: { scheme: 'sasl', id: 'bob' } }];
        await client.create('/own', 'for bob', { acl });
        const statusOf = async (user: string) =>
          (await api.ask('/znode?path=/own', as(user))).status;
        assert.equal([await statusOf('zoe'), await statusOf('ana')], [200, 403]);
        assert.ok((await statusOf('eve')) >= 400);
        assert.not.match(api.output(), 'bobsecret');
      },
      { config },
    );
  } finally {
    folder.remove();
  }
});

test('each login has the permissions of its own credentials, and its own changes', async () => {
  const folder = makeTempDir('console');
  const logins = `${folder.path}/logins`;
  writeFileSync(logins, '# comment\nana:digest:app:secret\n', { mode: 0o600 });
  chmodSync(logins, 0o600);
  try {
    const args = [...PROXY, '--zk-logins', logins, '--allow-writes'];
    await withConsole(args, async ({ api, client }) => {
      await client.addAuth('digest', 'app:secret');
      const acl = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
      await client.create('/own', 'for app', { acl });
      assert.is((await api.ask('/znode?path=/own')).status, 401);
      assert.is((await api.ask('/znode?path=/own', as('ana'))).status, 200);
      const other = await api.ask('/znode?path=/own', as('bob'));
      assert.equal([other.status, other.body['exitStatus']], [403, 'noAuth']);
      assert.is((await api.ask('/znode?path=/own', as('ana, eve'))).status, 401);
      assert.is((await api.ask('/znode?path=/own', as('ana', put('new', 0)))).status, 200);
      const changesOf = async (user: string) =>
        (await api.ask('/changes', as(user))).body['changes'];
      assert.is(JSON.stringify(await changesOf('bob')), '[]');
      assert.match(JSON.stringify(await changesOf('ana')), '"id":1');
      assert.is((await api.ask('/changes/1/undo', as('bob', post('')))).status, 404);
      assert.match(api.output(), /"user":"ana".*"route":"\/znode".*"status":200/);
      assert.not.match(api.output(), 'secret');
    });
    const foreign = ['--proxy-header', 'x-user', '--proxy-from', '10.9.9.9'];
    await withConsole(foreign, async ({ api }) => {
      assert.is((await api.ask('', as('ana'))).status, 401, 'from another address');
    });
  } finally {
    folder.remove();
  }
});

test('without --allow-snapshots, no login gets the znodes of others', () =>
  withConsole([], async ({ api, server }) => {
    const { status, body } = await api.ask(`/members/${server}/snapshot`, { method: 'POST' });
    assert.equal([status, body['code']], [403, 'NOSNAPSHOTS']);
  }));

test('a snapshot of a member comes from its AdminServer', async () => {
  const folder = makeTempDir('console');
  const [port, admin] = [await freePort(), await freePort()];
  const config = {
    'admin.enableServer': 'true',
    'admin.serverPort': String(admin),
    'admin.serverAddress': '127.0.0.1',
    'admin.anyoneMayTransfer': 'true',
  };
  const hosts = `${folder.path}/hosts.txt`;
  writeFileSync(hosts, `127.0.0.1:${port} admin=${admin}\n`);
  try {
    await withConsole(
      ['--ensemble', hosts, '--allow-snapshots'],
      async ({ api, client }) => {
        await client.create('/in-the-snapshot');
        const path = `${api.url}api/v1/members/${encodeURIComponent(`127.0.0.1:${port}`)}/snapshot`;
        assert.is((await fetch(path)).status, 405, 'a link makes no snapshot');
        const answer = await fetch(path, { method: 'POST' });
        const bytes = Buffer.from(await answer.arrayBuffer());
        assert.is(answer.status, 200, bytes.toString('utf8', 0, 300));
        assert.match(answer.headers.get('last-zxid') ?? '', /^0x/);
        assert.ok(bytes.includes('in-the-snapshot'));
        const audited = /"method":"POST","route":"\/members\/\{server\}\/snapshot".*"code":"OK"/;
        await waitFor('the audit of the snapshot', () => audited.test(api.output()));
        const unknown = await api.ask('/members/x:1/snapshot', { method: 'POST' });
        assert.is(unknown.status, 404);
        const { members } = (await api.ask('/members')).body;
        assert.is(Array.isArray(members) && members[0]?.adminUrl, `http://127.0.0.1:${admin}`);
      },
      { port, dataDir: `${folder.path}/data`, config },
    );
  } finally {
    folder.remove();
  }
});

test('an import of a path with odd letters keeps them', () =>
  withConsole(['--allow-writes'], async ({ api, client }) => {
    await client.create('/ü "x"', 'y');
    const dump = await (await fetch(`${api.url}api/v1/export?${pathOf('/ü "x"')}`)).text();
    assert.is((await api.ask('/import?path=/copy', post(dump))).status, 200);
    assert.is(String((await client.getData('/copy')).data), 'y');
  }));

test.run();
