// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type WatchCallback, ZooKeeper } from '../../../src/compat/zookeeper/index.js';
import { waitFor } from '../../support/wait-for.js';
import { targetTest } from '../targets.js';
import { failure, reply, suite, withWorld } from './world.js';

suite('the events of the main watcher', async ({ zk, events }) => {
  await reply((done) => zk.a_exists('/w', true, done));
  await zk.create('/w', 'x', 0);
  await zk.get('/w', true);
  await zk.exists('/w', true);
  await zk.set('/w', 'y', -1);
  await zk.get_children('/w', true);
  await zk.create('/w/c', 'x', 0);
  await zk.get('/w/c', true);
  await zk.delete_('/w/c', -1);
  await waitFor('the events', () => events.length === 5);
  assert.equal(events, ['connect', 'created /w', 'changed /w', 'child /w', 'deleted /w/c']);
});

suite('a watcher fires once, and hears of the session', async ({ zk, target, events }) => {
  const told: string[] = [];
  const watcher =
    (name: string): WatchCallback =>
    (type, state, path) =>
      told.push(`${name} ${type} ${state} ${path}`.trim());
  await zk.create('/w', 'x', 0);
  await failure(zk.w_exists('/new', watcher('exists')));
  await zk.w_get('/w', watcher('data'));
  await zk.w_get_children('/w', watcher('children'));
  await zk.w_get_children2('/w', watcher('children2'));
  await zk.create('/w/c', 'x', 0);
  await waitFor('the children', () => told.length === 2);
  assert.equal(told.splice(0).sort(), ['children 4 3 /w', 'children2 4 3 /w']);
  target.proxy.cut();
  await waitFor('the way back', () => events.filter((name) => name === 'connect').length === 2);
  assert.equal(events, ['connect', 'connecting', 'connect']);
  assert.equal(told.splice(0).sort(), ['data -1 1', 'data -1 3', 'exists -1 1', 'exists -1 3']);
  await zk.create('/new', 'x', 0);
  await zk.set('/w', 'y', -1);
  await zk.set('/w', 'z', -1);
  assert.equal(told, ['exists 1 3 /new', 'data 3 3 /w']);
});

suite('a lost connection fails the requests in flight', async ({ zk, target }) => {
  await zk.create('/a', 'x', 0);
  target.proxy.stall();
  const lost = reply((done) => zk.a_set('/a', 'y', -1, done));
  target.proxy.cut();
  target.proxy.mend();
  assert.equal(await lost, [-4, 'connection loss', null]);
  assert.is((await zk.get_children('/a', false)).length, 0);
});

suite('an expired session ends with close and its code', async ({ Zk, zk, target, events }) => {
  const id = BigInt.asIntN(64, BigInt(`0x${zk.client_id}`));
  await target.expire(id, Buffer.from(zk.client_password, 'hex'));
  await waitFor('the end', () => events.some((name) => name.startsWith('close')));
  assert.equal(events, ['connect', 'connecting', `close ${Zk.ZOO_EXPIRED_SESSION_STATE}`]);
  assert.equal([zk.state, zk.is_unrecoverable, zk.timeout], [0, 0, -1]);
  assert.equal(await reply((done) => zk.a_get('/', false, done)), ['returned -9']);
});

suite('a refused identity ends the session with its code', async ({ Zk, zk, events }) => {
  const [code] = await reply((done) => zk.add_auth('nope', 'x', done));
  await waitFor('the end', () => events.some((name) => name.startsWith('close')));
  assert.is(code, Zk.ZAUTHFAILED);
  assert.is(events.at(-1), `close ${Zk.ZOO_AUTH_FAILED_STATE}`);
});

suite('a session continues by its id and password', async ({ Zk, zk, target, open }) => {
  await zk.create('/own', 'x', Zk.ZOO_EPHEMERAL);
  const other = await open({ client_id: zk.client_id, client_password: zk.client_password });
  assert.is(other.client_id, zk.client_id);
  // The first client comes back, and takes the session again.
  await waitFor('the session', () =>
    other.exists('/own', false).then(
      (stat) => stat.createdInThisSession,
      () => false,
    ),
  );
  const half = new Zk({ connect: target.connectString, client_id: 'ff' });
  assert.throws(() => half.init({}));
  const short = new Zk({ connect: target.connectString, client_id: 'f', client_password: 'f' });
  assert.throws(() => short.init({}));
});

suite('a logger gets every call', async ({ zk }) => {
  const lines: string[] = [];
  zk.setLogger((line) => lines.push(String(line)));
  await zk.create('/log', 'x', 0);
  assert.match(lines[0] ?? '', "Calling a_create with [ '/log', 'x', 0, [Function");
  zk.setLogger(false);
  assert.throws(() => zk.setLogger('x' as unknown as boolean));
});

targetTest(
  'zksh: a missing callback is a TypeError, where the C client ends the process',
  (target) =>
    withWorld(target, ZooKeeper, async ({ zk }) => {
      const none = undefined as never;
      assert.throws(() => zk.a_get('/', false, none), /^callback: wrong type: undefined/);
      assert.throws(() => zk.aw_get('/', none, () => undefined), /^watcher: wrong type: undefined/);
      assert.throws(() => zk.connect({}, none), /^callback: wrong type: undefined/);
      const missing = await reply((done) => zk.a_get_acl('/none', done));
      assert.equal(missing, [-101, 'no node', null, null]);
    }),
);

targetTest('zksh: a session that ends before a connection calls back with an Error', (target) =>
  withWorld(target, ZooKeeper, async ({ target }) => {
    const session = { client_id: 'abc', client_password: '0'.repeat(32) };
    const zk = new ZooKeeper({ connect: target.connectString, ...session });
    const error = await new Promise((resolve) => zk.connect((failed) => resolve(failed)));
    assert.match(String(error), 'connect: the session ended before a connection: code -112');
  }),
);

test.run();
