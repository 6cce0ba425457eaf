import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  beginEntry,
  encodeLogHeader,
  endEntry,
  LOG_HEADER_SIZE,
  type LogItem,
  TxnLogReader,
} from '../../src/files/txn-log.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { buildLog, buildLogHeader, buildRecord, setDataEntry } from '../support/bytes/zk-files.js';

const MAX_ENTRY = 4096;

interface Outcome {
  readonly zxids: readonly bigint[];
  readonly entries: readonly Buffer[];
  readonly last: Exclude<LogItem, { kind: 'entry' | 'need-more' }>;
}

/** Reads a log in chunks of `chunkSize`, all from one buffer that is reused. */
function readLog(log: Buffer, chunkSize = log.length + 1, unsyncedLimit?: number): Outcome {
  const reader = new TxnLogReader(MAX_ENTRY, unsyncedLimit);
  const zxids: bigint[] = [];
  const entries: Buffer[] = [];
  const memory = Buffer.alloc(chunkSize);
  for (let at = 0; ; ) {
    const item = reader.next();
    if (item.kind === 'entry') {
      zxids.push(item.zxid);
      entries.push(Buffer.from(item.entry));
    } else if (item.kind !== 'need-more') {
      assert.equal(reader.next(), item, 'the verdict is final');
      return { zxids, entries, last: item };
    } else if (at < log.length) {
      const taken = log.copy(memory, 0, at, at + chunkSize);
      reader.push(memory.subarray(0, taken));
      at += taken;
    } else {
      reader.end();
    }
  }
}

function entriesOf(count: number, dataSize = 60): Buffer[] {
  return Array.from({ length: count }, (_, i) =>
    setDataEntry(BigInt(i + 1), `/node-${i}`, Buffer.alloc(dataSize, 0x61 + (i % 26))),
  );
}

/** The offsets of the records and of the end. */
function boundaries(entries: readonly Buffer[]): number[] {
  const places = [LOG_HEADER_SIZE];
  for (const entry of entries) places.push((places.at(-1) as number) + entry.length + 13);
  return places;
}

test('the header is "ZKLG", 2 and 0', () => {
  assert.equal(encodeLogHeader(), buildLogHeader());
});

test('beginEntry and endEntry put checksum, length and B around an entry', () => {
  const out = new OutputArchive(8);
  out.writeInt(7);
  for (const entry of entriesOf(3)) {
    const start = beginEntry(out);
    out.writeBytes(entry);
    endEntry(out, start);
  }
  const expected = Buffer.concat([Buffer.from([0, 0, 0, 7]), ...entriesOf(3).map(buildRecord)]);
  assert.equal(out.take(), expected);
});

for (const chunkSize of [1, 7, 100, 512, 100_000]) {
  test(`a padded log is read in chunks of ${chunkSize}`, () => {
    const entries = entriesOf(9);
    const log = buildLog(entries, 5000);
    const outcome = readLog(log, chunkSize);
    assert.equal(outcome.entries, entries);
    assert.equal(outcome.zxids, [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n]);
    assert.equal(outcome.last, { kind: 'end', offset: boundaries(entries).at(-1) as number });
  });
}

test('a log without padding and one without entries end properly', () => {
  const entries = entriesOf(2);
  const end = boundaries(entries).at(-1) as number;
  assert.equal(readLog(buildLog(entries)).last, { kind: 'end', offset: end });
  assert.equal(readLog(buildLog([])).last, { kind: 'end', offset: LOG_HEADER_SIZE });
  assert.equal(readLog(buildLog([], 70_000), 4096).last, { kind: 'end', offset: LOG_HEADER_SIZE });
});

for (const padding of [0, 2000]) {
  test(`cut at any byte${padding > 0 ? ', with zeros after it' : ''}, the rest of it reads`, () => {
    const entries = entriesOf(8);
    const places = boundaries(entries);
    const log = buildLog(entries);
    for (let cut = 0; cut <= log.length; cut++) {
      const { zxids, last } = readLog(Buffer.concat([log.subarray(0, cut), Buffer.alloc(padding)]));
      const whole = Math.max(0, places.filter((place) => place <= cut).length - 1);
      assert.is(zxids.length, whole, `cut at ${cut}`);
      if (cut < LOG_HEADER_SIZE) {
        // The zeros of version and database id look like padding.
        assert.is(last.kind, padding > 0 && cut >= 8 ? 'end' : 'torn', `cut at ${cut}`);
        continue;
      }
      const place = places[whole] as number;
      assert.is(last.offset, place, `cut at ${cut}`);
      // The upper half of a checksum is always zero and looks like padding.
      const isInvisible = cut <= place + 4;
      assert.is(last.kind, isInvisible ? 'end' : 'torn', `cut at ${cut}`);
    }
  });
}

