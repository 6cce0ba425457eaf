import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../../../src/server/node/sockets/listen.js';
import { waitFor } from '../../../support/wait-for.js';

/** The port of a connection that its server closed, without a listener (TIME-WAIT). */
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

/** Prints its port. */
const listenerOf = (url: string): string => `
  import { createServer } from 'node:net';
  import { listen } from '${url}';
  const server = createServer();
  await listen(server, { host: '127.0.0.1', port: 0, whom: 'clients' });
  console.log(server.address().port);
`;

test('a port in use by a closing connection is not reported as having a listener', async () => {
  const port = await portOfClosingConnection();
  // The key clientPortListenBacklog.
  const options = { host: '127.0.0.1', port, backlog: 0, whom: 'clients' };
  const server = createServer();
  try {
    const message = await listen(server, options).then(
      () => 'it listens',
      (error: Error) => error.message,
    );
    assert.match(message, /by a listener or a closing connection/);
    assert.not.match(message, /another process/);
  } finally {
    server.close();
  }
});

async function refusalOf(host: string, port: number): Promise<string> {
  const server = createServer();
  try {
    await listen(server, { host, port, whom: 'elections' });
    return 'it listens';
  } catch (error) {
    return `${error}`;
  } finally {
    server.close();
  }
}

test('the address of another machine, as of a wrong myid, is named with what to correct', async () => {
  // Reserved for documentation (RFC 5737).
  const refusal = await refusalOf('192.0.2.1', 3888);
  assert.match(refusal, /192\.0\.2\.1:3888: cannot listen for elections: .*EADDRNOTAVAIL/);
  assert.match(refusal, 'in myid');
});

test('an IPv6 address is in brackets', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve));
  const port = (other.address() as AddressInfo).port;
  try {
    assert.match(await refusalOf('::1', port), `[::1]:${port}: cannot listen`);
  } finally {
    other.close();
  }
});

test('a busy server loses none of 100 connections that arrive at once', async () => {
  const listenUrl = new URL('../../../../src/server/node/sockets/listen.js', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', listenerOf(listenUrl)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const sockets: Socket[] = [];
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(line);
    child.kill('SIGSTOP');
    let connected = 0;
    for (let i = 0; i < 100; i++) {
      sockets.push(connect(port, '127.0.0.1', () => connected++).on('error', () => undefined));
    }
    await waitFor('the kernel to complete all of them', () => connected === 100 || null);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  }
});

test.run();
