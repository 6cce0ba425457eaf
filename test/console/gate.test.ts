import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type RequestOptions, request as requestSecure } from 'node:https';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RateLimit } from '../../src/console/gate.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { makeAuthority } from '../support/tls/certs.js';
import { makeTlsFiles } from '../support/tls/tls-world.js';
import { basic, runConsole, withConsole } from './console-world.js';

/** fetch sets some of these headers itself. */
function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

test('foreign hosts, foreign pages, and unknown places are refused', () =>
  withConsole(['--allow-writes', '--host-names', 'zk.example'], async ({ api: { url, ask } }) => {
    const { port, host } = new URL(url);
    const api = `${url}api/v1`;
    assert.is(await statusOf(api, { host: 'evil.example' }), 403);
    assert.is(await statusOf(api, { host: `zk.example:${port}` }), 200);
    assert.is(await statusOf(api, { host: `localhost:${port}` }), 200);
    const znode = `${api}/znode?path=/x`;
    assert.is(await statusOf(znode, { origin: 'http://evil.example' }, 'POST'), 403);
    assert.is(await statusOf(znode, { 'sec-fetch-site': 'cross-site' }, 'POST'), 403);
    assert.is(await statusOf(znode, { origin: 'null' }, 'POST'), 403);
    assert.is(await statusOf(znode, { origin: `http://${host}` }, 'POST'), 201);
    assert.is(await statusOf(api, { 'sec-fetch-site': 'same-site' }), 403);
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
    assert.is(await statusOf(url, link), 200, 'a link opens the page');
    assert.is(await statusOf(`${api}/export?path=/`, link), 403, 'and starts no download');
    assert.is((await ask('/nothing')).status, 404);
    assert.is(await statusOf(`${api}/ensemble`, {}, 'HEAD'), 200);
    assert.is(await statusOf(`${api}/events`, {}, 'HEAD'), 405);
    assert.is(await statusOf(znode, { origin: `https://${host}` }, 'DELETE'), 428);
    assert.is((await ask('/ensemble', { method: 'DELETE' })).headers.get('allow'), 'GET');
    const page = await fetch(url);
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.not.match(policy, /unsafe|https?:/);
    assert.not.match(await page.text(), /https?:\/\//);
    const script = await (await fetch(`${url}page.js`)).arrayBuffer();
    assert.ok(script.byteLength < 200 * 1024, 'a page loads quickly');
  }));

test('no query makes an answer other than a result or a problem', () =>
  withConsole([], async ({ api: { ask } }) => {
    const place = fc.constantFrom('/znode', '/children', '/search', '/history', '/subtree');
    const name = fc.constantFrom('path', 'limit', 'offset', 'after', 'name', 'changed', 'x');
    const value = fc.oneof(fc.constantFrom('/', '/zookeeper', '-1', '99999'), fc.string());
    const query = fc.array(fc.tuple(name, value), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(place, query, async (path, pairs) => {
        const { status, body } = await ask(`${path}?${new URLSearchParams(pairs)}`);
        assert.ok([200, 400, 404].includes(status), `${status} ${JSON.stringify(body)}`);
        assert.ok(status === 200 || typeof body['detail'] === 'string');
      }),
      { numRuns: 150 },
    );
    for (const bad of ['/members/%E0%A4%A/words/srvr', '/znode?path=/a&path=/b', '/znode']) {
      assert.is((await ask(bad)).status, 400, bad);
    }
    assert.is((await ask('/members/1:2/words/srst')).status, 404);
  }));

test('a login opens the console, a wrong one does not, and many wrong ones wait', async () => {
  const folder = makeTempDir('console');
  const [users, token] = [`${folder.path}/users`, `${folder.path}/token`];
  try {
    const { exitCode, output } = await runConsole(['--new-user', 'ana'], 'correct horse\n');
    assert.is(exitCode, 0, output);
    assert.not.match(output, 'horse');
    writeFileSync(users, output, { mode: 0o600 });
    writeFileSync(token, '0123456789abcdef0\n', { mode: 0o600 });
    const args = ['--users', users, '--token-file', token, '--allow-writes'];
    await withConsole(args, async ({ api }) => {
      assert.is((await api.ask('')).status, 401);
      assert.is((await fetch(api.url)).status, 401);
      assert.is((await api.ask('/live')).status, 200);
      const right = await api.ask('', basic('ana:correct horse'));
      assert.equal([right.status, right.body['user']], [200, 'ana']);
      const bearer = { headers: { authorization: 'Bearer 0123456789abcdef0' } };
      assert.is((await api.ask('', bearer)).body['user'], 'token');
      const post = { ...basic('ana:correct horse'), method: 'POST' };
      assert.is((await api.ask('/znode?path=/x', post)).status, 201);
      assert.match(api.output(), /"user":"ana".*"path":"\/x"/);
      assert.is((await api.ask('/znode?path=/y&user=eve&time=0', post)).status, 400);
      assert.not.match(api.output(), 'eve');
      const wrong = await api.ask('', basic('ana:wrong horse'));
      assert.equal([wrong.status, wrong.body['exitStatus']], [401, 'noAuth']);
      assert.match(String(wrong.headers.get('www-authenticate')), 'Basic');
      const statuses: number[] = [];
      for (let at = 0; at < 12; at++) {
        statuses.push((await api.ask('', basic(`eve:guess ${at}`))).status);
      }
      assert.is(statuses[0], 401);
      assert.is(statuses.at(-1), 429);
      const again = await api.ask('', basic('ana:correct horse'));
      assert.is(again.status, 200, 'a user who logged in before');
    });
    chmodSync(users, 0o644);
    const open = await runConsole(['--users', users]);
    assert.equal([open.exitCode, /chmod 600/.test(open.output)], [64, true]);
  } finally {
    folder.remove();
  }
});

test('guesses that arrive together are counted one by one, and a right password takes none', async () => {
  const folder = makeTempDir('console');
  const users = `${folder.path}/users`;
  try {
    const { output } = await runConsole(['--new-user', 'ana'], 'correct horse\n');
    writeFileSync(users, output, { mode: 0o600 });
    await withConsole(['--users', users], async ({ api }) => {
      const guess = (_: unknown, at: number) => api.ask('', basic(`ana:guess ${at}`));
      const answers = await Promise.all(Array.from({ length: 100 }, guess));
      const checked = answers.filter(({ status }) => status === 401).length;
      assert.is(answers.filter(({ status }) => status === 429).length, 100 - checked);
      // Ten, and those that the limit allows again while the others are checked.
      assert.ok(checked >= 10 && checked < 30, String(checked));
    });
    await withConsole(['--users', users], async ({ api }) => {
      // The console remembers a user who logged in, so each login is of a new console.
      assert.is((await api.ask('', basic('ana:correct horse'))).status, 200);
      for (let at = 0; at < 10; at++) {
        assert.is((await api.ask('', basic(`ana:guess ${at}`))).status, 401, String(at));
      }
    });
  } finally {
    folder.remove();
  }
});

test('connections that send nothing, or half of a request, keep nobody out', () =>
  withConsole([], async ({ api }) => {
    const { port, hostname } = new URL(api.url);
    const open = (first: string) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(first);
      return socket;
    };
    const silent = Array.from({ length: 300 }, (_, at) => open(at % 2 ? '' : 'GET / HTTP/1.1\r\n'));
    try {
      await Promise.all(silent.map((socket) => once(socket, 'connect')));
      const stream = await fetch(`${api.url}api/v1/events`);
      const more = Array.from({ length: 300 }, () => open(''));
      silent.push(...more);
      await Promise.all(more.map((socket) => once(socket, 'connect')));
      assert.is((await fetch(`${api.url}api/v1/live`)).status, 200);
      const reader = stream.body?.getReader();
      assert.is((await reader?.read())?.done, false, 'a request in progress stays');
      await reader?.cancel();
    } finally {
      for (const socket of silent) socket.destroy();
    }
  }));

