import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientOptions } from '../../../src/client/base/client-options.js';
import {
  AddWatchMode,
  CreateModes,
  createClient,
  createNativeClient,
  MultiError,
  mkdirp,
  openTreeCache,
  retryingClient,
  type SessionClient,
  UnsupportedError,
  type WatchEvent,
  WatcherType,
  type ZooKeeperClient,
  ZooKeeperError,
} from '../../../src/client/index.js';
import { SCENARIOS } from '../../recipes/scenario-suite.js';
import { failureOf, inWorld } from '../../recipes/world.js';
import { startBundled } from '../../support/bundled.js';
import { Lanes } from '../../support/lanes.js';
import { SharedByTests } from '../../support/shared-by-tests.js';
import { waitFor } from '../../support/wait-for.js';

interface Scene {
  readonly whole: SessionClient;
  readonly view: ZooKeeperClient;
  readonly connectString: string;
}

/** A view of /app, whose parents exist. */
function viewTest(name: string, run: (scene: Scene) => Promise<void>): void {
  test(name, async () => {
    const server = await startBundled({ config: { tickTime: '500' } });
    const whole = createClient({ connectString: server.connectString });
    try {
      await whole.connect();
      await mkdirp(whole, '/app');
      await run({ whole, view: whole.within('/app'), connectString: server.connectString });
    } finally {
      await whole.close();
      await server.close();
    }
  });
}

viewTest('within: results have the paths of the view', async ({ whole, view }) => {
  assert.is(view.chroot, '/app');
  assert.is((await view.create('/a', 'x')).path, '/a');
  const options = { mode: CreateModes.EPHEMERAL_SEQUENTIAL };
  const made = await view.create('/a', 'x', options).catch((error) => error);
  assert.is(made.path, '/a0000000001');
  assert.equal(await view.getEphemerals(), ['/a0000000001']);
  assert.equal(await whole.getEphemerals(), ['/app/a0000000001']);
  assert.is(`${(await whole.getData('/app/a')).data}`, 'x');
  assert.equal([...(await view.getChildren('/')).children].sort(), ['a', 'a0000000001']);
  assert.is(await view.getAllChildrenNumber('/'), 2);
  const [first] = await view.multi([
    { op: 'create', path: '/b' },
    { op: 'set', path: '/a', data: 'y', version: 0 },
    { op: 'check', path: '/a', version: 1 },
  ]);
  assert.equal(first, { op: 'create', path: '/b' });
  await view.setACL('/b', (await view.getACL('/b')).acl);
  await view.sync('/b');
  await view.delete('/b');
  assert.is(await whole.exists('/app/b'), null);
  const { data } = await view.getConfig();
  assert.equal(data, (await whole.getConfig()).data);
  assert.is(view.sessionId, whole.sessionId);
  assert.is(view.server, whole.server);
  assert.is(view.state, 'connected');
});

viewTest('within: errors have the paths of the view', async ({ view }) => {
  const missing = await failureOf(view.getData('/none'));
  assert.instance(missing, ZooKeeperError);
  assert.is((missing as ZooKeeperError).path, '/none');
  assert.match(missing.message, / for \/none$/);
  const failed = await failureOf(
    view.multi([
      { op: 'check', path: '/', version: -1 },
      { op: 'delete', path: '/none' },
    ]),
  );
  assert.instance(failed, MultiError);
  assert.is((failed as MultiError).path, '/none');
  const [read] = await view.multiRead([{ op: 'getData', path: '/none' }]);
  assert.is(read?.op === 'error' && read.error.path, '/none');
  const stop = { signal: AbortSignal.abort(new Error('enough')) };
  assert.is(((await failureOf(view.exists('/a', stop))) as ZooKeeperError).path, '/a');
});

viewTest('within: events have the paths of the view', async ({ whole, view }) => {
  const told: string[] = [];
  const tell =
    (by: string) =>
    ({ type, path }: WatchEvent) =>
      void told.push(`${by} ${type} ${path}`);
  view.on('watch', tell('default'));
  whole.on('watch', tell('whole'));
  const watch = tell('own');
  await view.exists('/a', { watch: true });
  await view.getChildren('/', { watch });
  await view.create('/a');
  await waitFor('two events', () => told.length === 2);
  assert.equal(told.splice(0).sort(), ['default NodeCreated /a', 'own NodeChildrenChanged /']);
  await view.addWatch('/', AddWatchMode.PERSISTENT_RECURSIVE, watch);
  await whole.addWatch('/app', AddWatchMode.PERSISTENT_RECURSIVE, watch);
  await whole.setData('/app/a', 'x');
  await waitFor('both events', () => told.length === 2);
  assert.equal(told.splice(0).sort(), ['own NodeDataChanged /a', 'own NodeDataChanged /app/a']);
  const only = { watcher: watch };
  await view.removeWatches('/', WatcherType.PersistentRecursive, false, only);
  await waitFor('the end', () => told.length === 1);
  assert.equal(told.splice(0), ['own PersistentWatchRemoved /']);
  await whole.setData('/app/a', 'y');
  await waitFor('an event', () => told.length === 1);
  assert.equal(told, ['own NodeDataChanged /app/a']);
  const gone = await failureOf(
    view.removeWatches('/', WatcherType.PersistentRecursive, true, only),
  );
  assert.is(gone.code, 'NOWATCHER');
  await view.exists('/b', { watch: true });
  await view.removeWatches('/b', WatcherType.Data, true, { watcher: true });
});

