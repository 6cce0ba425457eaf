import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findFreePorts } from '../../../../src/server/node/sockets/free-ports.js';

const HOST = '127.0.0.1';

function listen(port: number): Promise<{ close(): Promise<void> }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () =>
      resolve({ close: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}

test('free ports are distinct and outside the range of outgoing connections', async () => {
  const ports = await findFreePorts(20, HOST);
  assert.is(new Set(ports).size, 20);
  assert.ok(ports.every((port) => port >= 10_240 && port < 32_768));
  const servers = await Promise.all(ports.map(listen));
  await Promise.all(servers.map((server) => server.close()));
});

test('a port is returned only once, so that a caller may listen on it later', async () => {
  const [first = 0] = await findFreePorts(1, HOST);
  assert.not((await findFreePorts(50, HOST)).includes(first));
});

test('a taken port is skipped', async () => {
  const [first = 0] = await findFreePorts(1, HOST);
  const server = await listen(first + 1).catch(() => null);
  try {
    assert.not((await findFreePorts(1, HOST)).includes(first + 1));
  } finally {
    await server?.close();
  }
});

test('an address of another host is an error', async () => {
  let message = '';
  await findFreePorts(1, '192.0.2.1').catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /192\.0\.2\.1/);
});

test.run();
