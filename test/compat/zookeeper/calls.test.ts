// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Acl, ZooKeeper } from '../../../src/compat/zookeeper/index.js';
import { waitFor } from '../../support/wait-for.js';
import { failure, type Package, plain, real, reply, statText, suite } from './world.js';

test('every constant of the package has the same value', () => {
  if (real === undefined) return;
  assert.equal({ ...ZooKeeper.constants }, { ...real.constants });
  for (const name of Object.keys(real.constants) as (keyof Package['constants'])[]) {
    if (real[name] !== undefined) assert.equal(ZooKeeper[name], real[name], name);
    if (real.ZooKeeper[name as never] !== undefined) {
      assert.equal(ZooKeeper.ZooKeeper[name as never], real.ZooKeeper[name as never], name);
    }
  }
});

test('the class has every method and property of the package', () => {
  if (real === undefined) return;
  const names = (type: object): string[] => [
    ...Object.getOwnPropertyNames(type),
    ...Object.getOwnPropertyNames(Object.getPrototypeOf(type)),
  ];
  const missing = names(real.prototype).filter((name) => !(name in ZooKeeper.prototype));
  // A private helper of the package.
  assert.equal(missing, ['promisify']);
  assert.equal([real.ZK === real, real.Promise === real], [true, true]);
  assert.equal([ZooKeeper.ZK === ZooKeeper, ZooKeeper.Promise === ZooKeeper], [true, true]);
});

suite('before init and after close, calls return ZINVALIDSTATE', async ({ Zk, zk, events }) => {
  const fresh = new Zk({ connect: '127.0.0.1:1' });
  const idle = [fresh.state, fresh.timeout, fresh.client_id, fresh.is_unrecoverable];
  assert.equal(idle, [0, -1, '0', 0]);
  assert.is(fresh.client_password, '0'.repeat(32));
  assert.equal(await reply((done) => fresh.a_exists('/', false, done)), ['returned -9']);
  assert.is(fresh.set_servers('127.0.0.1:2'), Zk.ZINVALIDSTATE);
  assert.equal([zk.state, zk.timeout], [Zk.ZOO_CONNECTED_STATE, 2000]);
  const inFlight = reply((done) => zk.a_get('/', false, done));
  zk.close();
  assert.equal(await inFlight, [Zk.ZCLOSING, 'zookeeper is closing', null, null]);
  await waitFor('close', () => events.includes('close 0'));
  assert.equal(events, ['connect', 'close 0']);
  assert.equal([zk.state, zk.timeout, zk.client_id === '0'], [0, -1, false]);
  assert.is(
    await failure(zk.create('/x', 'd', 0)),
    'fn: "a_create" args: "/x,d,0" result: "ZINVALIDSTATE -9"',
  );
});

suite('calls wait for the first connection', async ({ Zk, target, opened }) => {
  const zk = new Zk(target.connectString);
  opened.push(zk);
  const connected = new Promise((resolve) => zk.connect({}, (...got) => resolve(got)));
  assert.is(zk.state, Zk.ZOO_CONNECTING_STATE);
  assert.equal(await reply((done) => zk.a_create('/early', 'x', 0, done)), [0, 'ok', '/early']);
  assert.equal(await connected, [null, zk]);
  assert.is(zk.timeout, 2000);
});

suite('create and get send data as text or bytes', async ({ zk }) => {
  const given: [unknown, string][] = [
    ['text', 'text'],
    [Buffer.from('bytes'), 'bytes'],
    [new Uint8Array([65, 66]), 'AB'],
    [null, 'null'],
    [undefined, 'undefined'],
    [12, '12'],
    [{}, '[object Object]'],
    ['', ''],
  ];
  for (const [data, sent] of given) {
    assert.equal(await reply((done) => zk.a_create('/d', data, 0, done)), [0, 'ok', '/d']);
    const got = await reply((done) => zk.a_get('/d', false, done));
    assert.equal(got, [0, 'ok', statText(0, sent.length), `bytes ${sent}`]);
    assert.equal(await reply((done) => zk.a_delete_('/d', -1, done)), [0, 'ok']);
  }
});

