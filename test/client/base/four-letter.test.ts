import { createServer, type Server, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerAddress } from '../../../src/client/base/connect-string.js';
import { askWord, MAX_ANSWER_LENGTH } from '../../../src/client/base/four-letter.js';
import { SocketFault } from '../../../src/client/base/socket-fault.js';
import { freePort } from '../../support/machine/free-port.js';

/** A server that handles each connection with `serve`, until `close`. */
async function fakeServer(
  serve: (socket: Socket) => void,
): Promise<{ address: ServerAddress; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    address: { host: '127.0.0.1', port },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function faultOf(asked: Promise<unknown>): Promise<SocketFault> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof SocketFault) return error;
    throw error;
  }
  throw new Error('expected an error, got a response');
}

test('askWord sends the word and returns everything up to the end', async () => {
  let asked = '';
  const server = await fakeServer((socket) => {
    socket.on('data', (chunk) => {
      asked += chunk;
      socket.write('im');
      socket.end('ok');
    });
  });
  try {
    assert.equal(await askWord(server.address, 'ruok'), Buffer.from('imok'));
    assert.is(asked, 'ruok');
  } finally {
    await server.close();
  }
});

test('askWord sends bytes unchanged', async () => {
  const mask = Buffer.concat([Buffer.from('stmk'), Buffer.from([0, 0, 0, 0, 0, 0, 1, 50])]);
  const server = await fakeServer((socket) => socket.on('data', (chunk) => socket.end(chunk)));
  try {
    assert.equal(await askWord(server.address, mask), mask);
  } finally {
    await server.close();
  }
});

test('askWord assembles a response that arrives byte by byte', async () => {
  const answer = 'zk_version\t3.9\nzk_avg_latency\t0.5\n';
  const server = await fakeServer((socket) => {
    socket.setNoDelay(true);
    let at = 0;
    const next = (): void => {
      if (at === answer.length) socket.end();
      else socket.write(answer.charAt(at++), () => setImmediate(next));
    };
    next();
  });
  try {
    assert.is((await askWord(server.address, 'mntr')).toString(), answer);
  } finally {
    await server.close();
  }
});

test('askWord refuses an endless response', async () => {
  const block = Buffer.alloc(1024 * 1024);
  const server = await fakeServer((socket) => {
    const fill = (): void => {
      while (!socket.destroyed && socket.write(block));
    };
    socket.on('drain', fill);
    fill();
  });
  try {
    const fault = await faultOf(askWord(server.address, 'wchp'));
    assert.is(fault.reason, 'too-large');
    assert.match(fault.message, String(MAX_ANSWER_LENGTH));
  } finally {
    await server.close();
  }
});

test('askWord reports a refused connection and names the server', async () => {
  const port = await freePort();
  const fault = await faultOf(askWord({ host: '127.0.0.1', port }, 'ruok'));
  assert.is(fault.reason, 'refused');
  assert.is(fault.message, `127.0.0.1:${port} refused the connection`);
  assert.is(fault.server, `127.0.0.1:${port}`);
});

test('askWord reports an unknown host name', async () => {
  const fault = await faultOf(askWord({ host: 'no-such-host.invalid', port: 2181 }, 'ruok'));
  assert.is(fault.reason, 'dns');
});

for (const [title, options, sentence] of [
  ['a silent server, by the time between bytes', { readTimeoutMs: 30 }, 'sent nothing for 30 ms'],
  ['a silent server, by the total time', { timeoutMs: 30 }, 'within 30 ms'],
] as const) {
  test(`askWord tells ${title}`, async () => {
    const server = await fakeServer(() => undefined);
    try {
      const fault = await faultOf(askWord(server.address, 'ruok', options));
      assert.is(fault.reason, 'timeout');
      assert.match(fault.message, sentence);
    } finally {
      await server.close();
    }
  });
}

test('askWord reports a server that closes without a byte', async () => {
  const server = await fakeServer((socket) => socket.end());
  try {
    assert.is((await faultOf(askWord(server.address, 'ruok'))).reason, 'empty');
  } finally {
    await server.close();
  }
});

test('askWord reports a server that resets the connection', async () => {
  const server = await fakeServer((socket) => {
    socket.on('data', () => socket.resetAndDestroy());
  });
  try {
    assert.is((await faultOf(askWord(server.address, 'ruok'))).reason, 'reset');
  } finally {
    await server.close();
  }
});

test('askWord stops with the reason of its signal', async () => {
  const server = await fakeServer(() => undefined);
  const controller = new AbortController();
  const reason = new Error('deadline');
  try {
    const asked = askWord(server.address, 'ruok', { signal: controller.signal });
    controller.abort(reason);
    const found = await asked.catch((error: unknown) => error);
    assert.is(found, reason);
    const again = askWord(server.address, 'ruok', { signal: controller.signal });
    assert.is(await again.catch((error: unknown) => error), reason);
  } finally {
    await server.close();
  }
});

test.run();
