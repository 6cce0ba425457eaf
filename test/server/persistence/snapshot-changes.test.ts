import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Txn } from '../../../src/files/txn.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { SnapshotChanges } from '../../../src/server/persistence/snapshot-changes.js';
import { createTxn, deleteTxn, setDataTxn } from '../tree/tree-world.js';

const AVERSION = 40;
const OWNER = 44;
const OWNED = 0x77n;
const KEY = 5n;
const keyOf = () => KEY;

function nodeOf(path: string, czxid = 1n, owner = 0n) {
  const stat = Buffer.alloc(60);
  stat.writeBigInt64BE(czxid);
  stat.writeInt32BE(3, AVERSION);
  stat.writeBigInt64BE(owner, OWNER);
  return { path, data: Buffer.from('old'), aclKey: 1n, stat };
}

type Logged = readonly [zxid: bigint, txn: Txn];

function changesOf(...txns: readonly Logged[]): SnapshotChanges {
  const changes = new SnapshotChanges();
  for (const [zxid, txn] of txns) {
    changes.apply({ sessionId: OWNED, cxid: 1, zxid, time: 1000n * zxid }, txn);
  }
  return changes;
}

test('setACL changes the ACL and its version, and nothing else', () => {
  const acl = [{ perms: Perms.READ, id: { scheme: 'ip', id: '10.0.0.1' } }];
  const changes = changesOf([9n, { type: OpCode.setACL, path: '/a', acl, version: 7 }]);
  const node = nodeOf('/a');
  const merged = changes.merge(node, (given) => {
    assert.is(given, acl);
    return KEY;
  });
  assert.is(merged?.aclKey, KEY);
  assert.is(merged?.data, node.data);
  assert.is(merged?.stat.readInt32BE(AVERSION), 7);
  const expected = Buffer.from(node.stat);
  expected.writeInt32BE(7, AVERSION);
  assert.ok(merged?.stat.equals(expected));
  assert.is(node.stat.readInt32BE(AVERSION), 3, 'the bytes of the reader stay');
});

const MZXID = 8;
const MTIME = 24;
const VERSION = 32;
const CVERSION = 36;
const PZXID = 52;

test('setData changes the data, mzxid, mtime, and version', () => {
  const merged = changesOf([9n, setDataTxn('/a', 'new', 4)]).merge(nodeOf('/a'), keyOf);
  assert.is(`${merged?.data}`, 'new');
  const expected = nodeOf('/a').stat;
  expected.writeBigInt64BE(9n, MZXID);
  expected.writeBigInt64BE(9000n, MTIME);
  expected.writeInt32BE(4, VERSION);
  assert.ok(merged?.stat.equals(expected));
  const emptied = changesOf([9n, setDataTxn('/a', null, 4)]).merge(nodeOf('/a'), keyOf);
  assert.is(emptied?.data, null);
});

/** cversion and pzxid of /p, which had 3 and 5, after these txns. */
function parentAfter(...txns: readonly Logged[]): string {
  const node = nodeOf('/p');
  node.stat.writeInt32BE(3, CVERSION);
  node.stat.writeBigInt64BE(5n, PZXID);
  const { stat } = changesOf(...txns).merge(node, keyOf) ?? node;
  return `${stat.readInt32BE(CVERSION)} ${stat.readBigInt64BE(PZXID)}`;
}

test('the newest create and delete below a znode decide its cversion and pzxid', () => {
  const create = (name: string, parentCVersion: number) =>
    createTxn(`/p/${name}`, { parentCVersion });
  assert.is(parentAfter([9n, create('a', 4)]), '4 9');
  assert.is(parentAfter([9n, create('a', 4)], [10n, create('b', 5)]), '5 10');
  // The snapshot or an earlier txn has a later one already.
  assert.is(parentAfter([9n, create('a', 3)]), '3 5');
  assert.is(parentAfter([9n, create('a', 2)]), '3 5');
  assert.is(parentAfter([9n, create('a', 5)], [10n, create('b', 5)]), '5 9');
  assert.is(parentAfter([9n, create('a', 5)], [10n, create('b', 4)]), '5 9');
  assert.is(parentAfter([9n, deleteTxn('/p/a')]), '3 9');
  assert.is(parentAfter([5n, deleteTxn('/p/a')]), '3 5');
  assert.is(parentAfter([4n, deleteTxn('/p/a')]), '3 5');
  assert.is(parentAfter([9n, create('a', 4)], [10n, deleteTxn('/p/a')]), '4 10');
});

