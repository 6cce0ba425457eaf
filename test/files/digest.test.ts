import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  contentCrc,
  contentCrcOf,
  DIGEST_STAT_SIZE,
  isDigested,
  nodeDigest,
  orderPersisted,
  TreeDigest,
} from '../../src/files/digest.js';
import { StatTable } from '../../src/server/tree/stat-table.js';
import { ByteBuilder, zlibCrc32 } from '../support/bytes/zk-files.js';

// That the digests are Apache's is shown on a log of Apache's server:
// apache-files.test.ts.

const STAT = new ByteBuilder()
  .long(1n)
  .long(2n)
  .long(3n)
  .long(1_700_000_000_000n)
  .long(1_700_000_000_001n)
  .int(4)
  .int(5)
  .int(6)
  .long(0x1000n)
  .build();

for (const [path, data] of [
  ['/a', Buffer.from('data')],
  ['/a', null],
  ['/a', Buffer.alloc(0)],
  ['/ü/中', Buffer.alloc(100_000, 7)],
  ['', Buffer.from('root')],
  [`/${'x'.repeat(20_000)}`, null],
] as const) {
  test(`a znode's digest is the CRC-32 of its path, data and Stat: ${path.slice(0, 20)}`, () => {
    const bytes = Buffer.concat([Buffer.from(path), data ?? Buffer.alloc(0), STAT]);
    assert.is(nodeDigest(path, data, STAT), zlibCrc32(bytes));
  });
}

test('data given one byte a character digests like its bytes', () => {
  const data = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i & 0xff));
  assert.is(nodeDigest('/ü', data.toString('latin1'), STAT), nodeDigest('/ü', data, STAT));
});

test('data that stands inside other bytes digests like itself', () => {
  const bytes = Buffer.from('before, data, after');
  for (const path of ['/a', '/ü', '', '/', '/zookeeper/quota']) {
    assert.is(contentCrcOf(path, bytes, 8, 12), contentCrc(path, 'data'), path);
  }
});

test('a table continues from the content to the digest', () => {
  const stats = new StatTable();
  const slot = stats.allocatePersisted(
    Buffer.concat([STAT.subarray(0, 16), STAT.subarray(24), STAT.subarray(16, 24)]),
    0,
  );
  stats.setContentCrc(slot, contentCrc('/a', 'data'));
  assert.is(stats.digestOf('/a', slot), nodeDigest('/a', 'data', STAT));
  assert.is(stats.digestOf('/zookeeper/quota', slot), 0);
});

test('the root is "" whatever it is called', () => {
  assert.is(nodeDigest('/', null, STAT), nodeDigest('', null, STAT));
});

test('znodes below /zookeeper do not count, /zookeeper does', () => {
  assert.ok(isDigested('/zookeeper'));
  assert.ok(isDigested('/zookeeperx/a'));
  assert.not.ok(isDigested('/zookeeper/quota'));
  assert.is(nodeDigest('/zookeeper/quota', null, STAT), 0);
  assert.is.not(nodeDigest('/zookeeper', null, STAT), 0);
});

test('a persisted Stat, whose pzxid stands last, is put into the order of the digest', () => {
  const persisted = Buffer.concat([STAT.subarray(0, 16), STAT.subarray(24), STAT.subarray(16, 24)]);
  const ordered = Buffer.alloc(DIGEST_STAT_SIZE);
  orderPersisted(persisted, ordered);
  assert.equal(ordered, STAT);
});

test('a tree digest is a sum of 64 bits, and subtracts removed parts', () => {
  const sum = new TreeDigest();
  assert.is(sum.value, 0n);
  let expected = 0n;
  for (let i = 0; i < 1000; i++) {
    const digest = Math.imul(i, 2654435761) >>> 0;
    sum.add(digest);
    expected += BigInt(digest);
  }
  assert.is(sum.value, expected);
  for (let i = 0; i < 1000; i++) sum.remove(Math.imul(i, 2654435761) >>> 0);
  assert.is(sum.value, 0n);
  sum.remove(1);
  assert.is(sum.value, -1n);
  assert.equal([sum.high, sum.low], [0xffffffff, 0xffffffff]);
});

test.run();
