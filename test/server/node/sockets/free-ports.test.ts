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

test('ports that servers can listen on, all different, and none that connections are given', async () => {
  const ports = await findFreePorts(20, HOST);
  assert.is(new Set(ports).size, 20);
  assert.ok(ports.every((port) => port >= 10_240 && port < 32_768));
  const servers = await Promise.all(ports.map(listen));
  await Promise.all(servers.map((server) => server.close()));
});

test('what was found before is not found again, so that it may be listened on later', async () => {
  const [first = 0] = await findFreePorts(1, HOST);
  assert.not((await findFreePorts(50, HOST)).includes(first));
});

test('a port that is taken is left out', async () => {
  const [first = 0] = await findFreePorts(1, HOST);
  const server = await listen(first + 1).catch(() => null);
  try {
    assert.not((await findFreePorts(1, HOST)).includes(first + 1));
  } finally {
    await server?.close();
  }
});

test('an address that is not here is told', async () => {
  let message = '';
  await findFreePorts(1, '192.0.2.1').catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /192\.0\.2\.1/);
});

test.run();
