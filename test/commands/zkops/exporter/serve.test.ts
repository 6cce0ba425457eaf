import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  closeServer,
  listen,
  serveConnections,
} from '../../../../src/commands/zkops/exporter/serve.js';
import { waitFor } from '../../../support/wait-for.js';

const MIB = 1024 * 1024;
/** More than two sockets buffer. */
const LONG = Buffer.alloc(32 * MIB);
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const SHORT_MS = 50;

interface Scene {
  /** Sends as many requests, and reads nothing. */
  ask(requests: number): Socket;
  readonly closed: ReadonlySet<Socket>;
}

async function withServer(
  serve: (response: ServerResponse) => void,
  readMs: number | undefined,
  work: (scene: Scene) => Promise<void>,
): Promise<void> {
  const server = createServer();
  const serveOne = (_: IncomingMessage, response: ServerResponse) => {
    serve(response);
    return Promise.resolve();
  };
  serveConnections(server, 100, serveOne, readMs);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const closed = new Set<Socket>();
  const ask = (requests: number) => {
    const socket = connect(port, '127.0.0.1').pause();
    sockets.push(socket);
    // A socket that is not read does not notice its end, but its writes fail.
    const timer = setInterval(() => socket.write('\r\n'), 10);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      clearInterval(timer);
      closed.add(socket);
    });
    socket.write(GET.repeat(requests));
    return socket;
  };
  try {
    await work({ ask, closed });
  } finally {
    for (const socket of sockets) socket.destroy();
    await closeServer(server);
  }
}

test('with too many unread bytes, the connection with the most is closed', () =>
  withServer(
    (response) => response.end(LONG),
    undefined,
    async ({ ask, closed }) => {
      const [one, most] = [ask(1), ask(8)];
      await waitFor('the end of the one with the most', () => closed.has(most));
      assert.not(closed.has(one));
      let read = 0;
      one.on('data', ({ length }) => {
        read += length;
      });
      one.resume();
      await waitFor('the whole answer', () => read > LONG.length);
    },
  ));

test('an answer that nobody reads is closed', () =>
  withServer(
    (response) => response.end(LONG),
    SHORT_MS,
    async ({ ask, closed }) => {
      const reader = ask(1);
      await waitFor('its end', () => closed.has(reader));
    },
  ));

test('a stream that has not ended is not closed', () => {
  const streams: ServerResponse[] = [];
  return withServer(
    (response) => {
      if (streams.length === 0) response.write(LONG);
      else response.end(LONG);
      streams.push(response);
    },
    SHORT_MS,
    async ({ ask, closed }) => {
      const stream = ask(1);
      await waitFor('its begin', () => streams.length === 1);
      const reader = ask(1);
      await waitFor('the end of another', () => closed.has(reader));
      assert.not(closed.has(stream));
    },
  );
});

test.run();
