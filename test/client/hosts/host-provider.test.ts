import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectTo, dnsSrvHosts, RequestAbortedError } from '../../../src/client/index.js';
import { startBundledEnsemble } from '../../support/bundled.js';
import { startProxy } from '../../support/peers/proxy.js';
import { waitFor } from '../../support/wait-for.js';

test('a client follows the servers of its provider when the connection is lost', async () => {
  const ensemble = await startBundledEnsemble();
  const [first, second] = ensemble.connectString
    .split(',')
    .map((each) => Number(each.split(':')[1]));
  const old = await startProxy(first ?? 0);
  let connectString = old.connectString;
  const asked: string[] = [];
  const provider = {
    connectString: async () => {
      asked.push(connectString);
      return connectString;
    },
  };
  const client = await connectTo(provider, { sessionTimeoutMs: 10_000 });
  try {
    const id = client.sessionId;
    assert.is(client.server, old.connectString);
    connectString = `127.0.0.1:${second}`;
    old.refuse();
    await waitFor('the new server', () => client.server === connectString);
    assert.is(client.sessionId, id);
    assert.ok(asked.length >= 2);
  } finally {
    await client.close();
    await old.close();
    await ensemble.close();
  }
});

test('a client asks its provider again after a while, and keeps its servers if that fails', async () => {
  const ensemble = await startBundledEnsemble();
  let asked = 0;
  const provider = {
    connectString: async () => {
      if (++asked > 1) throw new Error('no name server answers');
      return ensemble.connectString;
    },
  };
  const client = await connectTo(provider, { refreshMs: 1 });
  try {
    await waitFor('a further question', () => asked > 3);
    assert.is(client.state, 'connected');
  } finally {
    await client.close();
    await ensemble.close();
  }
});

test('SRV records become a connect string', async () => {
  const record = { name: 'zk1.example.org.', port: 2181, priority: 1, weight: 0 };
  const names: string[] = [];
  const hosts = dnsSrvHosts('srv://_zookeeper._tcp.example.org/app', async (name) => {
    names.push(name);
    return [record];
  });
  assert.is(await hosts.connectString(), 'zk1.example.org:2181/app');
  assert.equal(names, ['_zookeeper._tcp.example.org']);
});

test('a provider without a list rejects the connection with its reason', async () => {
  const provider = { connectString: () => Promise.reject(new Error('no registry')) };
  const error = await connectTo(provider).catch((failure: unknown) => failure);
  assert.is(error instanceof Error && error.message, 'no registry');
});

test('a signal or a timeout ends the wait for a provider, and for its servers', async () => {
  const silent = { connectString: () => new Promise<string>(() => undefined) };
  // Accepts connections and says nothing.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const accepted = new Promise((resolve) => server.on('connection', resolve));
  try {
    const reason = new Error('the program ends');
    for (const provider of [silent, { connectString: async () => `127.0.0.1:${port}` }]) {
      const late = await connectTo(provider, { timeoutMs: 1 }).catch((failure) => failure);
      assert.is(late.code, 'ETIMEDOUT');
      const limit = new AbortController();
      const connecting = connectTo(provider, { signal: limit.signal });
      if (provider !== silent) await accepted;
      limit.abort(reason);
      const error = await connecting.catch((failure) => failure);
      assert.instance(error, RequestAbortedError);
      assert.is(error.cause, reason);
      const again = await connectTo(provider, { signal: limit.signal }).catch((e) => e);
      assert.is(again.cause, reason);
    }
  } finally {
    server.close();
  }
});

test.run();
