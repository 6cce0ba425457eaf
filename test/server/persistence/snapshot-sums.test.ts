import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { crc32 } from '../../../src/base/checksum.js';
import { SnapshotSummer } from '../../../src/server/persistence/snapshot-sums.js';
import { ByteBuilder, sealed } from '../../support/bytes/zk-files.js';

const WORDS = 3;

function nodeOf(path: string): Buffer {
  const builder = new ByteBuilder().string(path).buffer(Buffer.from('x')).long(-1n);
  return builder.bytes(Buffer.alloc(60)).build();
}

/** A snapshot with znodes of these paths. */
function snapshotOf(paths: readonly string[]): Buffer {
  const head = new ByteBuilder().bytes(Buffer.from('ZKSN')).int(2).long(-1n).int(0).int(0);
  const end = new ByteBuilder().string('/').build();
  return sealed(Buffer.concat([head.build(), ...paths.map(nodeOf), end]));
}

for (const count of [1, 65_536, 65_537, 140_000]) {
  test(`the sums of ${count} znodes are those of their paths, in order`, () => {
    const paths = ['', ...Array.from({ length: count - 1 }, (_, at) => `/n${at}`)];
    const summer = new SnapshotSummer(4096);
    summer.push(snapshotOf(paths));
    const sums = summer.end();
    assert.is(sums.count, count);
    paths.forEach((path, at) => {
      const bytes = Buffer.from(path);
      if (sums.words[WORDS * at] === crc32(bytes, 0, bytes.length)) return;
      throw new Error(`the sum of znode ${at}`);
    });
  });
}

test('a damaged snapshot is refused', () => {
  const bytes = snapshotOf(['', '/a']);
  bytes.writeInt32BE(-7, 24);
  const summer = new SnapshotSummer(4096);
  assert.throws(() => {
    summer.push(bytes);
    summer.end();
  });
});

test.run();
