/** The limits of an HTTP port: neither silent nor slow clients block others. */
import { connect, type Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { HttpLimits } from '../../../../src/server/node/admin/http-guard.js';
import { HttpListener, send } from '../../../../src/server/node/admin/http-listener.js';
import { waitFor } from '../../../support/wait-for.js';

interface Client {
  readonly socket: Socket;
  text: string;
  isClosed: boolean;
}

interface World {
  readonly listener: HttpListener;
  readonly limits: string[];
  readonly requests: string[];
  join(first: string): Promise<Client>;
}

async function withListener(
  limits: HttpLimits,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const exceeded: string[] = [];
  const requests: string[] = [];
  const clients: Client[] = [];
  const listener: HttpListener = new HttpListener({
    host: '127.0.0.1',
    port: 0,
    idleTimeoutMs: 0,
    limits,
    onLimit: (limit) => exceeded.push(limit),
    answer: async (request, response) => {
      requests.push(request.url ?? '');
      if (request.url === '/transfer') listener.allowTransfer(request);
      for await (const chunk of request) void chunk;
      if (request.url === '/big') send(response, 200, 'text/plain', 'x'.repeat(64 << 20));
      else send(response, 200, 'text/plain', 'served');
    },
  });
  await listener.listen();
  const join = (first: string): Promise<Client> =>
    new Promise((resolve) => {
      const socket = connect(listener.port, '127.0.0.1', () => {
        socket.write(first);
        resolve(client);
      });
      const client: Client = { socket, text: '', isClosed: false };
      clients.push(client);
      socket.on('data', (chunk) => {
        client.text += chunk.toString('latin1');
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.isClosed = true;
      });
    });
  try {
    await run({ listener, limits: exceeded, requests, join });
  } finally {
    for (const { socket } of clients) socket.destroy();
    await listener.close();
  }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1';

test('a client has a deadline for its header, whether it sends nothing or a part of it', () =>
  withListener({ headerTimeMs: 40 }, async ({ limits, join }) => {
    const clients = [await join(''), await join('GET / HT')];
    await waitFor('their end', () => clients.every(({ isClosed }) => isClosed));
    assert.match(clients[1]?.text ?? '', /^HTTP\/1.1 408 /);
    assert.equal(limits, ['httpHeaderTime', 'httpHeaderTime']);
  }));

test('the size of a header is limited', () =>
  withListener({}, async ({ limits, join }) => {
    const client = await join(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`);
    await waitFor('its end', () => client.isClosed);
    assert.match(client.text, /^HTTP\/1.1 431 /);
    assert.equal(limits, ['httpHeaderBytes']);
  }));

test('a client has a deadline for its body', () =>
  withListener({ bodyTimeMs: 40 }, async ({ limits, requests, join }) => {
    const client = await join(POST);
    await waitFor('its end', () => client.isClosed);
    assert.is(requests.length, 1);
    assert.equal(limits, ['httpBodyTime']);
  }));

test('a client has a deadline to read its response', () =>
  withListener({ bodyTimeMs: 400 }, async ({ limits, requests, join }) => {
    const client = await join('');
    client.socket.pause();
    client.socket.write(GET.replace('/', '/big'));
    await waitFor('the request', () => requests.length === 1);
    await waitFor('the limit', () => limits.length === 1);
    assert.equal(limits, ['httpBodyTime']);
  }));

test('a transfer has a separate deadline', () =>
  withListener({ bodyTimeMs: 40 }, async ({ limits, requests, join }) => {
    const slow = await join(POST.replace('/', '/transfer'));
    const other = await join(POST);
    await waitFor('the other to end', () => other.isClosed);
    assert.is(requests.length, 2);
    assert.not(slow.isClosed);
    slow.socket.write('234567890');
    await waitFor('the answer', () => slow.text.includes('served'));
    assert.equal(limits, ['httpBodyTime']);
  }));

test('a transfer has a deadline', () =>
  withListener({ transferTimeMs: 40 }, async ({ limits, join }) => {
    const slow = await join(POST.replace('/', '/transfer'));
    await waitFor('its end', () => slow.isClosed);
    assert.equal(limits, ['httpTransferTime']);
  }));

test('a kept-alive connection has no deadline between its requests', () =>
  withListener({ bodyTimeMs: 40 }, async ({ limits, requests, join }) => {
    const kept = await join(GET);
    await waitFor('the answer', () => kept.text.includes('served'));
    const slow = await join(POST);
    await waitFor('the other to end', () => slow.isClosed);
    kept.text = '';
    kept.socket.write(GET);
    await waitFor('the second answer', () => kept.text.includes('served'));
    assert.is(requests.length, 3);
    assert.equal(limits, ['httpBodyTime']);
  }));

test('a new connection replaces the oldest idle one', () =>
  withListener({ maxConnections: 3 }, async ({ limits, requests, join }) => {
    const busy = await join(POST);
    await waitFor('the request', () => requests.length === 1);
    const silent = [await join(''), await join('GE')];
    const operator = await join(GET);
    await waitFor('the answer', () => operator.text.includes('served'));
    await waitFor('the oldest to end', () => silent[0]?.isClosed);
    assert.equal([busy.isClosed, silent[1]?.isClosed], [false, false]);
    assert.equal(limits, ['httpConnections']);
  }));

test('if all connections are busy, a new one is closed', () =>
  withListener({ maxConnections: 1 }, async ({ limits, requests, join }) => {
    const busy = await join(POST);
    await waitFor('the request', () => requests.length === 1);
    const late = await join(GET);
    await waitFor('its end', () => late.isClosed);
    assert.is(late.text, '');
    busy.socket.write('234567890');
    await waitFor('the answer', () => busy.text.includes('served'));
    assert.equal(limits, ['httpConnections']);
  }));

test('a connection may have 16 requests at once', () =>
  withListener({}, async ({ limits, requests, join }) => {
    const client = await join(GET.repeat(16));
    await waitFor('all answers', () => client.text.split('served').length === 17);
    client.socket.write(GET.repeat(16));
    await waitFor('all answers', () => client.text.split('served').length === 33);
    const greedy = await join(GET.repeat(17));
    await waitFor('its end', () => greedy.isClosed);
    assert.not(client.isClosed);
    assert.equal(limits, ['httpRequests']);
    client.socket.write(GET);
    await waitFor('the last answer', () => client.text.split('served').length === 34);
    assert.is(requests.length, 33, 'none of the closed connection');
  }));

test('a request waits until its connection has read the answer to the one before', () =>
  withListener({}, async ({ requests, join }) => {
    const of = (path: string) => GET.replace('/', path);
    const slow = await join(`${of('/big')}${of('/next')}`);
    slow.socket.pause();
    await waitFor('the first request', () => requests.length === 1);
    const other = await join(of('/other'));
    await waitFor('another answer', () => other.text.includes('served'));
    assert.equal(requests, ['/big', '/other']);
    slow.socket.resume();
    await waitFor('both answers', () => slow.text.endsWith('served'));
    assert.equal(requests, ['/big', '/other', '/next']);
  }));

test.run();
