import * as assert from 'uvu/assert';
import { MultiError } from '../../../src/client/base/errors.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { waitFor } from '../../support/wait-for.js';
import {
  createText,
  expectError,
  expectUnsupported,
  type Suite,
  text,
} from './client-suite-world.js';

/** Znodes, their data, their versions, their children; multi and chroot. */
export function registerNodeTests({ check, checkUnlessNative, isNative }: Suite): void {
  check('create, get, set, exists, and delete, with Stat and versions', async ({ zk, root }) => {
    const path = `${root}/a`;
    const created = await zk.create(path, Buffer.from('one'));
    assert.is(created.path, path);
    assert.is(created.stat.version, 0);
    assert.is(created.stat.dataLength, 3);
    assert.is(created.stat.czxid, created.stat.mzxid);
    assert.is(created.stat.ephemeralOwner, 0n);
    const changed = await zk.setData(path, Buffer.from('second'), 0);
    assert.is(changed.version, 1);
    assert.ok(changed.mzxid > changed.czxid);
    assert.ok(changed.mtime >= changed.ctime);
    const { data, stat } = await zk.getData(path);
    assert.is(text(data), 'second');
    assert.equal(stat, changed);
    assert.equal(await zk.exists(path), changed);
    await zk.delete(path, 1);
    assert.is(await zk.exists(path), null);
  });

  check('an empty value, and one of every byte', async ({ zk, root }) => {
    await createText(zk, `${root}/empty`);
    assert.equal((await zk.getData(`${root}/empty`)).data, Buffer.alloc(0));
    const every = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await zk.setData(`${root}/empty`, every);
    assert.equal((await zk.getData(`${root}/empty`)).data, every);
  });

  checkUnlessNative('a null value differs from an empty one', async ({ zk, root }) => {
    await zk.create(`${root}/null`, null);
    assert.is((await zk.getData(`${root}/null`)).data, null);
    await zk.setData(`${root}/null`, Buffer.from('x'));
    await zk.setData(`${root}/null`, null);
    assert.is((await zk.getData(`${root}/null`)).data, null);
  });

  check('a value close to jute.maxbuffer is returned whole', async ({ zk, root }) => {
    const big = Buffer.alloc(0xfffff - 200, 'zksh');
    await zk.create(`${root}/big`, big);
    const { data, stat } = await zk.getData(`${root}/big`);
    assert.ok(data?.equals(big));
    assert.is(stat.dataLength, big.length);
  });

  check('a value beyond jute.maxbuffer does not end the session', async (world) => {
    const { zk, root, states, isApache } = world;
    const id = zk.sessionId;
    const tooBig = Buffer.alloc(2 * 1024 * 1024);
    await expectError(isApache ? 'CONNECTIONLOSS' : 'BADARGUMENTS', zk.setData(root, tooBig));
    await createText(zk, `${root}/after`);
    assert.is(zk.sessionId, id);
    assert.equal(states, ['connected', ...(isApache ? ['disconnected', 'connected'] : [])]);
  });

  check('names with letters of every kind', async ({ zk, root }) => {
    const names = ['Ümläut', '漢字', 'a b', "quote'", 'dot.dot', '...'];
    for (const name of names) await createText(zk, `${root}/${name}`, name);
    const { children } = await zk.getChildren(root);
    assert.equal([...children].sort(), [...names].sort());
  });

  check('each error has its name and its path', async ({ zk, root }) => {
    await createText(zk, `${root}/p/`.slice(0, -1));
    await createText(zk, `${root}/p/c`);
    await createText(zk, `${root}/e`, '', CreateModes.EPHEMERAL);
    const absent = `${root}/absent`;
    for (const asked of [
      zk.getData(absent),
      zk.setData(absent, Buffer.alloc(0)),
      zk.getChildren(absent),
      zk.delete(absent),
      ...(isNative ? [] : [zk.getACL(absent)]),
    ]) {
      assert.is((await expectError('NONODE', asked)).path, absent);
    }
    await expectError('NONODE', zk.create(`${absent}/x`, Buffer.alloc(0)));
    const found = await expectError('NODEEXISTS', zk.create(`${root}/p`, Buffer.alloc(0)));
    assert.is(found.message, `KeeperErrorCode = NodeExists for ${root}/p`);
    assert.is(found.number, -110);
    await expectError('NOTEMPTY', zk.delete(`${root}/p`));
    await expectError('BADVERSION', zk.setData(`${root}/p`, Buffer.alloc(0), 7));
    await expectError('BADVERSION', zk.delete(`${root}/p/c`, 7));
    await expectError('NOCHILDRENFOREPHEMERALS', zk.create(`${root}/e/x`, Buffer.alloc(0)));
  });

  check('an invalid path is refused before it is sent', async ({ zk }) => {
    for (const path of ['', 'a', '/a/', '/a//b', '/a/../b', '/\u0001']) {
      await expectError('BADARGUMENTS', zk.getData(path));
      await expectError('BADARGUMENTS', zk.exists(path));
      await expectError('BADARGUMENTS', zk.delete(path));
    }
  });

  check('sequential numbers increase, and a delete does not reuse one', async ({ zk, root }) => {
    const make = () => createText(zk, `${root}/n-`, '', CreateModes.PERSISTENT_SEQUENTIAL);
    assert.is(await make(), `${root}/n-0000000000`);
    assert.is(await make(), `${root}/n-0000000001`);
    await zk.delete(`${root}/n-0000000001`);
    assert.is(await make(), `${root}/n-0000000002`);
    const bare = await createText(zk, `${root}/`, '', CreateModes.PERSISTENT_SEQUENTIAL);
    assert.is(bare, `${root}/0000000003`);
  });

  check('ephemerals belong to the session, and end with it', async ({ zk, root, connect }) => {
    const other = await connect();
    const path = await createText(other.zk, `${root}/e-`, '', CreateModes.EPHEMERAL_SEQUENTIAL);
    await zk.sync(root);
    assert.is((await zk.exists(path))?.ephemeralOwner, other.zk.sessionId);
    await other.zk.close();
    await waitFor('the ephemeral to be deleted', async () => (await zk.exists(path)) === null);
  });

  checkUnlessNative('the ephemerals of a session are listed', async ({ zk, root, connect }) => {
    await createText(zk, `${root}/a`, '', CreateModes.EPHEMERAL);
    await createText(zk, `${root}/b`, '', CreateModes.EPHEMERAL);
    const other = await connect();
    await createText(other.zk, `${root}/c`, '', CreateModes.EPHEMERAL);
    assert.equal([...(await zk.getEphemerals(root))].sort(), [`${root}/a`, `${root}/b`]);
    assert.equal(await zk.getEphemerals('/nowhere'), []);
  });

  check('containers are created, and TTL nodes only if the server allows them', async (world) => {
    const { zk, root } = world;
    const { path, stat } = await zk.create(`${root}/c`, Buffer.alloc(0), {
      mode: CreateModes.CONTAINER,
    });
    assert.is(path, `${root}/c`);
    assert.is(stat.ephemeralOwner, 0n);
    const mode = CreateModes.PERSISTENT_WITH_TTL;
    await expectError('UNIMPLEMENTED', zk.create(`${root}/t`, Buffer.alloc(0), { mode, ttl: 50 }));
    await expectError('BADARGUMENTS', zk.create(`${root}/t`, Buffer.alloc(0), { mode }));
  });

  check('children are listed with the Stat of their parent', async ({ zk, root }) => {
    for (const name of ['b', 'a']) await createText(zk, `${root}/${name}`);
    const { children, stat } = await zk.getChildren(root);
    assert.equal([...children].sort(), ['a', 'b']);
    assert.is(stat.numChildren, 2);
    assert.is(stat.cversion, 2);
  });

  checkUnlessNative('all descendants are counted', async ({ zk, root }) => {
    await createText(zk, `${root}/a`);
    await createText(zk, `${root}/a/b`);
    assert.is(await zk.getAllChildrenNumber(root), 2);
    await expectError('NONODE', zk.getAllChildrenNumber(`${root}/absent`));
  });

  check('sync takes a path and gets a response', async ({ zk, root }) => {
    assert.is(await zk.sync(root), undefined);
  });

  check('the config can be read, and no client may change it', async ({ zk, connectString }) => {
    const { data } = await zk.getConfig();
    const isEnsemble = connectString.includes(',');
    assert.is((data?.length ?? 0) > 0, isEnsemble, 'a standalone server has none');
    await expectError('RECONFIGDISABLED', zk.reconfig({ leaving: '1' }));
  });

  checkUnlessNative('a multi applies all parts', async ({ zk, root }) => {
    await createText(zk, `${root}/old`);
    const data = Buffer.from('x');
    const results = await zk.multi([
      { op: 'check', path: `${root}/old`, version: 0 },
      { op: 'create', path: `${root}/a`, data },
      { op: 'create', path: `${root}/a/s-`, options: { mode: CreateModes.EPHEMERAL_SEQUENTIAL } },
      { op: 'set', path: `${root}/a`, data, version: 0 },
      { op: 'delete', path: `${root}/old` },
    ]);
    assert.equal(
      results.map((result) => ('path' in result ? `${result.op} ${result.path}` : result.op)),
      ['check', `create ${root}/a`, `create ${root}/a/s-0000000000`, 'set', 'delete'],
    );
    const [, , , set] = results;
    assert.is(set?.op === 'set' ? set.stat.version : -1, 1);
    assert.is(await zk.exists(`${root}/old`), null);
    assert.equal(await zk.multi([]), []);
  });

  checkUnlessNative('a multi applies no part if one fails, and names it', async (world) => {
    const { zk, root } = world;
    const failed = await zk
      .multi([
        { op: 'create', path: `${root}/a` },
        { op: 'check', path: root, version: 9 },
        { op: 'delete', path: `${root}/absent` },
      ])
      .catch((error: unknown) => error);
    if (!(failed instanceof MultiError)) throw failed;
    assert.is(failed.code, 'BADVERSION');
    assert.is(failed.index, 1);
    assert.is(failed.path, root);
    assert.equal(failed.results, [0, -103, -2]);
    assert.is(await zk.exists(`${root}/a`), null);
  });

  check('a chroot is prepended to every path and removed from every response', async (world) => {
    const { root, connectString, connect, zk } = world;
    const { zk: inner } = await connect({ connectString: `${connectString}${root}` });
    assert.is(inner.chroot, root);
    assert.is(await createText(inner, '/a', 'in'), '/a');
    await zk.sync(root);
    assert.is(text((await zk.getData(`${root}/a`)).data), 'in');
    assert.is(await createText(inner, '/', '', CreateModes.PERSISTENT_SEQUENTIAL), '/0000000001');
    assert.equal([...(await inner.getChildren('/')).children].sort(), ['0000000001', 'a']);
    assert.is((await expectError('NONODE', inner.getData('/b'))).path, '/b');
    if (isNative) return;
    await createText(inner, '/e', '', CreateModes.EPHEMERAL);
    assert.equal(await inner.getEphemerals(), ['/e']);
    const [made] = await inner.multi([{ op: 'create', path: '/m' }]);
    assert.is(made?.op === 'create' ? made.path : '', '/m');
  });

  check('a missing chroot contains no znodes', async (world) => {
    const { connectString, root, connect } = world;
    const { zk } = await connect({ connectString: `${connectString}${root}/absent` });
    await expectError('NONODE', zk.getChildren('/'));
    await expectError('NONODE', zk.create('/a', Buffer.alloc(0)));
  });

  if (isNative) {
    check(
      'an operation that the package lacks gives an error that names the built-in client',
      async ({ zk, root, make }) => {
        const acl = [{ perms: 31, id: { scheme: 'auth', id: '' } }];
        await expectUnsupported(zk.create(`${root}/a`, Buffer.alloc(0), { acl }));
        await expectUnsupported(zk.getACL(root));
        await expectUnsupported(zk.addAuth('digest', Buffer.from([0xff])));
        assert.throws(() => make({ canBeReadOnly: true }), /built-in client/);
        assert.throws(() => make({ maxFrameLength: 5 }), /built-in client/);
      },
    );
  }
}
