import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteWindow } from '../../../src/files/byte-window.js';
import { SnapshotReader } from '../../../src/files/snapshot-reader.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { SnapshotChanges } from '../../../src/server/persistence/snapshot-changes.js';
import { SnapshotMerge } from '../../../src/server/persistence/snapshot-merge.js';
import { anyZnode } from '../tree/tables-of.js';

// Assertions whose faults the simulator cannot show, because the server falls back to the tree.

const head = (zxid: bigint) => ({ sessionId: 1n, cxid: 1, zxid, time: 1n });
const deletion = { type: OpCode.delete, path: '/a' } as const;

test('txns are merged in zxid order', () => {
  const changes = new SnapshotChanges();
  changes.apply(head(2n), deletion);
  assert.throws(() => changes.apply(head(2n), deletion), /^zxid order: merged: 0x2 and 0x2$/);
  assert.throws(() => changes.apply(head(1n), deletion), /^zxid order: merged: 0x1 and 0x2$/);
});

test('a merged snapshot has no digest before its last node', () => {
  const result = { zxid: 2n, sessions: [], acls: [], reserved: [], digest: 0n };
  const job = { ...result, isLastZxidWritten: true };
  const merge = new SnapshotMerge(job, new SnapshotReader(), new SnapshotChanges());
  assert.throws(() => merge.digest, /^snapshot merge: the digest of a part: 0x2$/);
});

test('a merged Stat has the size of a StatPersisted', () => {
  const changes = new SnapshotChanges();
  const node = { path: '/a', data: null, aclKey: -1n, stat: Buffer.alloc(59) };
  const merge = () => changes.merge(node, () => -1n);
  assert.throws(merge, /^snapshot merge: the size of a Stat: 59$/);
});

test('sums are those of the loaded znodes', () => {
  const { tree } = new Database({});
  const words = new Uint32Array(3);
  const give = (slots: number[], count: number) => () =>
    tree.takeSums(slots.map(anyZnode), { count, words });
  assert.throws(give([1], 0), /^snapshot sums: znodes summed and loaded: 0 and 1$/);
  assert.throws(give([1, 2], 2), /^snapshot sums: words for the znodes: 3 and 2$/);
  assert.throws(give([99], 1), /^snapshot sums: of no znode: 99 and \d+$/);
});

test('a snapshot comes once, before all txns', () => {
  const database = new Database({});
  const replay = () => database.replay(Buffer.alloc(0));
  assert.throws(() => database.removeOrphans(), /^replay: sessions of an unfinished snapshot$/);
  database.finishSnapshot(1n);
  assert.throws(() => database.finishSnapshot(1n), /^replay: a second snapshot: 0x1$/);
  assert.throws(() => database.omitSums(), /^replay: sums are left out too late$/);
  assert.throws(replay, (error: Error) => error.name === 'JuteError');
});

test('no reader goes past the bytes of its window', () => {
  const window = new ByteWindow();
  window.push(Buffer.alloc(3));
  window.at = 4;
  assert.throws(() => window.push(Buffer.alloc(1)), /^file: read past the window: 4 and 3$/);
  assert.throws(() => window.settle(), /^file: read past the window: 4 and 3$/);
});

test.run();
