// conformance: runs against Apache's server, too.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type CallOptions,
  CreateModes,
  createIfMissing,
  deleteAll,
  getValue,
  jsonCodec,
  MultiError,
  mkdirp,
  OPEN_ACL_UNSAFE,
  RequestAbortedError,
  setValue,
  transaction,
  updateValue,
  ValueError,
  walk,
  type ZooKeeperClient,
} from '../../../src/client/index.js';
import { inWorld, type World } from '../../recipes/world.js';
import { chosenTest, sharedServer } from '../../support/apache/chosen-server.js';
import { FakeClient } from '../../support/peers/fake-client.js';

const shared = sharedServer();

function check(title: string, run: (world: World, client: ZooKeeperClient) => Promise<void>): void {
  const work = shared.use((server) =>
    inWorld(server.port, async (world) => run(world, await world.client())),
  );
  chosenTest(title, work);
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

check('mkdirp creates the missing znodes, and returns their paths', async ({ path }, client) => {
  const made = await mkdirp(client, `${path}/a/b`, { data: 'x' });
  assert.equal(made.slice(-2), [`${path}/a`, `${path}/a/b`]);
  assert.equal(await mkdirp(client, `${path}/a/b`), []);
  assert.is(String((await client.getData(`${path}/a`)).data), 'x');
});

check('mkdirp ends with the errors of a server', async ({ path }, client) => {
  await mkdirp(client, path);
  await client.create(`${path}/e`, '', { mode: CreateModes.EPHEMERAL });
  const error = await failure(mkdirp(client, `${path}/e/below`));
  assert.is(error.code, 'NOCHILDRENFOREPHEMERALS');
});

test('mkdirp makes containers with an ACL, if it shall', async () => {
  const client = new FakeClient();
  const modes: unknown[] = [];
  const create = client.create.bind(client);
  client.create = (path, data, options) => {
    modes.push(options?.mode?.name);
    return create(path, data, options);
  };
  await client.connect();
  await mkdirp(client, '/a/b', { areContainers: true, acl: OPEN_ACL_UNSAFE });
  assert.equal(modes, ['CONTAINER', 'CONTAINER', 'CONTAINER']);
  assert.equal((await client.getACL('/a/b')).acl, OPEN_ACL_UNSAFE);
});

check('several clients make the same path at once', async ({ path, client }) => {
  const clients = await Promise.all([client(), client(), client()]);
  const made = await Promise.all(clients.map((each) => mkdirp(each, `${path}/a/b/c`)));
  assert.is(made.flat().filter((each) => each.startsWith(path)).length, 4);
});

check('createIfMissing creates once', async ({ path }, client) => {
  await mkdirp(client, path);
  const first = await createIfMissing(client, `${path}/a`, 'x');
  const second = await createIfMissing(client, `${path}/a`, 'y');
  assert.equal([first.isCreated, second.isCreated], [true, false]);
  assert.is(second.stat.czxid, first.stat.czxid);
  const error = await failure(createIfMissing(client, `${path}/missing/a`));
  assert.is(error.code, 'NONODE');
});

check('walk shows parents before their children, sorted', async ({ path }, client) => {
  for (const each of ['b', 'a/y', 'a/x']) await mkdirp(client, `${path}/${each}`);
  const found: string[] = [];
  for await (const { path: each, depth } of walk(client, path, { inFlight: 2 })) {
    found.push(`${depth} ${each.slice(path.length)}`);
  }
  assert.equal(found, ['0 ', '1 /a', '2 /a/x', '2 /a/y', '1 /b']);
  const missing = await failure(walk(client, `${path}/missing`).next());
  assert.is(missing.code, 'NONODE');
});

check('deleteAll deletes a tree, and counts', async ({ path }, client) => {
  for (let i = 0; i < 30; i++) await mkdirp(client, `${path}/${i % 3}/${i}`);
  const counts: number[] = [];
  const deleted = await deleteAll(client, path, {
    inFlight: 4,
    perSecond: 5000,
    onProgress: (count) => counts.push(count),
  });
  assert.is(deleted, 34);
  assert.equal(counts.at(-1), 34);
  assert.is(await client.exists(path), null);
  assert.is(await deleteAll(client, path), 0);
});

check('deleteAll deletes new znodes, too, and stops with its signal', async (world, client) => {
  const { path, observer } = world;
  await mkdirp(client, `${path}/a/b`);
  let isAdded = false;
  const adding: Promise<unknown>[] = [];
  const own = new Proxy(client, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target);
      if (name !== 'delete' || isAdded)
        return typeof value === 'function' ? value.bind(target) : value;
      return async (...args: [string]) => {
        isAdded = true;
        adding.push(observer.create(`${path}/a/new`));
        await Promise.all(adding);
        return target.delete(...args);
      };
    },
  });
  assert.is(await deleteAll(own, path), 4);
  await mkdirp(client, `${path}/a`);
  const signal = AbortSignal.abort('stop');
  const error = await failure(deleteAll(client, path, { signal }));
  assert.equal([error.code, error.path, error.cause], ['ABORT_ERR', path, 'stop']);
});

