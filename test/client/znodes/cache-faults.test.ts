// A cache continues after an exception of its listener, an unreadable znode, and a removed watch.
// Its end is never silent.
import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CREATOR_ALL_ACL,
  createClient,
  mkdirp,
  OPEN_ACL_UNSAFE,
  openTreeCache,
  type SessionClient,
  WatcherType,
} from '../../../src/client/index.js';
import { Group, ServiceCache } from '../../../src/recipes/index.js';
import { failureOf } from '../../recipes/world.js';
import { startBundled } from '../../support/bundled.js';
import { waitFor } from '../../support/wait-for.js';

interface Stage {
  readonly client: SessionClient;
  readonly other: SessionClient;
  readonly server: Awaited<ReturnType<typeof startBundled>>;
}

async function onStage(run: (stage: Stage) => Promise<void>): Promise<void> {
  const server = await startBundled();
  const { connectString } = server;
  const client = createClient({ connectString, maxFrameLength: 10_000 });
  const other = createClient({ connectString });
  try {
    await Promise.all([client.connect(), other.connect()]);
    await mkdirp(other, '/app/a');
    await run({ client, other, server });
  } finally {
    await client.close();
    await other.close();
    await server.close();
  }
}

test('an exception of onChange goes to onError, and the cache continues', () =>
  onStage(async ({ client, other }) => {
    const errors: unknown[] = [];
    const cache = await openTreeCache(client, '/app', {
      onChange: () => {
        throw new Error('of the listener');
      },
      onError: (error) => errors.push(error),
    });
    for (const data of ['1', '2']) {
      await other.setData('/app/a', data);
      await waitFor('the data', () => String(cache.get('/app/a')?.data) === data);
    }
    assert.equal(errors.map(String), ['Error: of the listener', 'Error: of the listener']);
    await cache.close();
    assert.is(errors.length, 2, 'nobody hears of close()');
  }));

test('an unreadable znode is absent with all below it, and onError hears of it once', () =>
  onStage(async ({ client, other, server }) => {
    const errors: string[] = [];
    await mkdirp(other, '/app/secret/below');
    await other.addAuth('digest', 'alice:secret');
    await other.setACL('/app/secret', CREATOR_ALL_ACL);
    const cache = await openTreeCache(client, '/app', {
      onError: (error) => {
        const { code, path } = error as { code?: string; path?: string };
        errors.push(`${code} ${path}`);
      },
    });
    assert.equal(cache.children('/app'), ['a']);
    server.control.cut(client.sessionId);
    await waitFor('the loss', () => client.state === 'disconnected');
    await other.setData('/app/a', 'last');
    await waitFor('the last data', () => String(cache.get('/app/a')?.data) === 'last');
    assert.is(cache.get('/app/secret/below'), undefined);
    assert.equal(errors, ['NOAUTH /app/secret']);
    await other.setACL('/app/secret', OPEN_ACL_UNSAFE);
    await other.setData('/app/secret', 'z');
    await waitFor('it again', () => cache.get('/app/secret/below'));
    await cache.close();
  }));

test('a znode that is longer than a reply may be is absent until it is shorter', () =>
  onStage(async ({ client, other }) => {
    const errors: unknown[] = [];
    await other.create('/app/long', Buffer.alloc(20_000));
    const cache = await openTreeCache(client, '/app', { onError: (error) => errors.push(error) });
    assert.equal(cache.children('/app'), ['a']);
    // The reply ended the connection.
    await waitFor(
      'the connection',
      async () => (await client.exists('/').catch(() => null)) !== null,
    );
    await other.setData('/app/long', 'short');
    await waitFor('the short data', () => String(cache.get('/app/long')?.data) === 'short');
    assert.is(errors.length, 1);
    await cache.close();
  }));

test('a cache reads a long znode that has become shorter while the client was away', () =>
  onStage(async ({ client, other, server }) => {
    await other.create('/app/long', Buffer.alloc(20_000));
    const cache = await openTreeCache(client, '/app', { onError: () => undefined });
    server.control.refuseConnections();
    server.control.cut(client.sessionId);
    await other.setData('/app/long', 'short');
    server.control.heal();
    await waitFor('the short data', () => String(cache.get('/app/long')?.data) === 'short');
    await cache.close();
  }));

test('a list of children that is too long ends the connection a few times at most', () =>
  onStage(async ({ client, other }) => {
    await other.create('/app/many');
    const names = Array.from({ length: 300 }, (_, at) => `/app/many/${'x'.repeat(60)}${at}`);
    await Promise.all(names.map((path) => other.create(path)));
    let losses = 0;
    client.on('disconnected', () => losses++);
    const cache = await openTreeCache(client, '/app', { onError: () => undefined });
    await waitFor(
      'the connection',
      async () => (await client.exists('/').catch(() => null)) !== null,
    );
    await other.setData('/app/a', 'last');
    await waitFor('the last data', () => String(cache.get('/app/a')?.data) === 'last');
    assert.ok(losses <= 2, `${losses} lost connections`);
    assert.is(cache.get('/app/many'), undefined);
    await cache.close();
  }));

