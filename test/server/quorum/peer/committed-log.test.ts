import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteRange } from '../../../../src/jute/byte-range.js';
import { CommittedLog } from '../../../../src/server/quorum/peer/committed-log.js';

const test = suite('CommittedLog');

/** An entry of `length` bytes, as a view of a longer buffer. */
function entryOf(zxid: number, length: number): ByteRange {
  return new ByteRange(Buffer.alloc(length + 7, zxid & 0xff), 3, 3 + length);
}

function fill(log: CommittedLog, from: number, to: number, length: number): void {
  for (let zxid = from; zxid <= to; zxid++) log.add(BigInt(zxid), entryOf(zxid, length));
}

test('keeps at least that number of txns, and more while they are small', () => {
  // The keys commitLogCount and observerMaster.sizeLimit.
  const log = new CommittedLog(10, 1000);
  fill(log, 1, 100, 20);
  assert.equal(log.zxidsKept().length, 50);
  fill(log, 101, 200, 400);
  assert.equal(
    log.zxidsKept(),
    Array.from({ length: 10 }, (_, i) => BigInt(191 + i)),
  );
});

test('returns them oldest first, from any of them on', () => {
  const log = new CommittedLog(1000);
  fill(log, 1, 3000, 100);
  const entries = log.entries();
  assert.equal(
    entries.map(({ zxid }) => zxid),
    log.zxidsKept(),
  );
  for (const { zxid, entry } of entries) {
    assert.equal(entry, Buffer.alloc(100, Number(zxid) & 0xff));
  }
  assert.equal(log.entries(2990), entries.slice(2990));
  assert.equal(log.entries(3000), []);
});

test('later txns do not change the bytes that it returned', () => {
  const log = new CommittedLog(2, 0);
  log.add(1n, entryOf(1, 300));
  const [given] = log.entries();
  fill(log, 2, 200, 90_000);
  assert.equal(given?.entry, Buffer.alloc(300, 1));
  assert.equal(log.zxidsKept(), [199n, 200n]);
});

test('keeps zxids with their upper bit set, and starts over after a clear', () => {
  const log = new CommittedLog();
  log.add(-1n, entryOf(1, 10));
  assert.equal(log.zxidsKept(), [-1n]);
  log.clear();
  assert.equal(log.entries(), []);
  log.add(5n, entryOf(5, 10));
  assert.equal(log.entries(), [{ zxid: 5n, entry: Buffer.alloc(10, 5) }]);
});

test.run();
