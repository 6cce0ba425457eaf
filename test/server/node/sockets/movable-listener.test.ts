import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MovableListener } from '../../../../src/server/node/sockets/movable-listener.js';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';

interface ListenerWorld {
  readonly listener: MovableListener;
  readonly accepted: Socket[];
  readonly warnings: string[];
}

async function withListener(work: (world: ListenerWorld) => Promise<void>): Promise<void> {
  const accepted: Socket[] = [];
  const warnings: string[] = [];
  const listener = new MovableListener({
    whom: 'tests',
    tries: 1,
    absentMs: 20,
    isForClients: true,
    onLimit: () => undefined,
    accept: (socket) => {
      accepted.push(socket);
      socket.on('error', () => undefined).on('data', (bytes) => socket.write(bytes));
    },
    onWarning: (message) => warnings.push(message),
  });
  try {
    await work({ listener, accepted, warnings });
  } finally {
    listener.close();
    for (const socket of accepted) socket.destroy();
    await listener.ended();
  }
}

async function joined(host: string, port: number): Promise<Socket> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  return socket;
}

async function echo(socket: Socket): Promise<string> {
  const answer = once(socket, 'data');
  socket.write('ping');
  return `${(await answer)[0]}`;
}

/** Whether a connection is refused. */
async function isRefused(host: string, port: number): Promise<boolean> {
  try {
    (await joined(host, port)).destroy();
    return false;
  } catch {
    return true;
  }
}

test('it moves, and accepted connections stay open', () =>
  withListener(async ({ listener }) => {
    const [from, to] = [await freePort(), await freePort()];
    await listener.move([{ host: '127.0.0.1', port: from }]);
    const early = await joined('127.0.0.1', from);
    try {
      await listener.move([{ host: '127.0.0.1', port: to }]);
      assert.is(listener.port, to);
      assert.ok(await isRefused('127.0.0.1', from));
      const late = await joined('127.0.0.1', to);
      assert.is(await echo(late), 'ping');
      assert.is(await echo(early), 'ping');
      late.destroy();
    } finally {
      early.destroy();
    }
  }));

/** Each is another name of 127.0.0.1, or includes it. */
for (const host of ['localhost', '0.0.0.0', undefined]) {
  test(`it moves from 127.0.0.1 to ${host} at the same port, and back`, () =>
    withListener(async ({ listener, warnings }) => {
      const port = await freePort();
      for (const place of ['127.0.0.1', host, '127.0.0.1']) {
        await listener.move([{ host: place, port }]);
        const socket = await joined('127.0.0.1', port);
        assert.is(await echo(socket), 'ping');
        socket.destroy();
      }
      assert.equal(warnings, []);
    }));
}

test('two names of an IPv6 address are one place', () =>
  withListener(async ({ listener }) => {
    const port = await freePort();
    await listener.move([{ host: '::1', port }]);
    await listener.move([{ host: '0:0:0:0:0:0:0:1', port }]);
    assert.is(listener.port, port);
  }));

test('if the new place is taken, it stays, even if it had to leave the old one first', () =>
  withListener(async ({ listener }) => {
    const [from, taken] = [await freePort(), await freePort()];
    const other = createServer();
    const sameEnd = createServer();
    try {
      other.listen(taken, '127.0.0.1');
      sameEnd.listen(from, '127.0.0.2');
      await Promise.all([once(other, 'listening'), once(sameEnd, 'listening')]);
      await listener.move([{ host: '127.0.0.1', port: from }]);
      for (const place of [
        { host: '127.0.0.1', port: taken },
        { host: '0.0.0.0', port: from },
      ]) {
        const refusal = await listener.move([place]).catch((error: Error) => error);
        assert.match(`${refusal}`, new RegExp(`${place.host}:\\d+: cannot listen for tests:`));
        const socket = await joined('127.0.0.1', from);
        assert.is(await echo(socket), 'ping');
        socket.destroy();
      }
    } finally {
      other.close();
      sameEnd.close();
    }
  }));

test('one of several places may be absent, and is taken when it is there', () =>
  withListener(async ({ listener, warnings }) => {
    const [port, later] = [await freePort(), await freePort()];
    const other = createServer();
    other.listen(later, '127.0.0.1');
    await once(other, 'listening');
    const near = { host: '127.0.0.1', port };
    // The second is taken, the third no address here, and the fourth no name.
    const others = [
      { host: '127.0.0.1', port: later },
      { host: '203.0.113.1', port },
      { host: 'no-such-name.invalid', port },
    ];
    try {
      await listener.move([...others, near]);
      assert.is(await echo(await joined('127.0.0.1', port)), 'ping');
      const about = (place: { host: string }): number =>
        warnings.filter((warning) => warning.startsWith(`${place.host}:`)).length;
      assert.equal(others.map(about), [1, 1, 1]);
      assert.match(warnings[0] ?? '', /; retrying, and serving at the others$/);
      other.close();
      await waitFor('the place that was taken', async () => !(await isRefused('127.0.0.1', later)));
      assert.is(await echo(await joined('127.0.0.1', later)), 'ping');
      assert.is(await echo(await joined('127.0.0.1', port)), 'ping');
      assert.equal(others.map(about), [1, 1, 1]);
      const refusal = await listener.move(others.slice(1)).catch((error: Error) => error);
      assert.match(`${refusal}`, /203\.0\.113\.1:\d+: cannot listen/);
      assert.is(await echo(await joined('127.0.0.1', port)), 'ping');
    } finally {
      other.close();
    }
  }));

test('close waits for the connections of a previous place', () =>
  withListener(async ({ listener, accepted }) => {
    const from = await freePort();
    await listener.move([{ host: '127.0.0.1', port: from }]);
    const socket = await joined('127.0.0.1', from);
    socket.on('error', () => undefined);
    await waitFor('the connection', () => accepted.length === 1);
    await listener.move([{ host: '127.0.0.1', port: await freePort() }]);
    let isClosed = false;
    listener.close();
    const closed = listener.ended().then(() => {
      isClosed = true;
    });
    assert.is(await echo(socket), 'ping');
    assert.not.ok(isClosed);
    for (const one of accepted) one.destroy();
    await closed;
    socket.destroy();
  }));

test.run();