test('a removed watch ends a watch() loop with NOWATCHER, and a cache sets it again', () =>
  onStage(async ({ client, other }) => {
    const loop = client.watch('/app', { recursive: true });
    await loop.next();
    const cache = await openTreeCache(client, '/app');
    const step = failureOf(loop.next());
    await client.removeWatches('/app', WatcherType.PersistentRecursive);
    assert.is((await step).code, 'NOWATCHER');
    await other.setData('/app/a', 'after');
    await waitFor('the data', () => String(cache.get('/app/a')?.data) === 'after');
    await cache.close();
  }));

test('a cache that is closed leaves the watches of others at its path', () =>
  onStage(async ({ client, other }) => {
    const tree = await openTreeCache(client, '/app');
    const loop = client.watch('/app', { recursive: true });
    await loop.next();
    const [first, second] = [
      await ServiceCache.open(client, '/app'),
      await ServiceCache.open(client, '/app'),
    ];
    await first.close();
    const next = loop.next();
    await new Group(other, '/app/a').join('one', 'x');
    await waitFor('the instance', () => second.instances('a').length === 1);
    await waitFor('the znode', () => tree.get('/app/a/one'));
    assert.is((await next).value.path, '/app/a/one');
    assert.equal(first.instances('a'), []);
    await Promise.all([second.close(), tree.close(), loop.return?.(undefined as never)]);
  }));

test('the end of a cache goes to onError, and to ended', () =>
  onStage(async ({ client, other, server }) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => {
      errors.push((error as { code?: unknown }).code);
    };
    const caches = [
      await openTreeCache(client, '/app', { onError }),
      await ServiceCache.open(client, '/app', () => undefined, { onError }),
    ];
    const ends = caches.map(({ ended }) => failureOf(ended));
    server.control.expireSession(client.sessionId);
    for (const end of ends) assert.is((await end).code, 'SESSIONEXPIRED');
    assert.equal(errors, ['SESSIONEXPIRED', 'SESSIONEXPIRED']);
    await other.exists('/');
  }));

/** Runs a program in a process of its own: it ends by what nobody catches. */
function outcomeOf(body: string): string {
  const from = (path: string) =>
    JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);
  const program = `
    import { createClient, openTreeCache } from ${from('client/index.js')};
    import { startServer } from ${from('server/main.js')};
    const server = await startServer();
    const client = createClient({ connectString: server.connectString });
    await client.connect();
    await client.create('/app');
    process.on('uncaughtException', (error) => {
      console.log('uncaught', error.code ?? error.message);
      process.exit();
    });
    ${body}`;
  const args = ['--input-type=module', '-e', program];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000 }).stdout.trim();
}

const EXPIRE = 'server.control.expireSession(client.sessionId);';

test('an end that nobody awaits is an uncaught exception', () => {
  const open = "const cache = await openTreeCache(client, '/app');";
  assert.is(outcomeOf(`${open} ${EXPIRE}`), 'uncaught SESSIONEXPIRED');
  const awaiting =
    "cache.ended.catch(({ code }) => { console.log('ended', code); process.exit(); });";
  assert.is(outcomeOf(`${open} ${awaiting} ${EXPIRE}`), 'ended SESSIONEXPIRED');
  const close = "await cache.close(); await client.close(); console.log('closed'); process.exit();";
  assert.is(outcomeOf(`${open} ${close}`), 'closed');
});

test('without onError, an exception of onChange is an uncaught exception', () => {
  const open = `await openTreeCache(client, '/app', { onChange() { throw new Error('mine'); } });`;
  assert.is(outcomeOf(`${open} await client.setData('/app', 'x');`), 'uncaught mine');
});

test('a cache reads many changed znodes at a time', () =>
  onStage(async ({ client, other, server }) => {
    const count = 60;
    const paths = Array.from({ length: count }, (_, at) => `/app/${at}`);
    await Promise.all(paths.map((path) => other.create(path, 'v0')));
    const cache = await openTreeCache(client, '/app');
    let [open, most] = [0, 0];
    const getData = client.getData.bind(client);
    client.getData = async (path, options) => {
      most = Math.max(most, ++open);
      try {
        return await getData(path, options);
      } finally {
        open--;
      }
    };
    server.control.delayReplies(10);
    await Promise.all(paths.map((path) => other.setData(path, 'v1')));
    await waitFor('the data', () => paths.every((path) => String(cache.get(path)?.data) === 'v1'));
    assert.ok(most > 10, `${most} at a time`);
    await cache.close();
  }));

test.run();
