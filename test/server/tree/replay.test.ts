import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Txn } from '../../../src/files/txn.js';
import type { ACL } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { createTxn, deleteTxn, setDataTxn, TreeWorld } from './tree-world.js';

// A snapshot is taken while txns are applied: it holds some of what the log says again. Whatever it
// holds, a replay from the zxid in its name must lead to the same tree (docs/protocol.md).

const A: readonly ACL[] = [{ perms: 31, id: { scheme: 'digest', id: 'a:x' } }];
const B: readonly ACL[] = [{ perms: 1, id: { scheme: 'ip', id: '127.0.0.1' } }];

const SESSION = 0x77n;

const HISTORY: readonly Txn[] = [
  createTxn('/a', { data: 'one', acl: A, parentCVersion: 1 }),
  createTxn('/a/b', { parentCVersion: 1 }),
  createTxn('/a/c', { parentCVersion: 2, isEphemeral: true }),
  setDataTxn('/a', 'two', 1),
  deleteTxn('/a/b'),
  createTxn('/a/b', { data: 'again', acl: B, parentCVersion: 3 }),
  {
    type: OpCode.multi,
    txns: [
      createTxn('/m', { parentCVersion: 2 }),
      createTxn('/m/x', { parentCVersion: 1, isEphemeral: true }),
      setDataTxn('/a', 'three', 2),
    ],
  },
  { type: OpCode.setACL, path: '/a', acl: B, version: 1 },
  { type: OpCode.error, err: -101 },
  createTxn('/d', { type: OpCode.createContainer, parentCVersion: 3 }),
  createTxn('/d/child', { parentCVersion: 1 }),
  deleteTxn('/d/child'),
  { type: OpCode.deleteContainer, path: '/d' },
  { type: OpCode.closeSession, paths: ['/a/c', '/m/x'] },
  createTxn('/last', { data: '', parentCVersion: 4 }),
];

function replay(world: TreeWorld, from: number, to: number): void {
  for (let i = from; i < to; i++) world.replay(BigInt(i + 1), HISTORY[i] as Txn, SESSION);
}

const expected = new TreeWorld();
replay(expected, 0, HISTORY.length);
const EXPECTED = expected.dump();

test('the history leads somewhere', () => {
  assert.equal(
    expected.paths().filter((path) => !path.startsWith('/zookeeper')),
    ['/', '/a', '/a/b', '/m', '/last'],
  );
});

for (let end = 0; end <= HISTORY.length; end++) {
  test(`a tree that is at ${end} takes the log again from any txn before`, () => {
    for (let start = 0; start <= end; start++) {
      const world = new TreeWorld();
      replay(world, 0, end);
      replay(world, start, HISTORY.length);
      assert.equal(world.dump(), EXPECTED, `again from ${start}`);
      assert.is(world.tree.digest.value, expected.tree.digest.value, `again from ${start}`);
      assert.is(world.tree.ephemeralsCount, 0);
      assert.is(world.tree.containers.size, 0);
      assert.is(world.tree.approximateDataSize, expected.tree.approximateDataSize);
      assert.is([...world.tree.aclEntries()].length, [...expected.tree.aclEntries()].length);
    }
  });
}

test('a replayed create gives a znode its ACL of then, and the later setACL its own', () => {
  const world = new TreeWorld();
  world.create('/a', { acl: B });
  world.replay(1n, createTxn('/a', { acl: A, data: 'not taken', parentCVersion: 1 }));
  const node = world.tree.get('/a');
  assert.equal(node && world.tree.aclOf(node), A);
  assert.is(world.tree.dataAt('/a'), null);
});

test('deleting a missing znode still raises the pzxid of the parent', () => {
  const world = new TreeWorld();
  world.create('/a');
  world.replay(9n, deleteTxn('/a/gone'));
  assert.is(world.stat('/a')?.pzxid, 9n);
  world.replay(5n, deleteTxn('/a/gone'));
  assert.is(world.stat('/a')?.pzxid, 9n);
});

test('a create without its parent has no effect', () => {
  const world = new TreeWorld();
  world.replay(3n, createTxn('/gone/child', { parentCVersion: 1 }));
  assert.is(world.tree.get('/gone/child'), undefined);
  assert.is(world.tree.nodeCount, 5);
});

test('an ephemeral of before comes back to its owner, not to the session of the replay', () => {
  const world = new TreeWorld();
  world.create('/e', { isEphemeral: true }, 1n);
  world.replay(1n, createTxn('/e', { isEphemeral: true, parentCVersion: 1 }), 2n);
  assert.equal([...world.tree.ephemeralsOf(1n)], ['/e']);
  assert.equal([...world.tree.ephemeralsOf(2n)], []);
});

test.run();