suite('create takes the flags and the ttl of the C client', async ({ zk }) => {
  const create = (flags: unknown) =>
    reply((done) => zk.a_create(`/f${flags}`, 'd', flags as number, done));
  for (const flags of [0, 1, 4, null, undefined]) {
    assert.equal(await create(flags), [0, 'ok', `/f${flags}`]);
  }
  assert.match(String((await create(2))[2]), /^\/f2\d{10}$/);
  assert.match(String((await create(3))[2]), /^\/f3\d{10}$/);
  for (const flags of [5, 6]) assert.equal(await create(flags), ['returned -8']);
  for (const flags of [7, 9, -1]) assert.equal(await create(flags), [-8, 'bad arguments', 'null']);
  assert.equal(await create('1'), [-110, 'node exists', 'null']);
  const own = await reply((done) => zk.a_exists('/f1', false, done));
  assert.equal(own, [0, 'ok', statText(0, 1, true)]);
  const ttl = (flags: number, ms: unknown) =>
    reply((done) => zk.a_createTtl(`/t${ms}`, 'd', flags, ms as number, done));
  for (const ms of [0, -1, null, undefined]) assert.equal(await ttl(5, ms), ['returned -8']);
  assert.equal(await ttl(0, 1000), ['returned -8']);
});

suite('a bad path is refused before it is sent', async ({ zk, target, open }) => {
  const bad = ['', 'a', '/a//b', '/a/', '/a/..', '/a/./b', '/\u0001', null, undefined, 5];
  // With a chroot, the C client puts it before any text.
  const bare = await open({ connect: target.proxy.connectString });
  for (const path of bad as string[]) {
    assert.equal(await reply((done) => bare.a_exists(path, false, done)), ['returned -8'], path);
  }
  const refused = 'fn: "a_create" args: "bad,x,0" result: "ZBADARGUMENTS -8"';
  assert.is(await failure(bare.create('bad', 'x', 0)), refused);
  for (const path of ['/x..', '/...']) {
    const got = await reply((done) => zk.a_exists(path, false, done));
    assert.equal(got, [-101, 'no node', null]);
  }
  assert.equal(await reply((done) => zk.a_create('/s/', 'd', 2, done)), [-101, 'no node', 'null']);
  assert.match(String((await reply((done) => bare.a_create('/', 'd', 2, done)))[2]), /^\/\d{10}$/);
});

suite('versions are 32-bit numbers: null and undefined are 0', async ({ zk }) => {
  await reply((done) => zk.a_create('/v', 'd', 0, done));
  const set = (version: unknown) =>
    reply((done) => zk.a_set('/v', 'e', version as number, done)).then(([code]) => code);
  assert.equal(
    [await set(null), await set(undefined), await set('1'), await set(-1), await set(2 ** 32 - 1)],
    [0, -103, 0, 0, 0],
  );
  const remove = (version: number | null) => reply((done) => zk.a_delete_('/v', version, done));
  assert.equal(await remove(null), [-103, 'bad version']);
  assert.equal(await remove(-1), [0, 'ok']);
});

suite('children, sync, and the errors of reads', async ({ zk }) => {
  await reply((done) => zk.a_create('/a', 'd', 0, done));
  const [, , children] = await reply((done) => zk.a_get_children('/', false, done));
  assert.equal(children, ['a']);
  const both = await reply((done) => zk.a_get_children2('/a', false, done));
  assert.equal(both, [0, 'ok', [], statText(0, 1)]);
  assert.equal(await reply((done) => zk.a_sync('/a', done)), [0, 'ok', '/a']);
  assert.equal(await reply((done) => zk.a_sync('/none', done)), [0, 'ok', '/none']);
  const none = [-101, 'no node'];
  assert.equal(await reply((done) => zk.a_get('/none', false, done)), [...none, null, null]);
  assert.equal(await reply((done) => zk.a_set('/none', 'x', -1, done)), [...none, null]);
  assert.equal(await reply((done) => zk.a_get_children('/none', false, done)), [...none, null]);
  assert.equal(await reply((done) => zk.a_get_children2('/none', false, done)), [
    ...none,
    null,
    null,
  ]);
});

