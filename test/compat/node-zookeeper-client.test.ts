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

/** What a call without a server returns or throws: the class and the message. */
function outcome(call: () => unknown): string {
  try {
    const value = call();
    return value instanceof Error ? `${value.name}: ${value}` : JSON.stringify(value);
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
}

const ignore = (): void => undefined;

/** Wrong and right arguments of every call and class: [its name, what to call]. */
function calls(from: Package, client: Client): [string, () => unknown][] {
  const { ACL, Event, Exception, Id, Permission, State } = from;
  const apply = (on: object, name: string, args: readonly unknown[]) => (): unknown => {
    Reflect.apply(Reflect.get(on, name), on, [...args]);
    return 'accepted';
  };
  const construct =
    (type: unknown, ...args: unknown[]) =>
    () =>
      Reflect.construct(type as new () => unknown, args);
  const found: [string, () => unknown][] = [];
  const before: Record<string, readonly unknown[]> = {
    setData: [Buffer.from('x')],
    setACL: [acls(from)],
  };
  const names = 'create remove removeRecursive exists getChildren listSubTreeBFS getData setData';
  for (const name of `${names} getACL setACL mkdirp`.split(' ')) {
    const more = before[name] ?? [];
    for (const path of ['', 'a', '/a/', '/a//b', '/a/../b', '/a/.', undefined, 7]) {
      found.push([`${name} ${path}`, apply(client, name, [path, ...more, ignore])]);
    }
    found.push([`${name} without a callback`, apply(client, name, ['/a', ...more])]);
    found.push([`${name} of /`, apply(client, name, ['/', ...more, ignore])]);
  }
  for (const name of ['remove', 'removeRecursive', 'setData', 'setACL']) {
    const args = ['/a', ...(before[name] ?? []), 'x', ignore];
    found.push([`${name} with a wrong version`, apply(client, name, args)]);
  }
  const large = Buffer.alloc(1_048_577);
  found.push(
    ['large data', apply(client, 'create', ['/a', large, ignore])],
    ['large data', apply(client, 'setData', ['/a', large, ignore])],
    ['text as data', apply(client, 'setData', ['/a', 'x', ignore])],
    ['no acls', apply(client, 'create', ['/a', [], ignore])],
    ['no acls', apply(client, 'setACL', ['/a', [], ignore])],
    ['auth as text', apply(client, 'addAuthInfo', ['digest', 'u:p'])],
    ['no scheme', apply(client, 'addAuthInfo', [undefined, Buffer.from('u:p')])],
    ['txn create', apply(client.transaction(), 'create', ['a'])],
    ['txn check', apply(client.transaction(), 'check', [''])],
    ['txn remove', apply(client.transaction(), 'remove', ['/a/'])],
    ['txn setData', apply(client.transaction(), 'setData', ['/a', 'x'])],
    ['txn commit', apply(client.transaction(), 'commit', [])],
    ['no servers', apply(from, 'createClient', [''])],
    ['wrong options', apply(from, 'createClient', ['127.0.0.1:1', 7])],
    ['options', () => client.options],
    ['given options', () => from.createClient('127.0.0.1:1', { retries: 2 }).options],
    ['State', () => [State.EXPIRED.getName(), State.EXPIRED.getCode(), `${State.EXPIRED}`]],
    ['Id', construct(Id, '', 'x')],
    ['Id', construct(Id, 'world', 7)],
    ['ACL', construct(ACL, 0, Id.AUTH_IDS)],
    ['ACL', construct(ACL, 32, Id.AUTH_IDS)],
    ['ACL', construct(ACL, Permission.ALL, {})],
    ['ACL', construct(ACL, Permission.ALL, Id.AUTH_IDS)],
    ['Event', construct(Event, 9, 'x')],
    ['Event', construct(Event, 1, '')],
    ['Event', () => `${Event.create({ type: 3, path: '/a' })}`],
    ['Event', () => Event.create({ type: 99, path: '/a' })],
    ['Exception', construct(Exception, 'x', 'NO_NODE', ignore)],
    ['Exception', construct(Exception, 5, 'NO_NODE', ignore)],
    ['Exception', construct(Exception, -101, '', ignore)],
    ['Exception', construct(Exception, -101, 'NO_NODE', 7)],
    ['Exception', construct(Exception, -101, 'NO_NODE', ignore)],
    ['Exception', construct(Exception, -101, 'NO_NODE', '/a', ignore)],
    ['Exception', () => Exception.create(-101, '/a')],
    ['Exception', () => Exception.create(-101)],
    ['Exception', () => Exception.create(5)],
  );
  return found;
}

const acls = ({ ACL }: Package) => ACL.OPEN_ACL_UNSAFE;

test('without a server, every call and class has the outcome of the old package', () => {
  const run = (from: Package, client: Client): string[] =>
    calls(from, client).map(([name, call]) => `${name}: ${outcome(call)}`);
  const expected = run(old, old.createClient('127.0.0.1:1'));
  assert.ok(expected.length > 100);
  const client = zookeeper.createClient('127.0.0.1:1');
  try {
    assert.equal(run(zookeeper, client), expected);
  } finally {
    // The old package throws here: it has no connection to close.
    client.close();
  }
});

test('the module and its classes have every property of the old package', () => {
  assert.equal(Object.keys(zookeeper).sort(), Object.keys(old).sort());
  const missing = (Object.keys(old) as (keyof Package)[]).flatMap((name) =>
    Object.keys(old[name]).flatMap((key) => (key in zookeeper[name] ? [] : `${name}.${key}`)),
  );
  // They convert to its own records of the wire.
  assert.equal(missing, ['ACL.fromRecord', 'Id.fromRecord']);
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
