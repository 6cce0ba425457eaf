import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createNativeClient } from '../../src/client/native/native.js';
import { createClient } from '../../src/client/zookeeper.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { startBundled } from '../support/bundled.js';
import { startProxy } from '../support/peers/proxy.js';
import { waitFor } from '../support/wait-for.js';

test('a session moves to its new list of servers, and keeps its state', async () => {
  const server = await startBundled();
  const [from, to] = [await startProxy(server.port), await startProxy(server.port)];
  const client = createClient({ connectString: from.connectString });
  try {
    await client.connect();
    const { sessionId } = client;
    await client.create('/mine', null, { mode: CreateModes.EPHEMERAL });
    client.updateServers(to.connectString);
    await waitFor('the client to move', () => client.server === to.connectString);
    assert.is(client.sessionId, sessionId);
    assert.equal(await client.getEphemerals(), ['/mine']);
    client.updateServers(`${to.connectString},${from.connectString}`);
    assert.throws(
      () => client.updateServers(`${to.connectString}/app`),
      /the chroot differs: \/app \(expected none, as in the session\)/,
    );
    assert.throws(
      () => client.updateServers('a:b'),
      (error: unknown) => error instanceof RangeError,
    );
  } finally {
    await client.close();
    await from.close();
    await to.close();
    await server.close();
  }
});

test('the native client reports that it does not support this', () => {
  const client = createNativeClient({ connectString: '127.0.0.1:1' });
  assert.throws(() => client.updateServers('127.0.0.1:2'), /use the built-in client/);
});

test.run();
