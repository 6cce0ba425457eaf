import * as assert from 'uvu/assert';
import { type SnapshotSource, writeSnapshot } from '../../src/files/snapshot.js';
import { SnapshotReader } from '../../src/files/snapshot-reader.js';
import { readTxn } from '../../src/files/txn.js';
import { feedSnapshot } from '../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../src/server/persistence/replay.js';
import { SnapshotChanges } from '../../src/server/persistence/snapshot-changes.js';
import type { SnapshotContent } from '../../src/server/persistence/snapshot-content.js';
import { SnapshotMerge } from '../../src/server/persistence/snapshot-merge.js';
import { contentOf, sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { SnapshotSummer, type SnapshotSums } from '../../src/server/persistence/snapshot-sums.js';
import type { DataTree } from '../../src/server/tree/data-tree.js';
import { dumpOf } from './seeds.js';

/** Shorter than most znodes, so that they are cut. */
const PIECE = 100;

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
  compareSums(content, expected.tree);
}

/** The sums that another thread computes are those of this one. */
function compareSums(content: SnapshotContent, expected: DataTree): void {
  const bytes = Buffer.concat([...writeSnapshot(sourceOf(content, true))]);
  const summer = new SnapshotSummer(bytes.length);
  for (let at = 0; at < bytes.length; at += PIECE) summer.push(bytes.subarray(at, at + PIECE));
  const { tree } = loaded(sourceOf(content, true), summer.end());
  assert.is(tree.digest.value, expected.digest.value);
  for (const node of tree.walk()) {
    const path = tree.pathOf(node);
    const stat = tree.statOf(node);
    const other = expected.get(path);
    assert.ok(other !== undefined, path);
    const { digest, contentCrc, pathCrc } = expected.statOf(other);
    assert.equal([stat.digest, stat.contentCrc, stat.pathCrc], [digest, contentCrc, pathCrc], path);
  }
}

function readerOf(source: SnapshotSource): SnapshotReader {
  const reader = new SnapshotReader();
  reader.push(Buffer.concat([...writeSnapshot(source)]));
  reader.end();
  return reader;
}

function loaded(source: SnapshotSource, sums?: SnapshotSums): Database {
  const database = new Database({ isTTLEnabled: true });
  if (sums !== undefined) database.omitSums();
  assert.is(feedSnapshot(database, readerOf(source)).kind, 'end');
  database.finishSnapshot(source.zxid, sums);
  return database;
}
