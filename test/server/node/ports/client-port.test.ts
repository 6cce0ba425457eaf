import { connect, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ClientPort,
  type ClientPortOptions,
} from '../../../../src/server/node/ports/client-port.js';
import { waitFor } from '../../../support/wait-for.js';

const MIB = 1024 * 1024;

test('one turn reads only a part from a client that sends much, and later turns the rest', async () => {
  let turn = 0;
  let longest = 0;
  let all = 0;
  const port = new ClientPort({
    backlog: 5,
    onWarning: () => undefined,
    step: (event) => {
      if (event.kind !== 'received') return;
      if (turn === 0) {
        setImmediate(() => {
          turn = 0;
        });
      }
      turn += event.bytes.length;
      all += event.bytes.length;
      longest = Math.max(longest, turn);
    },
  });
  await port.move({ host: '127.0.0.1', port: 0 });
  const socket = connect(port.port, '127.0.0.1');
  try {
    socket.write(Buffer.alloc(16 * MIB));
    await waitFor('all of it', () => all === 16 * MIB);
    assert.ok(longest < MIB, `${longest} bytes in one turn`);
  } finally {
    socket.destroy();
    await port.shutDown();
  }
});

test('clientTcpKeepAlive probes idle clients', () => {
  for (const isKeptAlive of [true, false]) {
    const port = new ClientPort({
      backlog: 5,
      isKeptAlive,
      step: () => undefined,
      onWarning: () => undefined,
    });
    const socket = new Socket();
    let isProbed = false;
    socket.setKeepAlive = (isOn = false) => {
      isProbed = isOn;
      return socket;
    };
    port.accept(socket);
    socket.destroy();
    assert.is(isProbed, isKeptAlive);
  }
});

interface PortWorld {
  readonly port: ClientPort;
  /** Names of the exceeded limits. */
  readonly limits: string[];
  readonly closed: number[];
  /** Connects a client that reads nothing, and sends it that many bytes. */
  join(bytes: number): Promise<Socket>;
  leave(): void;
}

