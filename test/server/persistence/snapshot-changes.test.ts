import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { SnapshotChanges } from '../../../src/server/persistence/snapshot-changes.js';
import type { Txn } from '../../../src/server/tree/txn.js';
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

function changesOf(...txns: readonly [zxid: bigint, txn: Txn][]): SnapshotChanges {
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