viewTest('within: loops, caches, and retrying clients over a view', async ({ whole, view }) => {
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const change of view.watch('/', { recursive: true, signal: stop.signal })) {
      seen.push(`${change.type} ${change.path}`);
    }
  })().catch((error) => error);
  await waitFor('the start', () => seen.length === 1);
  await using cache = await openTreeCache(retryingClient(view), '/');
  await whole.create('/app/a', 'x');
  await waitFor('the znode', () => cache.get('/a')?.data?.toString() === 'x');
  await waitFor('the event', () => seen.length === 2);
  assert.equal(seen, ['Gap /', 'NodeCreated /a']);
  stop.abort();
  assert.is((await watching).path, '/');
  const patient = retryingClient(whole).within('/app');
  assert.is((await patient.create('/b')).path, '/b');
  assert.is(((await failureOf(patient.create('/b'))) as ZooKeeperError).path, '/b');
});

viewTest(
  'within: views of views, of a chroot, and of the root',
  async ({ whole, connectString }) => {
    const told: string[] = [];
    const nested = whole.within('/app').within('/x').within('/').within('/y');
    assert.is(nested.chroot, '/app/x/y');
    await mkdirp(whole, '/app/x/y');
    await nested.addWatch('/', AddWatchMode.PERSISTENT_RECURSIVE, ({ path }) => told.push(path));
    assert.is((await nested.create('/z')).path, '/z');
    await waitFor('the event', () => told.length === 1);
    assert.equal(told, ['/z']);
    assert.is((await whole.within('/').create('/r')).path, '/r');
    await using other = createClient({ connectString: `${connectString}/app` });
    await other.connect();
    const view = other.within('/x');
    assert.is(view.chroot, '/app/x');
    const fired = new Promise((resolve) => {
      view.exists('/w', { watch: resolve }).then(() => whole.create('/app/x/w'));
    });
    assert.is(((await fired) as WatchEvent).path, '/w');
  },
);

viewTest('within: a view shares the session, and its close() closes nothing', async (scene) => {
  const { whole, view, connectString } = scene;
  const states: string[] = [];
  const listener = (state: string) => void states.push(state);
  const never = (): void => assert.unreachable();
  view.on('state', listener).once('closed', () => void states.push('once'));
  view.on('state', never).off('state', never);
  await view.connect();
  await view.close();
  await view[Symbol.asyncDispose]();
  assert.is(whole.state, 'connected');
  assert.ok(await view.exists('/'));
  view.updateServers(connectString);
  assert.throws(
    () => view.updateServers(`${connectString}/other`),
    (error: unknown) => error instanceof RangeError,
  );
  await whole.close();
  assert.equal(states, ['closed', 'once']);
  assert.is(view.state, 'closed');
  assert.is((await failureOf(view.exists('/'))).code, 'ECLOSED');
});

test('within: an invalid path is refused; the native client has no views', () => {
  const options = { connectString: '127.0.0.1:1' };
  const client = createClient(options);
  for (const path of ['', 'a', '/a/', '/a//b', '/a/../b']) {
    assert.throws(
      () => client.within(path),
      ({ code }: ZooKeeperError) => code === 'BADARGUMENTS',
    );
  }
  const refused = (error: unknown) => error instanceof UnsupportedError;
  assert.throws(() => createNativeClient(options).within('/a'), refused);
});

// Every recipe, with clients that are views.
const server = new SharedByTests(async () => {
  const started = await startBundled({ config: { tickTime: '500' } });
  const client = createClient({ connectString: started.connectString });
  await client.connect();
  await mkdirp(client, '/a/view');
  await client.close();
  return started;
});

function createView(options: ClientOptions): ZooKeeperClient {
  const client = createClient(options);
  const view = client.within('/a/view');
  view.close = () => client.close();
  return view;
}

const lanes = new Lanes<{ port: number }>(8);

for (const { name, run } of SCENARIOS) {
  const work = lanes.use(({ port }) =>
    inWorld(
      port,
      async (world) => {
        await run({ world, subject: await world.client(), midpoint: async () => undefined });
        assert.equal(await world.leftovers(), []);
      },
      createView,
    ),
  );
  test(`within: ${name}`, server.use(work));
}

test.run();
