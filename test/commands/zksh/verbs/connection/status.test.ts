// conformance: runs against Apache's server, too.
// status and ping, with real servers.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askServer } from '../../../../../src/commands/zksh/session/ask-server.js';
import { histogramOf } from '../../../../../src/commands/zksh/verbs/connection/ping.js';
import { startEnsemble, startServer } from '../../../../../src/server/main.js';
import { freePort } from '../../../../support/machine/free-port.js';
import { startProxy } from '../../../../support/peers/proxy.js';
import { runZksh } from '../../../../support/terminal/run-zksh.js';
import { makeServedShell } from '../../../../support/terminal/served-shell.js';
import { serverTest } from '../../../../support/terminal/shell-suite.js';
import { makeShellWorld } from '../../../../support/terminal/shell-world.js';

test('status reports the session and its server', async () => {
  const server = await startServer();
  try {
    const run = await runZksh([server.connectString, '-o', 'json', '-c', 'status']);
    assert.is(run.stderr, '');
    const told = JSON.parse(run.stdout);
    assert.equal(
      [told.server, told.state, told.mode, told.path, told.client],
      [server.connectString, 'connected', 'standalone', '/', 'builtin'],
    );
    assert.match(told.sessionId, /^0x[0-9a-f]+$/);
    const text = (await runZksh([server.connectString, '-c', 'status'])).stdout;
    assert.match(text, /^server = 127\.0\.0\.1:\d+\nstate = connected\nmode = standalone\n/);
  } finally {
    await server.close();
  }
});

test('status omits figures that the server does not report', async () => {
  const world = makeShellWorld({ format: 'json' });
  await world.session.ready();
  // No server listens there.
  world.client.server = '127.0.0.1:1';
  const { server, mode, version, zxid, state } = JSON.parse(await world.run('status'));
  assert.equal([server, mode, version, zxid], ['127.0.0.1:1', null, null, null]);
  assert.is(state, 'connected');
});

test('--timeout limits the wait for a silent server', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const others = new AbortController();
  const ask = async (options: { timeoutMs?: number }): Promise<typeof options> => {
    const world = makeShellWorld(options);
    await world.session.ready();
    world.client.server = `127.0.0.1:${port}`;
    assert.is(await askServer(world.session, others.signal), undefined);
    return options;
  };
  try {
    const all = [{ timeoutMs: 60_000 }, {}, { timeoutMs: 20 }].map(ask);
    assert.equal(await Promise.race(all), { timeoutMs: 20 });
    others.abort();
    await Promise.all(all);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

serverTest('status --all finds all servers from one of them, and judges them', async (shell) => {
  const ensemble = await shell.run('config -c');
  const known = ensemble.includes(',') ? 3 : 1;
  const text = await shell.run('status --all');
  assert.match(text, /^SERVER +ROLE +VERSION +ZXID +LAG +SESSIONS +CONNS +WATCHES +AVG MS/);
  const rows = text
    .split('\n')
    .filter((row) => /^127\.0\.0\.1:\d+ +(leader|follower|stand)/.test(row));
  assert.is(rows.length, known, text);
  // Servers are slow on a machine under load, and a warning may only say that.
  const healthy = /\nhealthy: .*(leads, 3 of 3 voters in sync|standalone server serves)\n$/;
  const slow = /\nwarning: [^\n]*(?:latency|fsync|sync|slow)[^\n]*\n$/;
  assert.ok(healthy.test(text) || slow.test(text), text);
});

test('status --all marks problems, and names servers that do not answer', async () => {
  const ensemble = await startEnsemble({ config: { '4lw.commands.whitelist': '*' } });
  const [first = '', ...others] = ensemble.members.map(({ connectString }) => connectString);
  const silent = `127.0.0.1:${await freePort()}`;
  // The same server under two names is one.
  const typed = [first, first.replace('127.0.0.1', 'localhost'), silent].join();
  const shell = makeServedShell(typed);
  try {
    const run = await shell.fully('status --all');
    assert.equal([run.error?.code, run.error?.exitCode], ['PARTIAL', 9]);
    assert.is(run.error?.sentence, `1 of 4 servers did not answer: ${silent} (refused)`);
    const rows = run.text.split('\n');
    assert.match(rows.find((row) => row.startsWith(silent)) ?? '', / !+ +\S/);
    for (const server of others) {
      assert.match(rows.find((row) => row.startsWith(server)) ?? '', / - +-$/);
    }
    assert.match(run.text, /\nwarning: /);
  } finally {
    await shell.close();
    await ensemble.close();
  }
});

test('status --all shows a server with two addresses once, if conf identifies it', async () => {
  const ensemble = await startEnsemble({ config: { '4lw.commands.whitelist': '*' } });
  const [first] = ensemble.members;
  const proxy = await startProxy(Number(first?.connectString.split(':')[1]));
  const shell = makeServedShell(proxy.connectString);
  try {
    const text = await shell.run('status --all');
    assert.is(text.split('\n').filter((row) => row.startsWith('127.0.0.1:')).length, 3, text);
    // A member listed twice makes no sense of the whole. A stalled machine adds warnings before it.
    assert.match(text, /(?:: |; )127\.0\.0\.1:\d+ leads, 3 of 3 voters in sync\n/);
  } finally {
    await shell.close();
    await proxy.close();
    await ensemble.close();
  }
});

test('a histogram has a row for each bound, including empty ones', () => {
  const result = histogramOf([0.12, 0.2, 0.2, 0.9, 5, 4.9, 12]);
  assert.equal(result.kind === 'message' && result.fields['buckets'], [
    { upToMs: 0.2, count: 3 },
    { upToMs: 0.5, count: 0 },
    { upToMs: 1, count: 1 },
    { upToMs: 2, count: 0 },
    { upToMs: 5, count: 2 },
    { upToMs: 10, count: 0 },
    { upToMs: 20, count: 1 },
  ]);
  const text = result.kind === 'message' ? result.text : '';
  assert.is(text.split('\n')[0], `<=    0.2 ms         3  ${'#'.repeat(40)}`);
  assert.is(text.split('\n')[1], '<=    0.5 ms         0');
});

serverTest('ping -H prints only the distribution of round trips', async (shell) => {
  const lines = (await shell.run('ping -H -c 50 --every 0')).trim().split('\n');
  const counts = lines.slice(0, -1).map((line) => Number(/ms +(\d+)/.exec(line)?.[1]));
  assert.is(
    counts.reduce((sum, count) => sum + count, 0),
    50,
  );
  assert.match(lines.at(-1) ?? '', /^50 answered, min\/avg\/max .* p50\/p95\/p99 .* ms$/);
});

test('ping measures each round trip, and all of them', async () => {
  const server = await startServer();
  try {
    const args = [server.connectString, '-o', 'ndjson', '-c', 'ping -c 3 --every 0'];
    const rows = (await runZksh(args)).stdout
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    assert.is(rows.length, 4);
    const times = rows.slice(0, 3).map(({ elapsedMs }) => elapsedMs);
    const { count, minMs, maxMs } = rows[3];
    assert.equal([count, minMs, maxMs], [3, Math.min(...times), Math.max(...times)]);
    assert.equal([rows[0].server, minMs > 0], [server.connectString, true]);
  } finally {
    await server.close();
  }
});

test.run();
