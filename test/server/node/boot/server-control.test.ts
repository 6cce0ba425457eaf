import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  askWord,
  CreateModes,
  createClient,
  type SessionClient,
} from '../../../../src/client/index.js';
import type { RunningServer } from '../../../../src/server/main.js';
import { startBundled, startBundledEnsemble } from '../../../support/bundled.js';
import { startProxy } from '../../../support/peers/proxy.js';
import { waitFor } from '../../../support/wait-for.js';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

async function withServer(
  run: (server: RunningServer, client: SessionClient) => Promise<void>,
): Promise<void> {
  const server = await startBundled({ config: { tickTime: '100' } });
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    await run(server, client);
  } finally {
    server.control.heal();
    await client.close();
    await server.close();
  }
}

test('a session expires although its client is alive', () =>
  withServer(async (server, client) => {
    const other = createClient({ connectString: server.connectString });
    await other.connect();
    await client.create('/e', '', { mode: CreateModes.EPHEMERAL });
    assert.equal([...server.control.sessions].sort(), [client.sessionId, other.sessionId].sort());
    server.control.expireSession(client.sessionId);
    await waitFor('the end of the session', () => client.state === 'expired');
    assert.is(await other.exists('/e'), null);
    server.control.expireSession(client.sessionId);
    assert.is(other.state, 'connected');
    await other.close();
  }));

test('the connection of one session breaks, and the client comes back', () =>
  withServer(async (server, client) => {
    const other = createClient({ connectString: server.connectString });
    await other.connect();
    const states: string[] = [];
    client.on('state', (state) => states.push(state));
    const { sessionId } = client;
    server.control.cut(sessionId);
    await waitFor('the reconnect', () => states.length === 2);
    assert.equal(states, ['disconnected', 'connected']);
    assert.is(client.sessionId, sessionId);
    assert.is(other.state, 'connected');
    await other.close();
  }));

test('a server that refuses connections lets clients back when it is well', () =>
  withServer(async (server, client) => {
    server.control.refuseConnections();
    server.control.cut();
    await waitFor('the loss', () => client.state === 'disconnected');
    const late = createClient({ connectString: server.connectString, connectRounds: 1 });
    assert.is((await failure(late.connect())).code, 'ECONNECT');
    assert.is(client.state, 'disconnected');
    server.control.heal();
    await client.sync('/');
  }));

test('replies come late, in order', () =>
  withServer(async (server, client) => {
    server.control.delayReplies(300);
    const late = client.create('/late');
    const error = await failure(client.exists('/late', { timeoutMs: 20 }));
    assert.is(error.code, 'ETIMEDOUT');
    server.control.heal();
    const { stat } = await late;
    assert.is((await client.exists('/late'))?.czxid, stat.czxid);
  }));

test('writes happen whose replies are lost', () =>
  withServer(async (server, client) => {
    server.control.dropReplies();
    const error = await failure(client.create('/lost', 'x', { timeoutMs: 200 }));
    assert.equal([error.code, error.hasUnknownOutcome], ['ETIMEDOUT', true]);
    server.control.heal();
    server.control.cut();
    await waitFor('the loss', () => client.state === 'disconnected');
    assert.is(String((await client.getData('/lost')).data), 'x');
  }));

test('writes are refused, and reads are not', () =>
  withServer(async (server, client) => {
    await client.create('/a', 'x');
    server.control.refuseWrites();
    assert.is((await failure(client.setData('/a', 'y'))).code, 'THROTTLEDOP');
    assert.is((await failure(client.multi([{ op: 'delete', path: '/a' }]))).code, 'THROTTLEDOP');
    assert.is(String((await client.getData('/a')).data), 'x');
    server.control.heal();
    await client.setData('/a', 'y');
  }));

test('a read-only server serves only clients that accept it, until it heals', () =>
  withServer(async (server, writer) => {
    await writer.create('/a', 'x');
    const { connectString } = server;
    const reader = createClient({ connectString, canBeReadOnly: true });
    const states: string[] = [];
    reader.on('state', (state) => states.push(state));
    try {
      await reader.connect();
      const { sessionId } = reader;
      server.control.goReadOnly();
      await waitFor('read-only', () => reader.state === 'connected-readonly');
      assert.is(reader.sessionId, sessionId);
      assert.is(server.mode, 'read-only');
      const address = { host: '127.0.0.1', port: server.port };
      assert.is(String(await askWord(address, 'isro')), 'ro');
      assert.is(String((await reader.getData('/a')).data), 'x');
      assert.is((await failure(reader.setData('/a', 'y'))).code, 'NOTREADONLY');
      assert.is((await failure(reader.sync('/a'))).code, 'NOTREADONLY');
      assert.is(writer.state, 'disconnected');
      server.control.goReadOnly();
      server.control.heal();
      await waitFor('both', () => reader.state === 'connected' && writer.state === 'connected');
      await reader.setData('/a', 'y');
      assert.is(String((await writer.getData('/a')).data), 'y');
      assert.is(server.mode, 'standalone');
    } finally {
      await reader.close();
    }
  }));

test('no session expires while time stands still', () =>
  withServer(async (server, observer) => {
    const proxy = await startProxy(server.port);
    const { connectString } = proxy;
    const gone = createClient({ connectString, sessionTimeoutMs: 400 });
    try {
      await gone.connect();
      await gone.create('/e', '', { mode: CreateModes.EPHEMERAL });
      server.control.freezeTime();
      proxy.refuse();
      // By the clock of the client, the session is over.
      await waitFor('the end of the session', () => gone.state === 'expired');
      assert.not.equal(await observer.exists('/e'), null);
      server.control.heal();
      const isGone = async () => (await observer.exists('/e')) === null;
      await waitFor('the end at the server', isGone);
    } finally {
      await gone.close();
      await proxy.close();
    }
  }));

test('an ensemble loses its leader, and elects another one', async () => {
  const ensemble = await startBundledEnsemble();
  const client = createClient({ connectString: ensemble.connectString });
  try {
    await client.connect();
    await client.create('/a');
    const lost = await ensemble.loseLeader();
    assert.is(lost?.mode, undefined);
    assert.is(lost?.control, undefined);
    await ensemble.untilServing();
    await client.sync('/a').catch(() => client.sync('/a'));
    await lost?.start();
    await ensemble.untilServing();
    const leader = ensemble.members.find(({ mode }) => mode === 'leader');
    leader?.control?.expireSession(client.sessionId);
    await waitFor('the end of the session', () => client.state === 'expired');
  } finally {
    await client.close();
    await ensemble.close();
  }
});

test('an ensemble without a quorum becomes read-only', async () => {
  const config = { 'readonlymode.enabled': 'true', localSessionsEnabled: 'true' };
  const ensemble = await startBundledEnsemble({ config });
  const { connectString } = ensemble;
  const client = createClient({ connectString, canBeReadOnly: true, connectTimeoutMs: 60_000 });
  try {
    const closed = await ensemble.loseQuorum();
    assert.is(closed.length, 2);
    await client.connect();
    assert.is(client.state, 'connected-readonly');
    assert.is((await failure(client.create('/a'))).code, 'NOTREADONLY');
    await Promise.all(closed.map((member) => member.start()));
    await waitFor('a writable server', () => client.state === 'connected');
    await client.create('/a');
  } finally {
    await client.close();
    await ensemble.close();
  }
});

test.run();
