import { createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectError, ZooKeeperError } from '../../src/client/base/errors.js';
import { ZooKeeper } from '../../src/client/zookeeper.js';
import { WatcherType } from '../../src/protocol/watch-event.js';
import { freePort } from '../support/machine/free-port.js';
import { waitFor } from '../support/wait-for.js';
import { bytes, event, reply, stat, welcome } from './session-harness.js';

/** A server on a real socket whose responses a test makes. */
interface FakeServer {
  readonly port: number;
  /** The received chunks, one for each write of the client. */
  readonly chunks: Buffer[];
  readonly connections: number;
  say(...frames: Buffer[]): void;
  drop(): void;
  close(): Promise<void>;
}

async function fakeServer(greet: (socket: Socket) => void): Promise<FakeServer> {
  const chunks: Buffer[] = [];
  let socket: Socket | undefined;
  let connections = 0;
  const server = createServer((accepted) => {
    connections++;
    socket = accepted;
    accepted.setNoDelay(true);
    accepted.on('error', () => undefined);
    accepted.once('data', () => {
      accepted.on('data', (chunk) => chunks.push(chunk));
      greet(accepted);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    chunks,
    get connections() {
      return connections;
    },
    say: (...frames) => socket?.write(Buffer.concat(frames)),
    drop: () => socket?.destroy(),
    close: () => {
      socket?.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A client connected to a server whose responses `run` makes. */
async function withFake(run: (zk: ZooKeeper, server: FakeServer) => Promise<void>): Promise<void> {
  const server = await fakeServer((socket) => socket.write(welcome({ timeoutMs: 30_000 })));
  const zk = new ZooKeeper({ connectString: `127.0.0.1:${server.port}` });
  try {
    await zk.connect();
    await run(zk, server);
  } finally {
    server.drop();
    await zk.close();
    await server.close();
  }
}

test('all requests of one turn leave in one write', () =>
  withFake(async (zk, server) => {
    const asked = ['/a', '/b', '/c'].map((path) => zk.exists(path));
    await waitFor('the requests', () => server.chunks.length > 0);
    assert.is(server.chunks.length, 1);
    assert.is(server.chunks[0]?.length, 3 * 19);
    server.say(reply(1, 1n, -101), reply(2, 1n, 0, stat(7)), reply(3, 1n, -102));
    const [a, b, c] = await Promise.allSettled(asked);
    assert.is(a?.status === 'fulfilled' && a.value, null);
    assert.is(b?.status === 'fulfilled' && b.value?.version, 7);
    assert.is(c?.status === 'rejected' && c.reason.code, 'NOAUTH');
  }));

test('replies and events are delivered in the order of the wire', () =>
  withFake(async (zk, server) => {
    const heard: string[] = [];
    zk.on('watch', ({ type, path }) => heard.push(`${type} ${path}`));
    const read = async (name: string): Promise<void> => {
      await zk.getData('/a', { watch: true });
      heard.push(name);
    };
    const asked = [read('first'), read('second')];
    await waitFor('the requests', () => server.chunks.length > 0);
    const body = [bytes('x'), stat()];
    server.say(reply(1, 1n, 0, ...body), event(3, '/a'), reply(2, 2n, 0, ...body), event(2, '/a'));
    await Promise.all(asked);
    await waitFor('four things', () => heard.length === 4);
    assert.equal(heard, ['first', 'NodeDataChanged /a', 'second', 'NodeDeleted /a']);
  }));

for (const isLocal of [true, false]) {
  const what = isLocal ? 'leaves the client' : 'stays';
  test(`a watch whose removal is interrupted ${what} with isLocal=${isLocal}`, () =>
    withFake(async (zk, server) => {
      const heard: string[] = [];
      const asked = zk.getData('/a', { watch: ({ type }) => heard.push(type) });
      await waitFor('the request', () => server.chunks.length === 1);
      server.say(reply(1, 1n, 0, bytes('x'), stat()));
      await asked;
      const removing = zk.removeWatches('/a', WatcherType.Any, isLocal).then(
        () => 'removed',
        (error) => error.code,
      );
      await waitFor('the removal', () => server.chunks.length === 2);
      server.drop();
      assert.is(await removing, isLocal ? 'removed' : 'CONNECTIONLOSS');
      assert.equal(heard, isLocal ? ['DataWatchRemoved'] : []);
    }));
}

test('listeners can be added and removed', () =>
  withFake(async (zk, server) => {
    const heard: string[] = [];
    const listener = (state: string, reason?: Error): void => {
      heard.push(`${state} ${reason?.message ?? ''}`);
    };
    zk.on('state', listener);
    server.drop();
    await waitFor('the loss', () => heard.length === 1);
    assert.match(heard[0] ?? '', /^disconnected 127\.0\.0\.1:\d+ (closed|reset) the connection$/);
    zk.off('state', listener);
    await waitFor('the session to be back', () => zk.state === 'connected');
    assert.is(heard.length, 1);
    assert.is(server.connections, 2);
  }));

test('a program that blocks its event loop reads pending replies before it declares the server silent', async () => {
  const server = await fakeServer((socket) => socket.write(welcome({ timeoutMs: 1500 })));
  const zk = new ZooKeeper({ connectString: `127.0.0.1:${server.port}` });
  const states: string[] = [];
  zk.on('state', (state) => states.push(state));
  try {
    await zk.connect();
    const asked = zk.exists('/a');
    await waitFor('the request', () => server.chunks.length > 0);
    server.say(reply(1, 1n, -101));
    // When this turn ends, the reply is in the socket, and its time has passed.
    const busyUntil = Date.now() + 1050;
    while (Date.now() < busyUntil);
    assert.is(await asked, null);
    assert.equal(states, ['connected']);
  } finally {
    server.drop();
    await zk.close();
    await server.close();
  }
});

test('connect gives up after one round if configured', async () => {
  const ports = [await freePort(), await freePort()];
  const zk = new ZooKeeper({
    connectString: ports.map((port) => `127.0.0.1:${port}`).join(','),
    connectRounds: 1,
    shouldShuffle: false,
  });
  const failed = await zk.connect().catch((error: unknown) => error);
  assert.ok(failed instanceof ConnectError);
  const [first, second] = ports.map((port) => `127.0.0.1:${port} refused the connection`);
  assert.is(
    failed.message,
    `no server accepted the session in one round of the list: ${first}; ${second}`,
  );
  assert.is(zk.state, 'closed');
});

test('a server that speaks another protocol is named, with the bytes that it sent', async () => {
  const server = await fakeServer((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const zk = new ZooKeeper({
    connectString: `127.0.0.1:${server.port}`,
    connectRounds: 1,
  });
  try {
    const failed = await zk.connect().catch((error: unknown) => error);
    assert.ok(failed instanceof ConnectError);
    assert.match(failed.message, 'violated the protocol: frame length 1213486160');
  } finally {
    await zk.close();
    await server.close();
  }
});

test('a closed client does not connect again', async () => {
  const zk = new ZooKeeper({ connectString: '127.0.0.1:1' });
  const asked = zk.exists('/a').catch((error: unknown) => error);
  await zk.close();
  const error = await asked;
  assert.ok(error instanceof ZooKeeperError);
  assert.is(error.message, 'the client is closed: no request for /a');
  assert.ok((await zk.connect().catch((failed: unknown) => failed)) instanceof ConnectError);
});

test('a client that is closed while it connects stops at once', async () => {
  const server = await fakeServer(() => undefined);
  const zk = new ZooKeeper({ connectString: `127.0.0.1:${server.port}` });
  try {
    const connecting = zk.connect().catch((error: unknown) => error);
    await waitFor('the connection', () => server.connections === 1);
    await zk.close();
    assert.ok((await connecting) instanceof ConnectError);
  } finally {
    await server.close();
  }
});

test.run();
