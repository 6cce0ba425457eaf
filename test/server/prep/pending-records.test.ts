import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { ChangeRecord } from '../../../src/server/prep/change-record.js';
import { OutstandingChanges } from '../../../src/server/prep/outstanding-changes.js';
import { PendingRecords } from '../../../src/server/prep/pending-records.js';
import { PendingStats } from '../../../src/server/tree/node-stat.js';
import { Random } from '../../support/random.js';
import { TreeWorld } from '../tree/tree-world.js';

const PATHS = 600;
const stat = new PendingStats().make({ zxid: 1n, time: 1n }, 0n);

/** Many paths share a hash, and many hashes a bucket. */
function hashOf(place: number): number {
  return (place % 400) * 0x2000_0001;
}

function recordAt(place: number): ChangeRecord {
  return new ChangeRecord(`/p${place}`, hashOf(place), stat, [], 0, 0);
}

test('it holds what a Map holds', () => {
  const random = new Random(7);
  const records = new PendingRecords();
  const expected = new Map<number, ChangeRecord>();
  for (let step = 0; step < 6000; step++) {
    const place = random.below(PATHS);
    const found = expected.get(place);
    assert.is(records.get(`/p${place}`, hashOf(place)), found);
    // More are set than deleted, so that it grows.
    if (found !== undefined && random.below(3) === 0) {
      records.delete(found);
      expected.delete(place);
      assert.is(found.next, null);
    } else {
      const record = recordAt(place);
      records.set(record, found);
      expected.set(place, record);
    }
    assert.is(records.size, expected.size);
  }
  const listed = [...records.values()];
  assert.is(listed.length, expected.size);
  assert.equal(new Set(listed), new Set(expected.values()));
  assert.ok(expected.size > 300, `${expected.size} records at the end`);
});

test('a replaced record links to nothing', () => {
  const records = new PendingRecords();
  const [older, other, newer] = [recordAt(0), recordAt(400), recordAt(0)];
  records.set(older, undefined);
  records.set(other, undefined);
  records.set(newer, older);
  assert.is(older.next, null);
  assert.is(records.get('/p0', hashOf(0)), newer);
  assert.is(records.get('/p400', hashOf(400)), other);
});

test('a settled record links to nothing, so that it keeps no later one in memory', () => {
  const { tree } = new TreeWorld();
  const changes = new OutstandingChanges(tree, false);
  const first = changes.make(
    { path: '/a', hash: 1, dataLength: 0, pathSum: 0, crc: 0 },
    OPEN_ACL_UNSAFE,
    0n,
    { zxid: 9n, time: 9n },
  );
  changes.put(null, first);
  const second = changes.copy(first);
  changes.put(first, second);
  assert.is(first.newer, second);
  changes.settle([first]);
  assert.equal([first.older, first.newer, first.next], [null, null, null]);
  assert.is(changes.get('/a', 1), second);
});

/** Counts how often a search looks at a record. */
function visitsOf(records: PendingRecords, kept: readonly ChangeRecord[]): number {
  let visits = 0;
  for (const record of kept) {
    const { hash } = record;
    const get = (): number => {
      visits++;
      return hash;
    };
    Object.defineProperty(record, 'hash', { get });
  }
  for (const { path, hash } of kept) {
    const before = visits;
    assert.is(records.get(path, hash)?.path, path);
    assert.ok(visits > before);
  }
  return visits - kept.length;
}

test('records whose hashes differ are found at once, however many there are', () => {
  const records = new PendingRecords();
  const kept: ChangeRecord[] = [];
  for (const count of [256, 1000]) {
    while (kept.length < count) {
      const record = new ChangeRecord(`/${kept.length}`, kept.length, stat, [], 0, 0);
      records.set(record, undefined);
      kept.push(record);
    }
    assert.is(visitsOf(records, kept), count);
  }
});

test.run();