test('with a certificate the console speaks TLS, and knows users by theirs', async () => {
  const files = makeTlsFiles();
  const stranger = makeAuthority().issue({ subject: [[['CN', 'client']]] });
  const token = files.write('token', '0123456789abcdef0');
  chmodSync(token, 0o600);
  const { serverFile } = files;
  const args = ['--listen', '0.0.0.0:0', '--tls-cert', serverFile, '--tls-key', serverFile];
  try {
    const logins = ['--token-file', token, '--client-ca', files.caFile];
    await withConsole([...args, ...logins], async ({ api: { url } }) => {
      assert.match(url, /^https:/);
      const ask = (login: RequestOptions) =>
        new Promise<readonly [status: number | undefined, body: string]>((resolve, reject) => {
          const options = { ca: files.authority.cert, agent: false as const, ...login };
          const address = `${url.replace('0.0.0.0', '127.0.0.1')}api/v1`;
          requestSecure(address, options, (response) => {
            text(response).then((body) => resolve([response.statusCode, body]), reject);
          })
            .on('error', reject)
            .end();
        });
      const bearer = { authorization: 'Bearer 0123456789abcdef0' };
      assert.is((await ask({ headers: bearer }))[0], 200);
      const [status, body] = await ask(files.client);
      assert.equal([status, JSON.parse(body).user], [200, 'client']);
      assert.is((await ask({}))[0], 401);
      assert.is((await ask(stranger))[0], 401, 'of another authority');
    });
  } finally {
    files.remove();
  }
});