for (const mask of [0xff, 0x01, 0x80, 0x42]) {
  test(`a byte changed by 0x${mask.toString(16)} anywhere is found and never skipped`, () => {
    const entries = entriesOf(8);
    const places = boundaries(entries);
    for (const padding of [0, 3000]) {
      const log = buildLog(entries, padding);
      for (let at = 0; at < (places.at(-1) as number); at++) {
        const damaged = Buffer.from(log);
        damaged[at] = (damaged[at] as number) ^ mask;
        const { zxids, last } = readLog(damaged);
        const label = `byte ${at}, padding ${padding}`;
        if (at >= 8 && at < LOG_HEADER_SIZE) {
          assert.is(zxids.length, 8, label);
          continue;
        }
        const record = places.filter((place) => place <= at).length - 1;
        assert.is(zxids.length, Math.max(0, record), label);
        assert.is(last.offset, at < LOG_HEADER_SIZE ? 0 : places[record], label);
        // A zero in place of the last B is a write that was cut short by one byte.
        const isLastEnd = at === (places.at(-1) as number) - 1;
        assert.is(last.kind, isLastEnd && mask === 0x42 ? 'torn' : 'corrupt', label);
      }
    }
  });
}

test('a damaged record before the end is refused', () => {
  const entries = entriesOf(200, 300);
  const log = buildLog(entries, 4096);
  const place = boundaries(entries)[50] as number;
  log[place + 100] = 0;
  for (const chunkSize of [64, 1000, 100_000]) {
    const { zxids, last } = readLog(log, chunkSize);
    assert.is(zxids.length, 50);
    assert.equal(last, {
      kind: 'corrupt',
      offset: place,
      reason: 'the checksum of the record is wrong',
    });
  }
});

/** A log whose sectors `missing` were never written. */
function withoutSectors(log: Buffer, missing: readonly number[], from: number): Buffer {
  const torn = Buffer.from(log);
  for (const sector of missing) {
    torn.fill(0, Math.max(from, sector * 512), (sector + 1) * 512);
  }
  return torn;
}

test('a batch whose sectors reached the disk out of order is torn, not corrupt', () => {
  const entries = entriesOf(20, 300);
  const places = boundaries(entries);
  const batchStart = places[10] as number;
  const log = buildLog(entries, 8192);
  const firstSector = Math.floor(batchStart / 512);
  const lastSector = Math.floor(((places.at(-1) as number) - 1) / 512);
  for (let sector = firstSector; sector <= lastSector; sector++) {
    for (const missing of [[sector], [sector, sector + 1], [firstSector, sector]]) {
      const { zxids, last } = readLog(withoutSectors(log, missing, batchStart), 777);
      assert.is(last.kind, 'torn', `sectors ${missing}`);
      assert.ok(zxids.length >= 10 && zxids.length < 20);
      assert.is(last.offset, places[zxids.length]);
    }
  }
});

test('a missing sector further back than one batch can reach is corrupt', () => {
  const entries = entriesOf(100, 300);
  const places = boundaries(entries);
  const log = withoutSectors(buildLog(entries, 4096), [10], 0);
  const kindWith = (limit: number) => readLog(log, 4096, limit).last.kind;
  const distance =
    (places.at(-1) as number) - (places.findLast((place) => place <= 5120) as number);
  assert.is(kindWith(distance), 'torn');
  assert.is(kindWith(distance - 1), 'corrupt');
  assert.is(kindWith(0), 'corrupt');
});

test('zeros smaller than a sector, before other records, are corrupt', () => {
  const entries = entriesOf(10);
  const places = boundaries(entries);
  const log = buildLog(entries, 1000);
  log.fill(0, places[1], places[2]);
  const { zxids, last } = readLog(log);
  assert.is(zxids.length, 1);
  assert.is(last.kind, 'corrupt');
  assert.is(last.offset, places[1]);
});

test('after any damage, the entries read are a prefix of those written', () => {
  const entries = entriesOf(30, 200);
  const log = buildLog(entries, 2000);
  let state = 7;
  const random = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 2000; round++) {
    const damaged = Buffer.from(log);
    for (let hits = random(4) + 1; hits > 0; hits--) {
      const at = LOG_HEADER_SIZE + random(log.length - LOG_HEADER_SIZE);
      damaged.subarray(at, at + random(2) * random(600) + 1).fill(random(256));
    }
    const { entries: read } = readLog(damaged.subarray(0, log.length - random(500)), 4096);
    assert.equal(read, entries.slice(0, read.length), `round ${round}`);
  }
});

test('a length above the limit is refused and names the limits', () => {
  const entries = [...entriesOf(1), setDataEntry(2n, '/big', Buffer.alloc(MAX_ENTRY))];
  const { last } = readLog(buildLog(entries, 100));
  assert.is(last.kind, 'corrupt');
  assert.match(
    last.kind === 'corrupt' ? last.reason : '',
    /^invalid length: .* \(expected 32 to 4096\)/,
  );
});

test('a file of another type is refused, and an empty one is torn', () => {
  for (const [bytes, kind, reason] of [
    [Buffer.alloc(0), 'torn', /ends inside its header/],
    [Buffer.from('ZK'), 'torn', /ends inside its header/],
    [Buffer.alloc(4096), 'torn', /ends inside its header/],
    [
      Buffer.from('ZKSN\0\0\0\x02\0\0\0\0\0\0\0\0'),
      'corrupt',
      /wrong magic: 5a4b534e \(expected "ZKLG"\)/,
    ],
    [
      Buffer.from('ZKLG\0\0\0\x03\0\0\0\0\0\0\0\0'),
      'corrupt',
      /wrong version: 00000003 \(expected 2\)/,
    ],
  ] as const) {
    const { last } = readLog(bytes);
    assert.is(last.kind, kind);
    assert.is(last.offset, 0);
    assert.match(last.kind === 'end' ? '' : last.reason, reason);
  }
});

test.run();