suite('ACLs and identities', async ({ Zk, zk }) => {
  await reply((done) => zk.a_create('/a', 'd', 0, done));
  const get = () => reply((done) => zk.a_get_acl('/a', done));
  const open = [{ perms: 31, scheme: 'world', auth: 'anyone' }];
  assert.equal(await get(), [0, 'ok', open, statText(0, 1)]);
  const set = (version: number, acl: readonly Acl[]) =>
    reply((done) => zk.a_set_acl('/a', version, acl, done));
  assert.equal(await set(9, open), [-103, 'bad version']);
  assert.equal(await set(-1, []), [-114, 'invalid acl']);
  assert.equal(await set(-1, [{ perms: 31, scheme: 'none', auth: 'x' }]), [-114, 'invalid acl']);
  assert.equal(await set(-1, [{ perm: 1, scheme: 'ip', auth: '127.0.0.1' }, ...open]), [0, 'ok']);
  assert.equal((await get())[2], [{ perms: 1, scheme: 'ip', auth: '127.0.0.1' }, ...open]);
  assert.equal(await reply((done) => zk.add_auth('digest', 'u:p', done)), [0, 'ok']);
  assert.equal(await set(-1, [Zk.constants.ZOO_CREATOR_ALL_ACL]), [0, 'ok']);
  const auth = 'u:Jq7wMyA/w2Vd5WIDAKdu4OIIFEQ=';
  assert.equal((await get())[2], [{ perms: 31, scheme: 'digest', auth }]);
});

/** It is empty for a server alone. */
const CONFIGURATION = /^bytes (server\.1=|$)/;

suite('configuration and its change', async ({ zk }) => {
  const got = await reply((done) => zk.a_getconfig(false, done));
  assert.equal(got.slice(0, 2), [0, 'ok']);
  assert.match(String(got[2]), 'czxid,mzxid');
  assert.match(String(got[3]), CONFIGURATION);
  const failed = await reply((done) => zk.a_reconfig('server.2=h:1:2', null, null, -1, done));
  assert.is(failed[0], -123);
  assert.match(String(failed[1]), 'attempts to perform a reconfiguration operation');
});

suite('an encoding turns data into strings', async ({ zk, open }) => {
  await reply((done) => zk.a_create('/a', 'é', 0, done));
  const get = async (from: ZooKeeper) => (await reply((done) => from.a_get('/a', false, done)))[3];
  zk.setEncoding('hex');
  assert.equal([await get(zk), zk.data_as_buffer], ['c3a9', false]);
  zk.data_as_buffer = true;
  assert.is(await get(zk), 'bytes é');
  assert.is(await get(await open({ data_as_buffer: false })), 'é');
});

suite('mkdirp creates missing parents', async ({ zk }) => {
  const make = (path: string) =>
    new Promise<unknown[]>((resolve) => zk.mkdirp(path, (...got) => resolve(got)));
  assert.equal(await make('/m/n/o'), [null, true]);
  assert.equal(await make('/m//x/../n/p'), [null, true]);
  const [, children] = [...(await reply((done) => zk.a_get_children('/m/n', false, done)))].slice(
    1,
  );
  assert.equal([...(children as string[])].sort(), ['o', 'p']);
  await zk.create('/eph', 'x', 1);
  const [error] = await make('/eph/child');
  assert.match(String(error), 'Zookeeper Error: code=-108   no children for ephemerals');
});

suite('promises resolve and reject as the package documents', async ({ zk }) => {
  assert.is(await zk.create('/p', 'x', 0), '/p');
  assert.is(await failure(zk.create('/p', 'x', 0)), '-110 node exists');
  assert.equal([await zk.pathExists('/p', false), await zk.pathExists('/n', false)], [true, false]);
  assert.is(await failure(zk.exists('/n', false)), '-101 no node');
  assert.is((await zk.exists('/p', false)).version, 0);
  assert.equal((await zk.get('/p', false)).map(plain), [statText(0, 1), 'bytes x']);
  assert.equal(await zk.get_children('/p', false), []);
  assert.equal((await zk.get_children2('/p', false)).map(plain), [[], statText(0, 1)]);
  assert.is((await zk.set('/p', 'yy', 0)).dataLength, 2);
  assert.is(await zk.sync('/p'), '/p');
  const [acl] = await zk.get_acl('/p');
  assert.equal(await zk.set_acl('/p', -1, acl), []);
  const [, lines] = await zk.getconfig(false);
  assert.match(`bytes ${lines}`, CONFIGURATION);
  assert.is(await failure(zk.delete_('/p', 7)), '-103 bad version');
  assert.equal(await zk.delete_('/p', -1), []);
});

test.run();
