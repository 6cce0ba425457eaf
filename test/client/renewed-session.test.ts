// With renewSession, a new session follows an expired one, with the watches and identities of it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CREATOR_ALL_ACL,
  createClient,
  openTreeCache,
  type SessionClient,
} from '../../src/client/index.js';
import { failureOf } from '../recipes/world.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';

interface Stage {
  readonly client: SessionClient;
  readonly other: SessionClient;
  readonly server: Awaited<ReturnType<typeof startBundled>>;
  expire(): Promise<void>;
}

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await startBundled();
  const { connectString } = server;
  const client = createClient({ connectString, renewSession: true });
  const other = createClient({ connectString });
  try {
    await Promise.all([client.connect(), other.connect()]);
    const expire = async (): Promise<void> => {
      const before = client.sessionId;
      server.control.expireSession(before);
      await waitFor('the next session', () => client.sessionId !== before && client.sessionId > 0n);
    };
    await run({ client, other, server, expire });
  } finally {
    await client.close();
    await other.close();
    await server.close();
  }
}

test('the client tells of each step, and works on', () =>
  onStage(async ({ client, expire }) => {
    const heard: unknown[] = [];
    client.on('state', (state) => heard.push(state));
    client.on('renewed', ({ previousSessionId, sessionId }) => {
      heard.push(previousSessionId === before && sessionId === client.sessionId);
    });
    const before = client.sessionId;
    await client.create('/a', 'x');
    await expire();
    await waitFor('the event', () => heard.includes(true));
    assert.equal(heard, ['disconnected', 'expired', 'connecting', 'connected', true]);
    await client.connect();
    assert.is(String((await client.getData('/a')).data), 'x');
    await client.close();
    assert.is((await failureOf(client.connect())).code, 'ECLOSED');
  }));

test('the new session has the identities and the persistent watches of the old one', () =>
  onStage(async ({ client, other, expire }) => {
    await client.addAuth('digest', 'alice:secret');
    await client.create('/private', 'x', { acl: CREATOR_ALL_ACL });
    const events: string[] = [];
    await client.addWatch('/', 1, ({ type, path }) => events.push(`${type} ${path}`));
    await expire();
    assert.is(String((await client.getData('/private')).data), 'x');
    await other.create('/b');
    await waitFor('the event', () => events.includes('NodeCreated /b'));
  }));

test('watch() reports a gap, and a cache is exact again', () =>
  onStage(async ({ client, other, expire }) => {
    await other.create('/app', 'v1');
    const changes: string[] = [];
    const stop = new AbortController();
    const watching = failureOf(
      (async () => {
        for await (const change of client.watch('/app', { signal: stop.signal })) {
          changes.push(change.type === 'Gap' ? `gap ${change.reason}` : change.type);
        }
      })(),
    );
    const cache = await openTreeCache(client, '/app');
    await waitFor('the first gap', () => changes.length === 1);
    const before = client.sessionId;
    const expired = expire();
    await other.setData('/app', 'v2');
    await expired;
    await waitFor('a gap', () => changes.includes('gap reconnected'));
    await waitFor('the new data', () => String(cache.get('/app')?.data) === 'v2');
    assert.is.not(client.sessionId, before);
    stop.abort();
    assert.is((await watching).code, 'ABORT_ERR');
    await cache.close();
  }));

test('requests of the old session end with it, and tell whether they may have happened', () =>
  onStage(async ({ client, server, expire }) => {
    server.control.dropReplies();
    const read = failureOf(client.getData('/'));
    const write = failureOf(client.create('/sent'));
    await client.exists('/', { timeoutMs: 20 }).catch(() => undefined);
    server.control.heal();
    await Promise.all([expire(), read, write]);
    const [readError, writeError] = [await read, await write] as { hasUnknownOutcome?: boolean }[];
    assert.is(readError?.hasUnknownOutcome ?? false, (await read).code === 'CONNECTIONLOSS');
    assert.is(writeError?.hasUnknownOutcome, true);
  }));

test('a client without renewSession ends with its session', async () => {
  const server = await startBundled();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    server.control.expireSession(client.sessionId);
    await waitFor('the end', () => client.state === 'expired');
    assert.is((await failureOf(client.exists('/'))).code, 'SESSIONEXPIRED');
  } finally {
    await client.close();
    await server.close();
  }
});

test.run();
