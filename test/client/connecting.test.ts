// When and where a client connects, and how its calls end when it cannot.
import dns from 'node:dns';
import { createServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createClient,
  retry,
  retryingClient,
  type ZooKeeperClient,
} from '../../src/client/index.js';
import { PLAIN } from '../../src/server/node/sockets/dial.js';
import { failureOf } from '../recipes/world.js';
import { startBundled } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { waitFor } from '../support/wait-for.js';

const NAME = 'headless.test';
const ADDRESSES = ['127.0.0.2', '127.0.0.3'];

/** Runs while the name has two addresses: the first accepts connections and closes them. */
async function withName(run: (port: number, dials: () => number) => Promise<void>): Promise<void> {
  const { lookup } = dns;
  const fake = (
    name: string,
    options: dns.LookupAllOptions,
    callback: (...args: never[]) => void,
  ) =>
    name === NAME
      ? process.nextTick(
          callback as (...args: unknown[]) => void,
          null,
          options.all === true
            ? ADDRESSES.map((address) => ({ address, family: 4 }))
            : (ADDRESSES[0] ?? ''),
          4,
        )
      : lookup(name, options, callback as never);
  let dials = 0;
  const closing = createServer((socket) => {
    dials++;
    socket.on('error', () => undefined);
    socket.destroy();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => closing.listen(port, ADDRESSES[0], resolve));
  const server = await startBundled({ port, host: ADDRESSES[1] ?? '' });
  try {
    (dns as { lookup: unknown }).lookup = fake;
    await run(port, () => dials);
  } finally {
    dns.lookup = lookup;
    await server.close();
    closing.close();
  }
}

test('a client tries every address of a host name', () =>
  withName(async (port) => {
    const client = createClient({ connectString: `${NAME}:${port}` });
    try {
      await client.connect();
      assert.is(client.state, 'connected');
    } finally {
      await client.close();
    }
  }));

test('servers that dial a host name try every address of it', () =>
  withName(async (port, dials) => {
    const remotes = new Set<string | undefined>();
    for (let dial = 0; dial < 2; dial++) {
      const { socket, ready } = PLAIN.open({ host: NAME, port });
      socket.on('error', () => undefined);
      await new Promise((resolve) => socket.once(ready, resolve).once('close', resolve));
      remotes.add(socket.remoteAddress);
      socket.destroy();
    }
    assert.ok(remotes.has(ADDRESSES[1]), `${[...remotes]}`);
    await waitFor('the other address', () => dials() > 0);
  }));

const CALLS: Readonly<Record<string, (client: ZooKeeperClient) => Promise<unknown>>> = {
  exists: (client) => client.exists('/'),
  create: (client) => client.create('/a'),
  multi: (client) => client.multi([{ op: 'check', path: '/', version: 0 }]),
  addAuth: (client) => client.addAuth('digest', 'a:b'),
  'a step of watch': (client) => client.watch('/').next(),
  'a call of a retryingClient': (client) => retryingClient(client).exists('/'),
};

for (const [name, call] of Object.entries(CALLS)) {
  test(`${name} connects by itself`, async () => {
    const server = await startBundled();
    const client = createClient({ connectString: server.connectString, connectTimeoutMs: 5000 });
    try {
      await call(client);
      assert.is(client.state, 'connected');
    } finally {
      await client.close();
      await server.close();
    }
  });
  test(`${name} ends if no server is reachable, and tells why`, async () => {
    const connectString = `127.0.0.1:${await freePort()}`;
    const client = createClient({ connectString, connectTimeoutMs: 100 });
    const failure = await failureOf(call(client));
    assert.equal([failure.name, failure.code], ['ClosedError', 'ECLOSED']);
    const cause = failure.cause as Error & { code: string; attempts: readonly object[] };
    assert.equal([cause.name, cause.code], ['ConnectError', 'ECONNECT']);
    assert.equal(
      cause.attempts.map((attempt) => ({ ...attempt, reason: '' })),
      [{ server: connectString, code: 'ECONNREFUSED', reason: '' }],
    );
    await client.close();
  });
}

test('connect() of a closed or expired client rejects', async () => {
  const server = await startBundled();
  const { connectString } = server;
  const [closed, expired] = [createClient({ connectString }), createClient({ connectString })];
  try {
    await Promise.all([closed.connect(), expired.connect()]);
    await closed.close();
    const after = await failureOf(closed.connect());
    assert.equal([after.name, after.code], ['ClosedError', 'ECLOSED']);
    server.control.expireSession(expired.sessionId);
    await waitFor('the end', () => expired.state === 'expired');
    assert.is((await failureOf(expired.connect())).code, 'SESSIONEXPIRED');
  } finally {
    await expired.close();
    await server.close();
  }
});

test('no retry continues after close()', async () => {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    await client.close();
    let attempts = 0;
    const work = (): Promise<unknown> => {
      attempts++;
      return client.exists('/');
    };
    const policy = { attempts: 5, firstDelayMs: 1 };
    assert.is((await failureOf(retry(work, policy))).code, 'ECLOSED');
    assert.is(attempts, 1);
    const states: string[] = [];
    const patient = retryingClient(client, { attempts: 1000, firstDelayMs: 60_000 });
    for (const call of [() => patient.exists('/'), () => patient.create('/a')]) {
      states.push(String((await failureOf(call())).code));
    }
    assert.equal(states, ['ECLOSED', 'ECLOSED']);
  } finally {
    await server.close();
  }
});

test.run();
