import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot, writeSnapshotStream } from '../../../src/files/snapshot.js';
import { SnapshotReader } from '../../../src/files/snapshot-reader.js';
import { type Txn, writeTxn } from '../../../src/files/txn.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { feedSnapshot } from '../../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { bodySourceOf, sourceOf } from '../../../src/server/persistence/snapshot-source.js';
import type { DataTree } from '../../../src/server/tree/data-tree.js';
import { createTxn, setDataTxn, TreeWorld } from '../tree/tree-world.js';

// Which txns of a log are compared with the digests that their writer recorded.

const HISTORY: readonly Txn[] = [
  createTxn('/a', { data: 'one', parentCVersion: 1 }),
  createTxn('/b', { parentCVersion: 2 }),
  createTxn('/c', { parentCVersion: 3 }),
  setDataTxn('/a', 'two', 1),
  setDataTxn('/b', 'last', 1),
];

/** The entries of the history, and a tree at `reached`. */
function writeHistory(reached: number): { readonly entries: Buffer[]; readonly tree: DataTree } {
  const whole = new TreeWorld();
  const part = new TreeWorld();
  const entries = HISTORY.map((txn, at) => {
    const zxid = whole.apply(txn);
    if (at < reached) part.apply(txn);
    const out = new OutputArchive();
    const head = { sessionId: 0x5n, cxid: 1, zxid, time: zxid * 1000n };
    writeTxn(out, head, txn, whole.tree.digest.value);
    return Buffer.from(out.take());
  });
  return { entries, tree: part.tree };
}

/** That tree as loaded from a leader or a file named by `zxid`. */
function loaded(tree: DataTree, zxid: bigint, form: 'sent' | 'file'): Database {
  const content = { tree, sessions: [], zxid };
  const bytes =
    form === 'sent'
      ? [...writeSnapshotStream(bodySourceOf(content), 'end')]
      : [...writeSnapshot(sourceOf(content, true))];
  const reader = new SnapshotReader(1 << 20, form === 'sent' ? 'body' : undefined);
  for (const chunk of bytes) reader.push(chunk);
  if (form === 'file') reader.end();
  const database = new Database({});
  assert.is(feedSnapshot(database, reader).kind, 'end');
  database.finishSnapshot(zxid);
  return database;
}

test('the snapshot of a leader has parts of later txns: digests count once one matches', () => {
  const { entries, tree } = writeHistory(4);
  const database = loaded(tree, 1n, 'sent');
  assert.ok(database.tree.isFuzzy);
  for (const entry of entries.slice(1, 3)) database.replay(entry);
  assert.is(database.digestMismatches, 0);
  assert.ok(database.tree.isFuzzy);
  database.replay(entries[3] as Buffer);
  assert.not.ok(database.tree.isFuzzy);
  database.tree.digest.value++;
  database.replay(entries[4] as Buffer);
  assert.is(database.digestMismatches, 1);
});

test('a file has the last zxid of its tree, and digests count from there on', () => {
  const { entries, tree } = writeHistory(3);
  const database = loaded(tree, 1n, 'file');
  assert.not.ok(database.tree.isFuzzy);
  for (const entry of entries.slice(1, 3)) database.replay(entry);
  database.tree.digest.value++;
  for (const entry of entries.slice(3)) database.replay(entry);
  assert.is(database.digestMismatches, 2);
});

test('a file written before a digest matched has no last zxid', () => {
  const { entries, tree } = writeHistory(4);
  const { tree: sent } = loaded(tree, 1n, 'sent');
  const kept = loaded(sent, 1n, 'file');
  assert.is(kept.sealed, null);
  assert.ok(kept.tree.isFuzzy);
  for (const entry of entries.slice(1)) kept.replay(entry);
  assert.is(kept.digestMismatches, 0);
  assert.not.ok(kept.tree.isFuzzy);
});

test('ephemerals of sessions that no longer exist are deleted, whatever their id', () => {
  for (const owner of [0x7n, -0x7n]) {
    const database = new Database({});
    const { tree } = database;
    database.finishSnapshot(0n);
    const head = (zxid: bigint) => ({ sessionId: owner, cxid: 1, zxid, time: 1000n });
    tree.apply(head(1n), createTxn('/kept', { parentCVersion: 1 }));
    tree.apply(head(2n), createTxn('/gone', { parentCVersion: 2, isEphemeral: true }));
    database.addSession(owner, 1000);
    database.removeOrphans();
    assert.ok(tree.get('/gone') !== undefined);
    database.sessions.clear();
    database.removeOrphans();
    assert.is(tree.get('/gone'), undefined);
    assert.ok(tree.get('/kept') !== undefined);
    assert.is(tree.lastProcessedZxid, 2n);
    assert.equal([...tree.sessionsWithEphemerals()], []);
  }
});

test.run();
