import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { READ_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { Znode } from '../../../src/server/tree/znode.js';
import { createTxn, deleteTxn, setDataTxn, TreeWorld } from './tree-world.js';

const OWN_ACL = [{ perms: 31, id: { scheme: 'digest', id: 'u:hash' } }];

test('a fresh tree has what every server has', () => {
  const world = new TreeWorld();
  assert.equal(world.paths().sort(), ['/', '/zookeeper', '/zookeeper/config', '/zookeeper/quota']);
  const root = world.stat('/');
  assert.is(root?.cversion, -1);
  assert.is(root?.numChildren, 1);
  const zookeeper = world.stat('/zookeeper');
  assert.is(zookeeper?.cversion, -2);
  assert.is(zookeeper?.numChildren, 2);
  assert.is(world.stat('/zookeeper/config')?.aversion, -1);
  const config = world.tree.get('/zookeeper/config');
  assert.equal(config && world.tree.aclOf(config), READ_ACL_UNSAFE);
  // Apache's count has the root twice.
  assert.is(world.tree.nodeCount, 5);
});

test('the root answers to "" too', () => {
  const { tree } = new TreeWorld();
  assert.equal(tree.get(''), tree.get('/'));
});

test('a create gives the Stat of a new znode, and moves that of its parent', () => {
  const world = new TreeWorld();
  const first = world.create('/a', { data: 'abc' });
  const second = world.create('/a/b');
  assert.equal(world.stat('/a'), {
    czxid: first,
    mzxid: first,
    ctime: first * 1000n,
    mtime: first * 1000n,
    version: 0,
    cversion: 1,
    aversion: 0,
    ephemeralOwner: 0n,
    dataLength: 3,
    numChildren: 1,
    pzxid: second,
  });
  assert.equal(world.stat('/a/b'), {
    czxid: second,
    mzxid: second,
    ctime: second * 1000n,
    mtime: second * 1000n,
    version: 0,
    cversion: 0,
    aversion: 0,
    ephemeralOwner: 0n,
    dataLength: 0,
    numChildren: 0,
    pzxid: second,
  });
});

test('a delete counts in the cversion that clients see, and in pzxid', () => {
  const world = new TreeWorld();
  world.create('/a');
  world.create('/a/b');
  const deleted = world.apply(deleteTxn('/a/b'));
  const stat = world.stat('/a');
  assert.is(stat?.cversion, 2);
  assert.is(stat?.numChildren, 0);
  assert.is(stat?.pzxid, deleted);
  // Stored are the creates alone: they number sequential znodes, and a delete gives no number back.
  const node = world.tree.get('/a');
  assert.is(node && world.tree.statOf(node).cversion, 1);
  assert.is(world.stat('/a/b'), undefined);
});

test('a setData moves mzxid, mtime, version and length, and nothing of the parent', () => {
  const world = new TreeWorld();
  const created = world.create('/a', { data: 'abc' });
  const rootBefore = world.stat('/');
  const before = world.stat('/a');
  const zxid = world.apply(setDataTxn('/a', 'defgh', 1));
  assert.equal(world.stat('/a'), {
    ...before,
    mzxid: zxid,
    mtime: zxid * 1000n,
    version: 1,
    dataLength: 5,
  });
  assert.is(world.stat('/a')?.czxid, created);
  assert.equal(world.stat('/'), rootBefore);
});

test('null data is not empty data, though both have length 0', () => {
  const world = new TreeWorld();
  world.create('/null', { data: null });
  world.create('/empty', { data: '' });
  assert.is(world.tree.dataAt('/null'), null);
  assert.is(world.tree.dataAt('/empty'), '');
  assert.is(world.stat('/null')?.dataLength, 0);
  assert.is(world.stat('/empty')?.dataLength, 0);
});

test('a setACL moves aversion alone', () => {
  const world = new TreeWorld();
  world.create('/a');
  const before = world.stat('/a');
  world.apply({ type: OpCode.setACL, path: '/a', acl: OWN_ACL, version: 1 });
  assert.equal(world.stat('/a'), { ...before, aversion: 1 });
  const node = world.tree.get('/a');
  assert.equal(node && world.tree.aclOf(node), OWN_ACL);
});

test('a parent ahead of a create keeps what it has', () => {
  const world = new TreeWorld();
  world.create('/a');
  world.create('/a/x', { parentCVersion: 7 });
  const ahead = world.stat('/a');
  world.create('/a/y', { parentCVersion: 5 });
  const stat = world.stat('/a');
  assert.is(stat?.pzxid, ahead?.pzxid);
  // 2 * 7 creates less the children that are there
  assert.is(ahead?.cversion, 13);
  assert.is(stat?.cversion, 12);
});

test('lastProcessedZxid follows every txn, also one that changes nothing', () => {
  const world = new TreeWorld();
  for (const txn of [
    { type: OpCode.error, err: -101 },
    { type: OpCode.createSession, timeoutMs: 1000 },
    { type: OpCode.check, path: '/a', version: 1 },
    deleteTxn('/not/there'),
    setDataTxn('/not/there', 'a', 1),
    createTxn('/not/there'),
  ] as const) {
    const zxid = world.apply(txn);
    assert.is(world.tree.lastProcessedZxid, zxid);
  }
  assert.is(world.tree.nodeCount, 5);
  world.replay(1n, { type: OpCode.error, err: -1 });
  assert.is(world.tree.lastProcessedZxid, 6n);
});

test('a multi is applied in order, under one zxid', () => {
  const world = new TreeWorld();
  const zxid = world.apply({
    type: OpCode.multi,
    txns: [
      createTxn('/a'),
      createTxn('/a/b', { data: '1' }),
      setDataTxn('/a/b', '22', 1),
      { type: OpCode.check, path: '/a', version: 0 },
      createTxn('/c'),
      deleteTxn('/c'),
    ],
  });
  assert.equal(world.paths().slice(-2), ['/a', '/a/b']);
  assert.is(world.stat('/a/b')?.mzxid, zxid);
  assert.is(world.stat('/a/b')?.czxid, zxid);
  assert.is(world.stat('/')?.pzxid, zxid);
});

test('a multi with an error among its parts changes nothing', () => {
  const world = new TreeWorld();
  const before = world.dump();
  const zxid = world.apply({
    type: OpCode.multi,
    txns: [{ type: OpCode.error, err: 0 }, { type: OpCode.error, err: -110 }, createTxn('/a')],
  });
  assert.equal(world.dump(), before);
  assert.is(world.tree.lastProcessedZxid, zxid);
});

test('ephemerals are known by their session, and go with it', () => {
  const world = new TreeWorld();
  const session = -0x7fff_0000_0000_0001n;
  world.create('/e1', { isEphemeral: true }, session);
  world.create('/e2', { isEphemeral: true }, session);
  world.create('/other', { isEphemeral: true }, 9n);
  world.create('/plain', {}, session);
  assert.is(world.stat('/e1')?.ephemeralOwner, session);
  assert.is(world.stat('/plain')?.ephemeralOwner, 0n);
  assert.equal([...world.tree.ephemeralsOf(session)], ['/e1', '/e2']);
  assert.is(world.tree.ephemeralsCount, 3);
  const zxid = world.apply({ type: OpCode.closeSession, paths: ['/e1', '/e2'] }, session);
  assert.equal(world.paths().slice(-2).sort(), ['/other', '/plain']);
  assert.is(world.stat('/')?.pzxid, zxid);
  assert.is(world.tree.ephemeralsOf(session).size, 0);
  assert.equal(
    [...world.tree.sessionsWithEphemerals()].map(([id, paths]) => [id, [...paths]]),
    [['9', ['/other']]],
  );
});

test('a closeSession without a list deletes all ephemerals of its session', () => {
  const world = new TreeWorld();
  world.create('/e', { isEphemeral: true }, 7n);
  world.apply({ type: OpCode.closeSession, paths: [] }, 7n);
  assert.is(world.tree.get('/e'), undefined);
  assert.is(world.tree.ephemeralsCount, 0);
});

test('an ephemeral that is deleted leaves its session', () => {
  const world = new TreeWorld();
  world.create('/e', { isEphemeral: true }, 7n);
  world.apply(deleteTxn('/e'));
  assert.is(world.tree.ephemeralsOf(7n).size, 0);
  assert.equal([...world.tree.sessionsWithEphemerals()], []);
});

test('containers and TTL nodes are listed, and show no owner', () => {
  const world = new TreeWorld({ isTTLEnabled: true });
  world.create('/c', { type: OpCode.createContainer });
  world.create('/t', { type: OpCode.createTTL, ttl: 60_000n });
  assert.equal([...world.tree.containers], ['/c']);
  assert.equal([...world.tree.ttls], ['/t']);
  assert.is(world.stat('/c')?.ephemeralOwner, 0n);
  assert.is(world.stat('/t')?.ephemeralOwner, 0n);
  assert.is(world.tree.ephemeralsCount, 0);
  world.apply({ type: OpCode.deleteContainer, path: '/c' });
  world.apply(deleteTxn('/t'));
  assert.equal([world.tree.containers.size, world.tree.ttls.size], [0, 0]);
});

test('the data size is that of paths and data', () => {
  const world = new TreeWorld();
  const before = world.tree.approximateDataSize;
  world.create('/abc', { data: '12345' });
  assert.is(world.tree.approximateDataSize, before + 4 + 5);
  world.apply(setDataTxn('/abc', '1', 1));
  assert.is(world.tree.approximateDataSize, before + 4 + 1);
  world.apply(setDataTxn('/abc', null, 2));
  assert.is(world.tree.approximateDataSize, before + 4);
  world.apply(deleteTxn('/abc'));
  assert.is(world.tree.approximateDataSize, before);
});

test('the listener gets each change once, in order, and of nothing that did not happen', () => {
  const world = new TreeWorld();
  const told: string[] = [];
  const linkOf = (path: string, node: Znode, parent: Znode, zxid: bigint) => {
    assert.is(world.tree.pathOf(node), path);
    return `${path} in ${world.tree.pathOf(parent)} ${zxid}`;
  };
  world.tree.listener = {
    created: (...given) => told.push(`created ${linkOf(...given)}`),
    deleted: (...given) => told.push(`deleted ${linkOf(...given)}`),
    dataChanged: (path, node, zxid) => {
      assert.is(world.tree.pathOf(node), path);
      told.push(`changed ${path} ${zxid}`);
    },
  };
  world.create('/a');
  world.create('/a');
  world.apply(setDataTxn('/a', 'x', 1));
  world.apply({ type: OpCode.setACL, path: '/a', acl: OWN_ACL, version: 1 });
  world.apply(setDataTxn('/b', 'x', 1));
  world.apply(deleteTxn('/a'));
  world.apply(deleteTxn('/a'));
  assert.equal(told, ['created /a in / 1', 'changed /a 3', 'deleted /a in / 6']);
});

test('the root is never deleted', () => {
  const world = new TreeWorld();
  world.apply(deleteTxn('/'));
  world.apply(deleteTxn(''));
  assert.is(world.tree.get('/'), world.tree.root);
});

test('a prepared znode is not taken for the next one with its slot', () => {
  const world = new TreeWorld();
  world.create('/a');
  const znode = world.tree.get('/a') as Znode;
  const generation = world.tree.generationOf(znode);
  const prepared = { path: '/a', znode, generation, hash: 1, pathSum: 0 };
  assert.is(world.tree.nodeOf(prepared), znode);
  world.apply(deleteTxn('/a'));
  assert.is(world.tree.nodeOf(prepared), undefined);
  world.create('/b');
  assert.is(world.tree.get('/b'), znode);
  assert.is(world.tree.nodeOf(prepared), undefined);
});

test('a digest is kept of the tree, and is 0 again when all is gone', () => {
  const world = new TreeWorld();
  const sum = (): bigint => world.tree.digest.value;
  const before = sum();
  world.create('/a', { data: 'x' });
  assert.is.not(sum(), before);
  const withA = sum();
  world.apply(setDataTxn('/a', 'y', 1));
  assert.is.not(sum(), withA);
  // The key digest.enabled.
  const off = new TreeWorld({ isDigestEnabled: false });
  off.create('/a');
  assert.is(off.tree.digest.value, 0n);
});

test.run();
