import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askServer } from '../../src/commands/zksh/session/ask-server.js';
import { ShellSession } from '../../src/commands/zksh/session/shell-session.js';
import { startServer } from '../../src/server/main.js';
import { ServerRole } from '../../src/shell/shell-driver.js';
import { startProxy } from '../support/peers/proxy.js';
import { makeShellWorld } from '../support/terminal/shell-world.js';
import { waitFor } from '../support/wait-for.js';

test('the role becomes known some time after the connection, and ends with it', async () => {
  const server = await startServer();
  const session = new ShellSession({ target: server.connectString });
  let learned = 0;
  const role = new ServerRole(session, () => learned++);
  session.subscribe(() => role.refresh());
  try {
    assert.equal(role.shown, {});
    await session.ready();
    assert.equal(role.shown, { access: 'rw' });
    await waitFor('the role', () => learned > 0);
    assert.equal(role.shown, { role: 'standalone', access: 'rw' });
    await session.close();
    assert.equal(role.shown, {});
  } finally {
    role.close();
    await session.close();
    await server.close();
  }
});

test('a read-only shell allows no writes', async () => {
  const server = await startServer();
  const session = new ShellSession({ target: server.connectString, isReadOnly: true });
  const role = new ServerRole(session, () => undefined);
  try {
    await session.ready();
    assert.equal(role.shown, { access: 'ro' });
  } finally {
    await session.close();
    await server.close();
  }
});

test('the role of a server that answers no words stays unknown', async () => {
  const { client, session } = makeShellWorld();
  let learned = 0;
  const role = new ServerRole(session, () => learned++);
  await session.ready();
  // No server listens there.
  client.server = '127.0.0.1:1';
  assert.is(await askServer(session), undefined);
  role.refresh();
  assert.equal([role.shown, learned], [{ access: 'rw' }, 0]);
  role.close();
});

test('a connection lost during the query is not an error', async () => {
  const { client, session } = makeShellWorld();
  await session.ready();
  let reads = 0;
  Object.defineProperty(client, 'server', {
    get: () => (reads++ === 0 ? '127.0.0.1:1' : undefined),
  });
  assert.is(await askServer(session), undefined);
});

/** Waits that many turns of the event loop, so that a loss hits any step of a query. */
function afterTurns(count: number, act: () => void): void {
  if (count === 0) act();
  else setImmediate(() => afterTurns(count - 1, act));
}

test('a server that flaps directly after the connection leaves no unhandled rejection', async () => {
  const stray: unknown[] = [];
  const onStray = (error: unknown): void => {
    stray.push(error);
  };
  process.on('unhandledRejection', onStray);
  const server = await startServer();
  const proxy = await startProxy(server.port);
  const session = new ShellSession({ target: proxy.connectString });
  const role = new ServerRole(session, () => undefined);
  let flaps = 0;
  session.subscribe((event) => {
    role.refresh();
    if (event.kind !== 'state' || session.state !== 'connected') return;
    if (flaps < 14) afterTurns(flaps++ % 7, () => proxy.cut());
  });
  try {
    await session.ready();
    await waitFor('all flaps', () => flaps === 14 && session.state === 'connected');
    assert.equal(stray, []);
  } finally {
    process.off('unhandledRejection', onStray);
    role.close();
    await session.close();
    await proxy.close();
    await server.close();
  }
});

test.run();
