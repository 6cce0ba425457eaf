// A client is an emitter of Node.js, and what it returns can be logged.
import { once } from 'node:events';
import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createClient,
  decodedTrace,
  openTreeCache,
  type SessionClient,
} from '../../src/client/index.js';
import { Lock, Queue } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { uncaughtIn } from '../support/uncaught.js';
import { waitFor } from '../support/wait-for.js';

async function withClient(
  run: (client: SessionClient, server: Awaited<ReturnType<typeof startBundled>>) => Promise<void>,
): Promise<void> {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  try {
    await run(client, server);
  } finally {
    await client.close();
    await server.close();
  }
}

test('events.once waits for a state', () =>
  withClient(async (client, server) => {
    const connected = once(client, 'connected');
    const state = once(client, 'state');
    await client.connect();
    await connected;
    assert.is((await state)[0], 'connected');
    const lost = once(client, 'disconnected');
    server.control.cut(client.sessionId);
    assert.instance((await lost)[0], Error);
  }));

test('a listener of once hears one event, and off removes it', () =>
  withClient(async (client, server) => {
    let heard = 0;
    const removed = (): void => assert.unreachable();
    client.once('connected', () => heard++).once('connected', removed);
    client.off('connected', removed);
    await client.connect();
    server.control.cut(client.sessionId);
    await waitFor('the loss', () => client.state === 'disconnected');
    await waitFor('the connection', () => client.state === 'connected');
    assert.is(heard, 1);
    assert.is(client.listenerCount('connected'), 0);
    assert.throws(() => client.on('conected' as 'connected', removed), /"conected" \(expected/);
  }));

const failing = (what: string) => (): never => {
  throw new Error(what);
};

test('a listener that throws keeps the news from nobody', () =>
  withClient(async (client, server) => {
    const uncaught = await uncaughtIn(async () => {
      client.on('state', failing('state')).on('watch', failing('watch'));
      client.within('/').on('watch', failing('view'));
      const heard: string[] = [];
      client.on('connected', () => heard.push('connected')).on('watch', () => heard.push('watch'));
      const held = await new Lock(client, '/lock').acquire();
      await client.exists('/a', { watch: true });
      await client.create('/a');
      await waitFor('the event', () => heard.length === 2);
      assert.equal(heard, ['connected', 'watch']);
      server.control.expireSession(client.sessionId);
      await waitFor('the loss', () => held.signal.aborted);
      client.removeAllListeners('state');
    });
    assert.ok(uncaught.includes('state') && uncaught.includes('watch'), String(uncaught));
  }));

test('a trace that throws does not disturb the session', async () => {
  const server = await startBundled();
  const trace = decodedTrace(failing('trace'));
  const client = createClient({ connectString: server.connectString, trace });
  try {
    const uncaught = await uncaughtIn(async () => {
      await client.create('/a', 'x', { timeoutMs: 5000 });
      assert.is(String((await client.getData('/a')).data), 'x');
      await client.close();
    });
    assert.ok(uncaught.includes('trace'));
    const misused = { connectString: server.connectString, trace: (() => undefined) as never };
    assert.throws(() => createClient(misused), /^options.trace\(\): wrong type: undefined/);
  } finally {
    await client.close();
    await server.close();
  }
});

test('a client in a log has no password', () =>
  withClient(async (client) => {
    await client.connect();
    const { sessionPassword } = client;
    for (const text of [inspect(client, { depth: 9 }), JSON.stringify(client)]) {
      assert.match(text, client.sessionId.toString(16));
      assert.not.match(text, /password/i);
      assert.not.match(text, sessionPassword.toString('hex'));
      assert.not.match(text, String(sessionPassword[0]).concat(',', String(sessionPassword[1])));
    }
  }));

test('a Stat has times for a Date, and is JSON', () =>
  withClient(async (client) => {
    const { stat } = await client.create('/a', 'x').then(() => client.getData('/a'));
    assert.type(stat.ctime, 'number');
    assert.is(new Date(stat.mtime).getTime(), stat.mtime);
    const read = JSON.parse(JSON.stringify(stat));
    assert.equal(read, {
      ...stat,
      czxid: String(stat.czxid),
      mzxid: String(stat.mzxid),
      pzxid: String(stat.pzxid),
      ephemeralOwner: '0',
    });
    const copies = [(await client.exists('/a')) ?? {}, (await client.getChildren('/a')).stat];
    for (const copy of copies) assert.is(JSON.stringify(copy), JSON.stringify(stat));
  }));

test('many calls share a signal, and Node.js warns of no leak', () =>
  withClient(async (client) => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => {
      warnings.push(name);
    };
    process.on('warning', onWarning);
    const stop = new AbortController();
    const { signal } = stop;
    try {
      await client.connect();
      await client.create('/line');
      const held = await new Lock(client, '/lock').acquire();
      const calls = Array.from({ length: 30 }, (_, at) => [
        client.getData('/line', { signal }),
        new Lock(client, '/lock').acquire({ signal }),
        new Queue(client, `/queue-${at}`).take({ signal }),
        openTreeCache(client, '/line', { signal }).then((cache) => cache.close()),
        client.watch('/line', { signal }).next(),
      ]).flat();
      const ended = Promise.allSettled(calls);
      await client.sync('/line');
      stop.abort();
      await ended;
      await held.release();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(warnings, []);
    } finally {
      process.off('warning', onWarning);
    }
  }));

test.run();