async function openPort(options: Partial<ClientPortOptions>): Promise<PortWorld> {
  const limits: string[] = [];
  const closed: number[] = [];
  const sockets: Socket[] = [];
  let connected = 0;
  const port = new ClientPort({
    backlog: 5,
    onWarning: () => undefined,
    step: (event) => {
      if (event.kind === 'connected') connected = event.connection;
      else if (event.kind === 'disconnected') closed.push(event.connection);
      else if (event.kind === 'limit-exceeded') limits.push(event.limit);
    },
    ...options,
  });
  await port.move({ host: '127.0.0.1', port: 0 });
  return {
    port,
    limits,
    closed,
    join: async (bytes) => {
      const next = connected + 1;
      const socket = connect(port.port, '127.0.0.1').on('error', () => undefined);
      socket.pause();
      sockets.push(socket);
      await waitFor('the client', () => connected === next);
      port.send(next, Buffer.alloc(bytes));
      return socket;
    },
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('a client that reads nothing cannot keep the port from closing', async () => {
  const { port, limits, join, leave } = await openPort({ closing: { shutdownTimeMs: 20 } });
  try {
    await join(32 * MIB);
    await join(32 * MIB);
    let isClosed = false;
    const whenClosed = port.shutDown().then(() => {
      isClosed = true;
    });
    await waitFor('the port to close', () => isClosed);
    await whenClosed;
    assert.is(limits.at(-1), 'shutdownTime');
  } finally {
    leave();
  }
});

test('the server stops reading from a client that does not read, and closes it when too much is pending', async () => {
  const { port, limits, closed, join, leave } = await openPort({});
  try {
    const slow = await join(16 * MIB);
    assert.equal(limits, ['unreadBytesToPause']);
    // One reply may be longer: clients can read what the server stores.
    port.send(1, Buffer.alloc(70 * MIB));
    assert.equal(limits, ['unreadBytesToPause']);
    port.send(1, Buffer.alloc(64 * MIB));
    assert.equal(limits, ['unreadBytesToPause', 'unreadBytes']);
    slow.resume();
    await waitFor('its end', () => closed.length === 1);
  } finally {
    leave();
    await port.shutDown();
  }
});

test('a connection that the server closes has a deadline to read pending data', async () => {
  const { port, limits, closed, join, leave } = await openPort({ closing: { closingTimeMs: 20 } });
  try {
    await join(32 * MIB);
    port.close(1);
    await waitFor('its end', () => closed.length === 1);
    assert.is(limits.at(-1), 'closingTime');
  } finally {
    leave();
    await port.shutDown();
  }
});

test('a long answer is sent as its client reads', async () => {
  const { port, limits, join, leave } = await openPort({});
  let taken = 0;
  function* slices(): Generator<string> {
    for (; taken < 64; taken++) yield 'x'.repeat(MIB);
  }
  try {
    const reader = await join(1);
    let read = 0;
    let isEnded = false;
    reader.on('data', (bytes: Buffer) => {
      read += bytes.length;
    });
    reader.on('end', () => {
      isEnded = true;
    });
    port.finish(1, slices());
    reader.resume();
    await waitFor('its end', () => isEnded);
    assert.is(read, 64 * MIB + 1);
    assert.equal(limits, []);
  } finally {
    leave();
    await port.shutDown();
  }
});

test('a long answer has a deadline for each step that its client reads', async () => {
  const { port, limits, closed, join, leave } = await openPort({ closing: { closingTimeMs: 50 } });
  let taken = 0;
  function* slices(): Generator<string> {
    for (; taken < 64; taken++) yield 'x'.repeat(MIB);
  }
  try {
    await join(1);
    port.finish(1, slices());
    await waitFor('its end', () => closed.length === 1);
    assert.equal(limits, ['closingTime']);
    assert.ok(taken < 64, `${taken} slices`);
  } finally {
    leave();
    await port.shutDown();
  }
});

test('a long answer that nobody reads cannot keep the port from closing', async () => {
  const { port, closed, join, leave } = await openPort({ closing: { shutdownTimeMs: 20 } });
  function* slices(): Generator<string> {
    for (;;) yield 'x'.repeat(MIB);
  }
  try {
    await join(1);
    port.finish(1, slices());
    await port.shutDown();
    await waitFor('its end', () => closed.length === 1);
  } finally {
    leave();
  }
});

test('data sent before a close arrives', async () => {
  const { port, join, leave } = await openPort({});
  try {
    const socket = await join(8 * MIB);
    let read = 0;
    let isEnded = false;
    socket.on('data', (bytes: Buffer) => {
      read += bytes.length;
    });
    socket.on('end', () => {
      isEnded = true;
    });
    port.close(1);
    socket.resume();
    await waitFor('the end', () => isEnded);
    assert.is(read, 8 * MIB);
  } finally {
    leave();
    await port.shutDown();
  }
});

test('the number of closing connections is limited', async () => {
  const { port, limits, closed, join, leave } = await openPort({ closing: { maxClosing: 2 } });
  try {
    for (let id = 1; id <= 3; id++) {
      await join(32 * MIB);
      port.close(id);
    }
    await waitFor('the oldest to end', () => closed.length === 1);
    assert.equal(closed, [1]);
    assert.is(limits.at(-1), 'closingConnections');
  } finally {
    leave();
    await port.shutDown();
  }
});

test('the unread data of all clients has a limit, and the client with the most is closed', async () => {
  const { port, limits, closed, join, leave } = await openPort({ maxUnreadBytes: 36 * MIB });
  try {
    await join(20 * MIB);
    await join(30 * MIB);
    // The server has closed it, but its data is still pending.
    port.close(2);
    await join(20 * MIB);
    port.send(3, Buffer.alloc(1));
    await waitFor('the second to end', () => closed.length === 1);
    assert.equal(closed, [2]);
    const all = limits.filter((limit) => limit !== 'unreadBytesToPause');
    assert.equal(all, ['unreadBytesInAll']);
  } finally {
    leave();
    await port.shutDown();
  }
});

test('a client that connects while the port closes is disconnected', async () => {
  const { port, join, leave } = await openPort({});
  try {
    const socket = await join(0);
    await port.shutDown();
    const late = connect({ port: 9, host: '127.0.0.1' }).on('error', () => undefined);
    port.accept(late);
    assert.ok(late.destroyed);
    socket.destroy();
  } finally {
    leave();
  }
});

test.run();
