import * as assert from 'uvu/assert';
import { feedSnapshot } from '../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../src/server/persistence/replay.js';
import { type SnapshotSource, writeSnapshot } from '../../src/server/persistence/snapshot.js';
import { SnapshotChanges } from '../../src/server/persistence/snapshot-changes.js';
import type { SnapshotContent } from '../../src/server/persistence/snapshot-content.js';
import { SnapshotMerge } from '../../src/server/persistence/snapshot-merge.js';
import { SnapshotReader } from '../../src/server/persistence/snapshot-reader.js';
import { contentOf, sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { readTxn } from '../../src/server/tree/txn.js';
import { dumpOf } from './seeds.js';

/**
 * A compaction of an old snapshot and the txns after it loads as a snapshot of the tree does.
 * @param older the tree before the log @param content the tree after it
 */
export function compareCompaction(
  older: Database,
  log: readonly Buffer[],
  content: SnapshotContent,
): void {
  const middle = log.length >> 1;
  for (const entry of log.slice(0, middle)) older.replay(entry);
  const changes = new SnapshotChanges();
  for (const entry of log.slice(middle)) {
    const { head, txn } = readTxn(entry);
    changes.apply(head, txn);
  }
  const { exact, zxid, sessions } = content;
  assert.ok(exact !== undefined, 'the tree has a digest');
  const result = { ...exact, zxid, sessions, isLastZxidWritten: true };
  const base = readerOf(sourceOf(contentOf(older), true));
  const compacted = loaded(new SnapshotMerge(result, base, changes));
  const expected = loaded(sourceOf(content, true));
  assert.equal(dumpOf(compacted.tree), dumpOf(expected.tree), 'a compaction gives the tree');
  assert.equal(compacted.sessions, expected.sessions);
  assert.equal(compacted.sealed, expected.sealed);
  assert.is(compacted.reachedZxid, expected.reachedZxid);
}

function readerOf(source: SnapshotSource): SnapshotReader {
  const reader = new SnapshotReader();
  reader.push(Buffer.concat([...writeSnapshot(source)]));
  reader.end();
  return reader;
}

function loaded(source: SnapshotSource): Database {
  const database = new Database({ isTTLEnabled: true });
  assert.is(feedSnapshot(database, readerOf(source)).kind, 'end');
  database.finishSnapshot(source.zxid);
  return database;
}
