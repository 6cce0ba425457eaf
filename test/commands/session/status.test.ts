// status and ping, asked of a server.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../src/server/main.js';
import { runZksh } from '../../support/run-zksh.js';
import { makeShellWorld } from '../../support/shell-world.js';

test('status tells of the session and of its server', async () => {
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

test('status does without what the server does not say', async () => {
  const world = makeShellWorld({ format: 'json' });
  await world.session.ready();
  // Nobody listens there.
  world.client.server = '127.0.0.1:1';
  const { server, mode, version, zxid, state } = JSON.parse(await world.run('status'));
  assert.equal([server, mode, version, zxid], ['127.0.0.1:1', null, null, null]);
  assert.is(state, 'connected');
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
