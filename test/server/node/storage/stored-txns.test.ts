import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DataDir } from '../../../../src/server/node/storage/data-dir.js';
import { Disk } from '../../../../src/server/node/storage/disk.js';
import { LogDisk } from '../../../../src/server/node/storage/log-disk.js';
import { LogReads } from '../../../../src/server/node/storage/log-reads.js';
import { readTxns, searchLogs } from '../../../../src/server/node/storage/stored-txns.js';
import { PacketReader, PacketType } from '../../../../src/server/quorum/wire/quorum-packet.js';
import { makeSnapshot } from '../../../commands/zkops/files/make-snapshot.js';
import { buildLog, buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';
import { makeDir } from './make-dir.js';

// Ranges of txns for a learner in the log on the disk: how they are found and read.

interface World {
  readonly dir: DataDir;
  file(name: string): string;
  /** A log file of these zxids. */
  log(...zxids: number[]): string;
  snapshot(zxid: number, size: number): void;
}

const DATA = 100_000;

async function within(body: (world: World) => Promise<void>): Promise<void> {
  const home = makeTempDir('stored-txns');
  const dir = makeDir(home.path, { isTTLEnabled: false, isDigestEnabled: false });
  await dir.prepare();
  const file = (name: string) => join(dir.logFolder, name);
  try {
    await body({
      dir,
      file,
      log: (...zxids) => {
        const name = `log.${(zxids[0] ?? 0).toString(16)}`;
        writeFileSync(file(name), buildLog(zxids.map(entryOf)));
        return name;
      },
      snapshot: (zxid, size) =>
        writeFileSync(file(`snapshot.${zxid.toString(16)}`), Buffer.alloc(size)),
    });
  } finally {
    home.remove();
  }
}

function entryOf(zxid: number): Buffer {
  return setDataEntry(BigInt(zxid), '/', Buffer.alloc(DATA, `${zxid} `));
}

/** "PROPOSAL 3, COMMIT 3, …" and whether each piece was small. */
async function packetsOf(dir: DataDir, after: bigint, until: bigint): Promise<string[]> {
  const reader = new PacketReader(1 << 20);
  const packets: string[] = [];
  for await (const piece of readTxns(dir, { after, until: () => until })) {
    assert.ok(piece.length < 4 * DATA, 'it buffers no more than it read');
    reader.push(piece);
    for (let packet = reader.next(); packet !== null; packet = reader.next()) {
      if (packet.type === PacketType.COMMIT) packets.push(`COMMIT ${packet.zxid}`);
      else {
        assert.is(packet.type, PacketType.PROPOSAL);
        assert.equal(packet.data, entryOf(Number(packet.zxid)));
        packets.push(`PROPOSAL ${packet.zxid}`);
      }
    }
  }
  return packets;
}

const ANY = 0;

test('a range is found in several files, and read from them', () =>
  within(async ({ dir, log }) => {
    log(1, 2, 3, 4);
    log(5, 6);
    log(7, 8, 9);
    const range = { after: 3n, until: 8n };
    assert.equal(await searchLogs(dir, range, ANY), { at: 3n, next: 4n });
    const pairs = [4, 5, 6, 7, 8].flatMap((zxid) => [`PROPOSAL ${zxid}`, `COMMIT ${zxid}`]);
    assert.equal(await packetsOf(dir, 3n, 8n), pairs);
  }));

test('a range is sent only if it is small compared to the newest snapshot', () =>
  within(async ({ dir, log, snapshot }) => {
    log(1, 2, 3, 4);
    log(5, 6);
    log(7, 8, 9);
    snapshot(1, 100 * DATA);
    snapshot(4, 6 * DATA);
    const found = (until: bigint, factor: number) =>
      searchLogs(dir, { after: 3n, until }, factor).then((place) => place !== null);
    assert.is(await found(4n, 0.33), true);
    assert.is(await found(5n, 0.33), false);
    assert.is(await found(5n, 0.5), true);
    assert.is(await found(9n, 0.5), false);
    assert.is(await found(9n, ANY), true);
    assert.is(await found(4n, -1), false);
  }));

test('a missing or damaged file gives no range', () =>
  within(async ({ dir, log, file }) => {
    log(1, 2, 3, 4);
    const middle = log(5, 6);
    log(7, 8, 9);
    unlinkSync(file(middle));
    assert.is(await searchLogs(dir, { after: 3n, until: 8n }, ANY), null);
    const damaged = buildLog([5, 6].map(entryOf));
    damaged.fill(1, 2000, 2100);
    writeFileSync(file(middle), damaged);
    assert.is(await searchLogs(dir, { after: 3n, until: 8n }, ANY), null);
    assert.equal(await searchLogs(dir, { after: 7n, until: 8n }, ANY), { at: 7n, next: 8n });
  }));

test('a range that disappears after it was found is an error', () =>
  within(async ({ dir, log, file }) => {
    log(1, 2, 3, 4);
    const middle = log(5, 6);
    log(7, 8);
    assert.ok((await searchLogs(dir, { after: 3n, until: 6n }, ANY)) !== null);
    unlinkSync(file(middle));
    const error = await packetsOf(dir, 3n, 8n).catch((caught: Error) => caught);
    assert.instance(error, Error);
    assert.match((error as Error).message, /no longer has the txns after 0x4/);
  }));

test('a search beside a purge finds no txns that the purge removes', () =>
  within(async ({ dir, log, file }) => {
    const epoch = 2 ** 32;
    log(4 * epoch + 1, 4 * epoch + 2);
    log(5 * epoch + 1);
    log(8 * epoch + 1, 8 * epoch + 2);
    const snapshot = 'snapshot.800000001';
    const nodes = ['', '/zookeeper', '/zookeeper/quota'].map((path) => ({ path }));
    const digestZxid = BigInt(8 * epoch + 1);
    writeFileSync(file(snapshot), makeSnapshot({ nodes, digestZxid }));
    const after = BigInt(4 * epoch + 2);
    const until = BigInt(8 * epoch + 2);
    let found: Promise<unknown> = Promise.resolve();
    const { unlink } = dir.fs;
    dir.fs.unlink = async (path) => {
      dir.fs.unlink = unlink;
      let isDone = false;
      found = searchLogs(dir, { after, until }, ANY).finally(() => {
        isDone = true;
      });
      for (let turn = 0; turn < 1000 && !isDone; turn++) await new Promise(setImmediate);
      await unlink.call(dir.fs, path);
    };
    await dir.purge(1);
    assert.is(await found, null);
    assert.equal(readdirSync(dir.logFolder).sort(), ['log.800000001', snapshot]);
  }));

for (const [needed, kept] of [
  [null, ['log.5']],
  [1n, ['log.1', 'log.3', 'log.5']],
] as const) {
  test(`a purge keeps the logs that a learner needs: after ${needed}`, () =>
    within(async ({ dir, file, log }) => {
      for (const zxid of [1, 3, 5]) log(zxid, zxid + 1);
      const nodes = ['', '/zookeeper', '/zookeeper/quota'].map((path) => ({ path }));
      for (const at of [0, 4]) {
        writeFileSync(file(`snapshot.${at}`), makeSnapshot({ nodes, digestZxid: BigInt(at) }));
      }
      const { signal } = new AbortController();
      await dir.purge(1, signal, () => needed);
      const names = readdirSync(dir.logFolder).sort();
      assert.equal(names, [...kept, 'snapshot.4']);
    }));
}

test('a learner gets pings until the first txn is found', () =>
  within(async ({ dir, log }) => {
    log(1, 2);
    let settle: (isWritten: boolean) => void = () => undefined;
    const settled = new Promise<boolean>((resolve) => {
      settle = resolve;
    });
    const reads = new LogReads({
      dir,
      untilSettled: () => settled,
      onWarning: () => undefined,
    });
    const reader = new PacketReader(1 << 20);
    const types: number[] = [];
    let last = 0n;
    const tail = { after: 1n, until: () => 2n };
    const take = (zxid: bigint): void => {
      last = zxid;
    };
    for await (const piece of reads.txns(tail, take)) {
      reader.push(piece);
      for (let packet = reader.next(); packet !== null; packet = reader.next()) {
        types.push(packet.type);
      }
      if (types.length === 3) settle(true);
    }
    const { COMMIT, PING, PROPOSAL } = PacketType;
    assert.equal(types.slice(0, 3), [PING, PING, PING]);
    assert.equal(types.slice(-2), [PROPOSAL, COMMIT]);
    assert.is(last, 2n);
  }));

test('txns are read as far as they are committed, also those of files added meanwhile', () =>
  within(async ({ dir, log }) => {
    log(1, 2, 3, 4);
    log(5, 6);
    let committed: bigint | null = 3n;
    const zxids: bigint[] = [];
    const read = async (after: bigint) => {
      const packets = readTxns(dir, { after, until: () => committed });
      for (let next = await packets.next(); ; next = await packets.next()) {
        if (next.done === true) return next.value.zxid;
        if (committed === 4n) {
          log(7, 8, 9);
          committed = 8n;
        }
        zxids.push(BigInt(next.value.length));
      }
    };
    assert.is(await read(1n), 3n, 'not 4, which is not committed');
    committed = 4n;
    assert.is(await read(1n), 4n, 'as far as they were committed before they were read');
    assert.is(await read(4n), 8n, 'also from the file that was added');
    assert.is(await read(3n), 8n);
    committed = null;
    const error = await read(3n).catch((caught: Error) => caught);
    assert.match((error as Error).message, /the link was closed/);
  }));

test('a reader continues where the last one ended, and reads nothing before it again', () =>
  within(async ({ dir, file, log }) => {
    const name = log(1, 2, 3, 4);
    let committed = 2n;
    const reads = new LogReads({
      dir,
      untilSettled: async () => true,
      onWarning: () => undefined,
    });
    const read = async (after: bigint) => {
      const sent: string[] = [];
      const reader = new PacketReader(1 << 20);
      const tail = { after, until: () => committed };
      for await (const piece of reads.txns(tail, (zxid) => sent.push(`end ${zxid}`))) {
        reader.push(piece);
        for (let packet = reader.next(); packet !== null; packet = reader.next()) {
          if (packet.type === PacketType.COMMIT) sent.push(`${packet.zxid}`);
        }
      }
      return sent.join(', ');
    };
    assert.is(await read(0n), '1, 2, end 2');
    const bytes = readFileSync(file(name));
    const damaged = Buffer.from(bytes);
    damaged.fill(0x55, 16, 16 + DATA);
    writeFileSync(file(name), damaged);
    committed = 4n;
    assert.is(await read(2n), '3, 4, end 4');
    log(5, 6);
    committed = 6n;
    assert.is(await read(4n), '5, 6, end 6');
    writeFileSync(file(name), bytes);
    assert.is(await read(2n), '3, 4, 5, 6, end 6', 'once more, from the beginning');
    log(7);
    committed = 7n;
    writeFileSync(file('log.5'), Buffer.alloc(100));
    unlinkSync(file('log.7'));
    assert.is(await read(6n), 'end 6', 'the place is gone');
    log(7);
    assert.is(await read(6n), '7, end 7', 'and is not tried again');
    reads.forgetEnds();
    assert.is(await read(7n), 'end 7');
  }));

test('the disk searches after pending appends are in the log', () =>
  within(async ({ dir }) => {
    const log = new LogDisk({
      folder: dir.logFolder,
      preAllocSize: 1 << 20,
      maxFileSize: 0,
      isSynced: true,
      slowSyncMs: Number.POSITIVE_INFINITY,
      onSlowSync: () => undefined,
      onError: () => undefined,
    });
    const warnings: string[] = [];
    const disk = new Disk({
      storage: { log, dir },
      purge: { everyMs: 0, retain: 3 },
      onPurged: () => undefined,
      onSnapshot: () => undefined,
      onWarning: (message) => warnings.push(message),
      onFatal: () => undefined,
    });
    const done: string[] = [];
    const append = (zxid: number) =>
      disk.append(buildRecord(entryOf(zxid)), BigInt(zxid), () => done.push(`${zxid}`));
    const search = (after: bigint, until: bigint) =>
      disk.reads.search({ after, until }, ANY, (place) => done.push(`${place?.at} ${place?.next}`));
    append(1);
    disk.writeEpoch('currentEpoch', 1, () => undefined);
    append(2);
    search(1n, 2n);
    append(3);
    await waitFor('the search', () => done.includes('1 2'));
    assert.ok(done.indexOf('2') < done.indexOf('1 2'));
    await disk.close();
    writeFileSync(join(dir.logFolder, 'log.9'), '');
    unlinkSync(join(dir.logFolder, 'log.1'));
    search(1n, 3n);
    await waitFor('the second search', () => done.includes('undefined undefined'));
    assert.equal(warnings, []);
  }));

test.run();