test('a walk that its time ends is an ETIMEDOUT', async () => {
  const signal = AbortSignal.timeout(1);
  while (!signal.aborted) await nextTurn();
  const error = await failure(walk(new FakeClient(), '/a', { signal }).next());
  assert.equal([error.code, error.path, error.hasUnknownOutcome], ['ETIMEDOUT', '/a', false]);
});

test('deleteAll tells of a delete that may have happened', async () => {
  const client = new FakeClient();
  await client.connect();
  await mkdirp(client, '/a/b');
  const stop = new AbortController();
  // The pace waits with the second delete while the first one is in flight.
  client.delete = (path: string, _version?: number, call?: CallOptions) =>
    new Promise<void>((_, reject) => {
      call?.signal?.addEventListener('abort', () =>
        reject(new RequestAbortedError(path, 'enough', true)),
      );
      setImmediate(() => stop.abort('enough'));
    });
  const error = await failure(deleteAll(client, '/a', { perSecond: 1, signal: stop.signal }));
  assert.equal([error.code, error.path, error.hasUnknownOutcome], ['ABORT_ERR', '/a', true]);
});

test('createIfMissing passes its time to each request', async () => {
  const client = new FakeClient();
  await client.connect();
  await client.create('/a');
  const times: unknown[] = [];
  const exists = client.exists.bind(client);
  client.exists = (path, options) => {
    times.push(options?.timeoutMs);
    return exists(path);
  };
  await createIfMissing(client, '/a', '', { timeoutMs: 1000 });
  assert.equal(times, [1000]);
});

const counts = jsonCodec((value) => {
  if (typeof value === 'number') return value;
  throw new TypeError('not a number');
});

check('values are JSON through a codec', async ({ path }, client) => {
  await mkdirp(client, path, { data: '1' });
  const { value, stat } = await getValue(client, path, counts);
  assert.is(value, 1);
  await setValue(client, path, counts, 2, stat.version);
  const old = await failure(setValue(client, path, counts, 3, stat.version));
  assert.is(old.code, 'BADVERSION');
  assert.is(String((await client.getData(path)).data), '2');
  for (const bad of ['"text"', 'no JSON', '']) {
    await client.setData(path, bad);
    const error = await failure(getValue(client, path, counts));
    assert.instance(error, ValueError);
    assert.equal([error.code, error.path], ['EBADDATA', path]);
  }
  const none = await failure(setValue(client, path, jsonCodec(), undefined));
  assert.instance(none, TypeError);
});

check('updates of several clients all count', async ({ path, client: another }, client) => {
  await mkdirp(client, path, { data: '0' });
  const clients = await Promise.all([another(), another(), another()]);
  await Promise.all(
    clients.flatMap((each) =>
      Array.from({ length: 5 }, () => updateValue(each, path, counts, (count) => count + 1)),
    ),
  );
  await client.sync(path);
  assert.is((await getValue(client, path, counts)).value, 15);
});

check('an update ends after its attempts', async ({ path, observer }, client) => {
  await mkdirp(client, path, { data: '0' });
  let runs = 0;
  const busy = updateValue(
    client,
    path,
    counts,
    async (count) => {
      runs++;
      await observer.setData(path, '7');
      return count + 1;
    },
    { attempts: 2 },
  );
  assert.is((await failure(busy)).code, 'BADVERSION');
  assert.is(runs, 2);
});

check('a transaction has the results of its operations', async ({ path }, client) => {
  await mkdirp(client, path, { data: 'x' });
  const start = transaction(client).check(path, 0);
  const [, created, set] = await start.create(`${path}/a`, 'y').set(path, 'z', 0).commit();
  assert.equal([created.path, set.stat.version], [`${path}/a`, 1]);
  const [deleted] = await transaction(client).delete(`${path}/a`).commit();
  assert.is(deleted.op, 'delete');
  const error = await failure(start.delete(path).commit());
  assert.instance(error, MultiError);
  assert.is(error.index, 0);
  assert.equal(await transaction(client).commit(), []);
});

test.run();
