// conformance: runs against Apache's server, too.
// The examples of the documentation of node-zookeeper-client, and each of its calls: on
// zksh/compat/node-zookeeper-client, and on the npm package that it replaces.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import zookeeper, {
  type Client,
  type Event,
  type Stat,
  type TransactionResult,
} from '../../src/compat/node-zookeeper-client/index.js';
import { waitFor } from '../support/wait-for.js';
import { type Target, targetTest } from './targets.js';

type Package = typeof zookeeper;
interface World extends Package {
  readonly client: Client;
  readonly target: Target;
}

const old: Package = createRequire(import.meta.url)('node-zookeeper-client');

/** Registers the test for both packages. */
function suite(name: string, run: (world: World) => Promise<void>): void {
  targetTest(`zksh: ${name}`, (target) => withClient(target, zookeeper, run));
  targetTest(`npm: ${name}`, (target) => withClient(target, old, run));
}

/** The results of a call with a callback. */
function results<A extends unknown[]>(
  call: (callback: (error: Error | null, ...values: A) => void) => void,
): Promise<A> {
  return new Promise((resolve, reject) => {
    call((error, ...values) => (error === null ? resolve(values) : reject(error)));
  });
}

async function withClient(
  target: Target,
  from: Package,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const client = from.createClient(target.connectString, { sessionTimeout: 10_000 });
  try {
    client.connect();
    await once(client, 'connected');
    await run({ ...from, client, target });
  } finally {
    client.close();
  }
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

suite('create, with every choice of its optional arguments', async ({
  client,
  ACL,
  CreateMode,
  Exception,
  Id,
  Permission,
}) => {
  const create = (...args: [string, ...unknown[]]) =>
    results<[string]>((callback) => Reflect.apply(client.create, client, [...args, callback]));
  assert.equal(await create('/a'), ['/a']);
  assert.equal(await create('/a/data', Buffer.from('x')), ['/a/data']);
  assert.equal(await create('/a/mode', CreateMode.EPHEMERAL), ['/a/mode']);
  const [path] = await create('/a/s-', Buffer.from('x'), CreateMode.PERSISTENT_SEQUENTIAL);
  assert.match(path, /^\/a\/s-\d{10}$/);
  const acls = [new ACL(Permission.READ, Id.ANYONE_ID_UNSAFE)];
  await create('/a/acl', Buffer.from('x'), acls, CreateMode.PERSISTENT);
  const [found] = await results<[readonly InstanceType<typeof ACL>[], Stat]>((callback) =>
    client.getACL('/a/acl', callback),
  );
  assert.equal(found, acls);
  const error = await failure(create('/a'));
  assert.instance(error, Exception);
  assert.is(error.getCode(), Exception.NODE_EXISTS);
  assert.is(error.getName(), 'NODE_EXISTS');
  assert.match(error.toString(), 'Exception: NODE_EXISTS[-110]');
});

suite('getData, setData, exists, and remove with their watchers', async ({ client, Exception }) => {
  const events: string[] = [];
  const watcher = (event: Event) => events.push(event.toString());
  const exists = () => results<[Stat | null]>((done) => client.exists('/a', watcher, done));
  assert.equal(await exists(), [null]);
  await results((done) => client.create('/a', Buffer.from('x'), done));
  const [data, stat] = await results<[Buffer, Stat]>((done) => client.getData('/a', watcher, done));
  assert.equal([String(data), stat.version, stat.czxid.length], ['x', 0, 8]);
  const [changed] = await results<[Stat]>((done) =>
    client.setData('/a', Buffer.from('y'), 0, done),
  );
  assert.is(changed.version, 1);
  const error = await failure(results((done) => client.remove('/a', 0, done)));
  assert.is(error.getCode(), Exception.BAD_VERSION);
  await results((done) => client.getChildren('/', watcher, done));
  await results((done) => client.remove('/a', done));
  await waitFor('the events', () => events.length === 3);
  assert.equal(events, [
    'NODE_CREATED[1]@/a',
    'NODE_DATA_CHANGED[3]@/a',
    'NODE_CHILDREN_CHANGED[4]@/',
  ]);
});

suite('trees: mkdirp, listSubTreeBFS, and removeRecursive', async ({
  client,
  CreateMode,
  Exception,
}) => {
  const [made] = await results<[string]>((done) =>
    client.mkdirp('/test/demo/1', Buffer.from('x'), CreateMode.PERSISTENT, done),
  );
  assert.is(made, '/test/demo/1');
  await results((done) => client.mkdirp('/test/demo/1', done));
  const list = () => results<[readonly string[]]>((done) => client.listSubTreeBFS('/test', done));
  await results((done) => client.remove('/test/demo/1', done));
  assert.equal(await list(), [['/test', '/test/demo']]);
  const [children] = await results<[readonly string[], Stat]>((done) =>
    client.getChildren('/test', done),
  );
  assert.equal(children, ['demo']);
  await results((done) => client.removeRecursive('/test', done));
  assert.is((await failure(list())).getCode(), Exception.NO_NODE);
});

suite('setACL takes the classes of the old package', async ({
  client,
  ACL,
  Exception,
  Id,
  Permission,
}) => {
  await results((done) => client.create('/a', done));
  const acls = [new ACL(Permission.ADMIN, new Id('ip', '127.0.0.1'))];
  const [stat] = await results<[Stat]>((done) => client.setACL('/a', acls, -1, done));
  assert.is(stat.aversion, 1);
  const error = await failure(results((done) => client.getData('/a', done)));
  assert.is(error.getCode(), Exception.NO_AUTH);
});

suite('a transaction commits all of its operations, or none', async ({ client, Exception }) => {
  const [done] = await results<[readonly TransactionResult[]]>((callback) =>
    client
      .transaction()
      .create('/txn')
      .create('/txn/1', Buffer.from('transaction'))
      .setData('/txn/1', Buffer.from('test'), -1)
      .check('/txn/1')
      .remove('/txn/1', -1)
      .remove('/txn')
      .commit(callback),
  );
  assert.equal(
    done.map(({ type }) => type),
    [1, 1, 5, 13, 2, 2],
  );
  const outcome = await new Promise((resolve) => {
    client
      .transaction()
      .create('/b')
      .remove('/missing')
      .commit((error, codes) =>
        resolve([(error as InstanceType<typeof Exception>).getName(), codes]),
      );
  });
  assert.equal(outcome, [
    'NO_NODE',
    [
      { type: -1, err: 0 },
      { type: -1, err: Exception.NO_NODE },
    ],
  ]);
});

suite('states and events of a session', async ({ client, target, State }) => {
  const heard: string[] = [];
  client.on('state', (state) => heard.push(state.toString()));
  client.on('disconnected', () => heard.push('disconnected'));
  client.on('expired', () => heard.push('expired'));
  assert.is(client.getState(), State.SYNC_CONNECTED);
  assert.is.not(client.getSessionId().readBigInt64BE(), 0n);
  assert.equal([client.getSessionPassword().length, client.getSessionTimeout()], [16, 2000]);
  target.proxy.cut();
  await once(client, 'connected');
  const ended = once(client, 'expired').then(() => once(client, 'disconnected'));
  await target.expire(client.getSessionId().readBigInt64BE(), client.getSessionPassword());
  await ended;
  assert.equal(heard, [
    'disconnected',
    'DISCONNECTED[0]',
    'SYNC_CONNECTED[3]',
    'disconnected',
    'DISCONNECTED[0]',
    'expired',
    'EXPIRED[-122]',
    'disconnected',
    'DISCONNECTED[0]',
  ]);
});

suite('a client that retries survives a lost connection', async ({ target, createClient }) => {
  const client = createClient(target.connectString, { retries: 5, spinDelay: 1 });
  client.connect();
  await once(client, 'connected');
  target.proxy.stall();
  const asked = results<[Stat | null]>((done) => client.exists('/', done));
  target.proxy.cut();
  target.proxy.mend();
  const [stat] = await asked;
  assert.is(stat?.version, 0);
  client.close();
});

suite('addAuthInfo identifies the session, and a call without a callback is refused', async ({
  client,
  ACL,
}) => {
  client.addAuthInfo('digest', Buffer.from('alice:pw'));
  const acls = ACL.CREATOR_ALL_ACL;
  await results((done) => client.create('/mine', Buffer.from('x'), acls, done));
  const [data] = await results<[Buffer, Stat]>((done) => client.getData('/mine', done));
  assert.is(String(data), 'x');
  const args = ['/a', Buffer.from('x')];
  assert.throws(() => Reflect.apply(client.create, client, args), /callback must be a function/);
});

targetTest('zksh: a tree of any depth is listed and removed, and an error has its path', (target) =>
  withClient(target, zookeeper, async ({ client }) => {
    await results((done) => client.mkdirp('/a/b/c', done));
    const [paths] = await results<[readonly string[]]>((done) => client.listSubTreeBFS('/a', done));
    assert.equal(paths, ['/a', '/a/b', '/a/b/c']);
    await results((done) => client.removeRecursive('/a', done));
    const error = await failure(results((done) => client.getData('/a', done)));
    assert.equal([error.getPath(), `${error}`], ['/a', 'Exception: NO_NODE[-101]@/a']);
    assert.is(zookeeper.State.CONNECTED, zookeeper.State.SYNC_CONNECTED);
  }),
);

test.run();