test('created znodes come after their parents, also those whose names are used again', () => {
  const create = (path: string) => createTxn(path, { parentCVersion: 1 });
  const changes = changesOf(
    [9n, create('/a/b')],
    [10n, create('/c')],
    [11n, deleteTxn('/a/b')],
    [12n, deleteTxn('/a')],
    [13n, create('/a')],
    [14n, create('/a/b')],
  );
  assert.equal(
    [...changes.created(keyOf)].map(({ path }) => path),
    ['/c', '/a', '/a/b'],
  );
});

test('all paths that changed may be in the filter, and the root is the empty one', () => {
  const filter = changesOf([9n, createTxn('/a', { parentCVersion: 1 })]).filter();
  const has = (path: string) => {
    const bytes = Buffer.from(path);
    return filter.mayHave(bytes, 0, bytes.length);
  };
  assert.equal([has(''), has('/a'), has('/')], [true, true, false]);
});

test('a znode without a change is merged as it is', () => {
  const changes = changesOf([9n, setDataTxn('/other', 'new', 1)]);
  const node = nodeOf('/a');
  assert.is(changes.merge(node, keyOf), node);
});

test('a znode that was deleted, or deleted and created again, is not merged', () => {
  const changes = changesOf(
    [9n, deleteTxn('/a')],
    [10n, deleteTxn('/b')],
    [11n, createTxn('/b', { parentCVersion: 9 })],
  );
  assert.is(changes.merge(nodeOf('/a'), keyOf), null);
  assert.is(changes.merge(nodeOf('/b'), keyOf), null);
  assert.equal(
    [...changes.created(keyOf)].map(({ path, aclKey }) => [path, aclKey]),
    [['/b', KEY]],
  );
});

/** A session that closed at 10 without a list of its ephemerals. */
function closedAt10(): SnapshotChanges {
  return changesOf([10n, { type: OpCode.closeSession, paths: null }]);
}

test('an ephemeral of a session that closed without a list needs the tree', () => {
  for (const [czxid, owner, isRefused] of [
    [9n, OWNED, true],
    [10n, OWNED, false],
    [11n, OWNED, false],
    [9n, 0x78n, false],
    [9n, 0n, false],
  ] as const) {
    const merge = () => closedAt10().merge(nodeOf('/e', czxid, owner), keyOf);
    if (isRefused) assert.throws(merge, /without a list of its ephemerals/);
    else assert.ok(merge() !== null, `${czxid} ${owner}`);
  }
  assert.ok(closedAt10().isClosed(OWNED));
  assert.not(closedAt10().isClosed(0x78n));
});

test('an ephemeral that was created before such a close needs the tree, and one after it does not', () => {
  const create = createTxn('/e', { parentCVersion: 1, isEphemeral: true });
  const close: Txn = { type: OpCode.closeSession, paths: [] };
  assert.throws(() => [...changesOf([9n, create], [10n, close]).created(keyOf)], /without a list/);
  const later = changesOf([9n, close], [10n, create]);
  assert.is([...later.created(keyOf)].length, 1);
});

test('a close with a list deletes those znodes', () => {
  const changes = changesOf([10n, { type: OpCode.closeSession, paths: ['/e'] }]);
  assert.is(changes.merge(nodeOf('/e', 9n, OWNED), keyOf), null);
  assert.not(changes.isClosed(OWNED));
  assert.ok(changes.merge(nodeOf('/f', 9n, OWNED), keyOf) !== null);
});

test.run();
