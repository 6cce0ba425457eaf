import { connect, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../../../src/server/node/sockets/listen.js';

/** The port of a connection that was closed from there, and of nobody else (TIME-WAIT). */
async function portOfClosingConnection(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const address = server.address();
  const to = address === null || typeof address === 'string' ? 0 : address.port;
  const socket = connect({ port: to, host: '127.0.0.1' });
  const other = await accepted;
  const { localPort = 0 } = socket;
  other.on('end', () => other.end()).resume();
  await new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    socket.end();
    socket.resume();
  });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return localPort;
}

test('a port that a closing connection holds is not said to have a listener', async () => {
  const port = await portOfClosingConnection();
  const options = { host: '127.0.0.1', port, backlog: 0, whom: 'clients' };
  const server = createServer();
  try {
    const message = await listen(server, options).then(
      () => 'it listens',
      (error: Error) => error.message,
    );
    assert.match(message, /by a listener or by a closing connection/);
    assert.not.match(message, /another process/);
  } finally {
    server.close();
  }
});

test.run();