test('a console that strangers could use does not start', async () => {
  const folder = makeTempDir('console');
  const file = `${folder.path}/secret`;
  writeFileSync(file, 'ana:secret-of-some-length', { mode: 0o600 });
  try {
    for (const [args, why] of [
      [['--listen', '0.0.0.0:0'], /other hosts reach it: add --users or another login/],
      [['--listen', '0.0.0.0:0', '--token-file', file], /unencrypted: add --tls-cert/],
      [['--auth-file', file], /every user of this machine/],
      [['--users', file], /line 1: expected NAME:scrypt:SALT:KEY/],
      [['--tls-cert', file], /expected both/],
      [['--tls-cert', file, '--tls-key', file], /--tls-cert .*: unreadable \(expected PEM\)/],
      [['--trend-file', file], /--trend-file .*: cannot read/],
      [['--record', 'config'], /--record: invalid path/],
      [['--protect', 'config'], /--protect: invalid path/],
      [['--client-ca', file], /--client-ca: needs TLS/],
      [['--proxy-header', 'x-user'], /expected both/],
      [['--proxy-header', 'x-user', '--proxy-from', 'proxy'], /--proxy-from: invalid address/],
      [['--zk-logins', file, '--users', file], /expected NAME/],
      [['--zk-logins', file, '--proxy-header', 'x', '--proxy-from', '::1'], /NAME:digest:USER/],
      [['--audit-log', `${folder.path}/none/log`], /--audit-log .*: cannot write/],
    ] as const) {
      const { exitCode, output } = await runConsole(args);
      assert.is(exitCode, 64, output);
      assert.match(output, why);
    }
    assert.is(readFileSync(file, 'utf8'), 'ana:secret-of-some-length');
    const config = `${folder.path}/config.json`;
    writeFileSync(config, '{"profiles":{"prod":{"connect":"127.0.0.1:1","protected":true}}}');
    const args = ['--profile', 'prod', '--allow-writes'];
    const guarded = await runConsole(args, '', { ZKSH_CONFIG: config });
    assert.equal([guarded.exitCode, /prod is protected/.test(guarded.output)], [64, true]);
  } finally {
    folder.remove();
  }
});

test('a rate limit lets a burst pass, then as many as it refills', () => {
  const limit = new RateLimit({ perSecond: 1, burst: 2 });
  const taken = [0, 0, 0, 1000, 1000].map((nowMs) => limit.allows('a', nowMs));
  assert.equal(taken, [true, true, false, true, false]);
  assert.ok(limit.allows('b', 1000));
});

test.run();
