import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
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

const MODULE = fileURLToPath(
  new URL('../../../../src/server/node/sockets/free-ports.js', import.meta.url),
);

test('processes that search at the same time get different ports', async () => {
  const program = `
    const { findFreePorts } = await import(${JSON.stringify(MODULE)});
    const ports = [];
    while (ports.length < 200) ports.push(...(await findFreePorts(20, '${HOST}')));
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const args = ['--input-type=module', '--eval', program];
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  try {
    const lines = await Promise.all(children.map(({ stdout }) => once(stdout, 'data')));
    const ports = lines.flatMap(([line]) => JSON.parse(String(line)) as number[]);
    assert.is(new Set(ports).size, 600);
  } finally {
    for (const child of children) child.stdin.end();
    await Promise.all(children.map((child) => once(child, 'close')));
  }
});

test('a process that needs very many ports gets its own again', async () => {
  for (let i = 0; i < 60; i++) assert.is((await findFreePorts(20, HOST)).length, 20);
});

test('an address of another host is an error', async () => {
  let message = '';
  await findFreePorts(1, '192.0.2.1').catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /192\.0\.2\.1/);
});

test.run();
