import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseWhitelist } from '../../../../src/fourlw/base/whitelist.js';
import { LoadingPort } from '../../../../src/server/node/ports/loading-port.js';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';

/** The answer until the end of the connection, or "refused". */
async function ask(port: number, ...packets: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  try {
    await once(socket, 'connect');
  } catch {
    return 'refused';
  }
  socket.on('error', () => undefined);
  for (const packet of packets) socket.write(packet);
  await once(socket, 'close');
  return text;
}

async function whileLoading(
  run: (port: number, loading: LoadingPort) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const whitelist = parseWhitelist('mntr,isro,ruok', false);
  const loading = new LoadingPort({ address: '127.0.0.1', port }, whitelist);
  try {
    await run(port, loading);
  } finally {
    await loading.close();
  }
  assert.is(await ask(port, 'srvr'), 'refused');
}

const SENTENCE = 'This ZooKeeper instance is not currently serving requests\n';

test('words say how much is loaded, from the first report on', () =>
  whileLoading(async (port, loading) => {
    assert.is(await ask(port, 'srvr'), 'refused');
    loading.show(4);
    await waitFor('the port', async () => (await ask(port, 'srvr')) !== 'refused');
    assert.is(await ask(port, 'srvr'), `${SENTENCE}Loading: 4 %\n`);
    loading.show(57);
    assert.is(await ask(port, 'm', 'ntr\n'), `${SENTENCE}Loading: 57 %\n`);
    assert.is(await ask(port, 'isro'), 'null');
    assert.match(await ask(port, 'stat'), 'stat is not executed because');
  }));

test('whatever only a server can answer is closed', () =>
  whileLoading(async (port, loading) => {
    loading.show(1);
    await waitFor('the port', async () => (await ask(port, 'srvr')) !== 'refused');
    for (const packet of ['ruok', 'GET / HTTP/1.1\r\n\r\n', Buffer.alloc(48)]) {
      assert.is(await ask(port, packet), '', `${packet}`);
    }
  }));

test('a silent connection does not keep the port', () =>
  whileLoading(async (port, loading) => {
    loading.show(1);
    await waitFor('the port', async () => (await ask(port, 'srvr')) !== 'refused');
    const closed = ask(port, 'sr');
    await ask(port, 'srvr');
    await loading.close();
    assert.is(await closed, '');
  }));

test('without a port for clients, or with a free one, nothing listens', async () => {
  for (const place of [null, { address: null, port: 0 }]) {
    const loading = new LoadingPort(place, parseWhitelist('', false));
    loading.show(50);
    await loading.close();
  }
});

test('a port in use is left to the start, which reports it', () =>
  whileLoading(async (port, loading) => {
    loading.show(1);
    await waitFor('the port', async () => (await ask(port, 'srvr')) !== 'refused');
    const second = new LoadingPort({ address: '127.0.0.1', port }, parseWhitelist('', false));
    second.show(2);
    assert.is(await ask(port, 'srvr'), `${SENTENCE}Loading: 1 %\n`);
    await second.close();
  }));

test.run();
