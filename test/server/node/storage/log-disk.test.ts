import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TxnLogReader } from '../../../../src/files/txn-log.js';
import type { LogWriteError } from '../../../../src/server/node/storage/errors.js';
import { type FileSystem, NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { LogDisk, type LogDiskOptions } from '../../../../src/server/node/storage/log-disk.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { Random } from '../../../support/random.js';
import { waitFor } from '../../../support/wait-for.js';

const KIB = 1024;
const MAX_ENTRY = 8 * KIB * KIB;

interface World {
  readonly folder: string;
  readonly disk: LogDisk;
  readonly errors: LogWriteError[];
  /** Zxids in the order in which they were reported as durable. */
  readonly durable: bigint[];
  readonly remove: () => void;
  append(zxid: bigint, dataLength?: number): void;
}

function makeWorld(options: Partial<LogDiskOptions> = {}): World {
  const { path: folder, remove } = makeTempDir('log-disk');
  const errors: LogWriteError[] = [];
  const durable: bigint[] = [];
  const whole = {
    folder,
    preAllocSize: 64 * KIB * KIB,
    maxFileSize: 0,
    isSynced: true,
    slowSyncMs: Number.POSITIVE_INFINITY,
    onSlowSync: () => undefined,
    onError: (error: LogWriteError) => errors.push(error),
    ...options,
  };
  const disk = new LogDisk(whole);
  return {
    folder,
    disk,
    errors,
    durable,
    remove,
    append: (zxid, dataLength = 100) => {
      const data = Buffer.alloc(dataLength, Number(zxid % 255n) + 1);
      const record = buildRecord(setDataEntry(zxid, '/a', data));
      disk.append(record, zxid, () => durable.push(zxid));
    },
  };
}

function logsIn(folder: string): string[] {
  const zxidOf = (name: string) => Number.parseInt(name.slice(4), 16);
  return readdirSync(folder).sort((a, b) => zxidOf(a) - zxidOf(b));
}

/** The zxids of a log, read in pieces, and the bytes after the last record. */
function readLog(path: string): { zxids: bigint[]; end: string } {
  const reader = new TxnLogReader(MAX_ENTRY);
  const bytes = readFileSync(path);
  const zxids: bigint[] = [];
  for (let at = 0; ; ) {
    const item = reader.next();
    if (item.kind === 'entry') {
      zxids.push(item.zxid);
    } else if (item.kind !== 'need-more') {
      return { zxids, end: item.kind };
    } else if (at >= bytes.length) {
      reader.end();
    } else {
      reader.push(bytes.subarray(at, at + 64 * KIB));
      at += 64 * KIB;
    }
  }
}

function upTo(count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt(i + 1));
}

for (const [what, preAllocSize] of [
  ['the usual preallocation', 64 * KIB * KIB],
  ['hardly any preallocation', 4 * KIB],
  ['none at all', 0],
] as const) {
  test(`records of any size are all there, in order, while zeros are preallocated: ${what}`, async () => {
    const world = makeWorld({ preAllocSize });
    const random = new Random(preAllocSize + 1);
    const count = 400;
    try {
      for (let zxid = 1n; zxid <= count; zxid++) {
        const size = random.oneIn(20) ? random.below(900 * KIB) : random.below(20 * KIB);
        world.append(zxid, size);
        if (random.oneIn(60)) world.disk.roll();
        // Lets the disk catch up sometimes, so that writes meet every state of the preallocation.
        if (random.oneIn(8)) await waitFor('the batch', () => world.durable.at(-1) === zxid);
      }
      await waitFor('the last record', () => world.durable.length === count);
      assert.equal(world.durable, upTo(count));
      // A crash now must leave everything acknowledged, then zeros or the end.
      const beforeClose = logsIn(world.folder).map((name) => readLog(join(world.folder, name)));
      assert.equal(
        beforeClose.flatMap(({ zxids }) => zxids),
        upTo(count),
      );
      assert.ok(beforeClose.every(({ end }) => end === 'end'));
      await world.disk.close();
      const afterClose = logsIn(world.folder).map((name) => readLog(join(world.folder, name)));
      assert.equal(
        afterClose.flatMap(({ zxids }) => zxids),
        upTo(count),
      );
      assert.equal(world.errors, []);
    } finally {
      world.remove();
    }
  });
}

test('close removes the zeros after the last record', async () => {
  const world = makeWorld();
  try {
    world.append(1n);
    await waitFor('the record', () => world.durable.length === 1);
    const path = join(world.folder, 'log.1');
    assert.ok(statSync(path).size >= 256 * KIB);
    await world.disk.close();
    assert.is(
      statSync(path).size,
      16 + buildRecord(setDataEntry(1n, '/a', Buffer.alloc(100))).length,
    );
  } finally {
    world.remove();
  }
});

test('close waits for writes in flight', async () => {
  const world = makeWorld();
  try {
    for (const zxid of upTo(50)) world.append(zxid, 10 * KIB);
    assert.equal(world.durable, []);
    await world.disk.close();
    assert.equal(world.durable, upTo(50));
  } finally {
    world.remove();
  }
});

test('appends during a write share the next one', async () => {
  let syncs = 0;
  const world = makeWorld({
    onSync: () => {
      syncs++;
    },
  });
  try {
    for (const zxid of upTo(300)) world.append(zxid);
    await world.disk.close();
    assert.is(world.durable.length, 300);
    assert.ok(syncs <= 3, `${syncs} syncs`);
  } finally {
    world.remove();
  }
});

test('a roll begins a file named by its first txn, and only with that txn', async () => {
  const world = makeWorld();
  try {
    world.append(0x1_0000_0001n);
    world.append(0x1_0000_0002n);
    world.disk.roll();
    world.disk.roll();
    world.append(0x1_0000_0003n);
    await waitFor('the records', () => world.durable.length === 3);
    world.disk.roll();
    await world.disk.close();
    assert.equal(logsIn(world.folder), ['log.100000001', 'log.100000003']);
    assert.equal(readLog(join(world.folder, 'log.100000001')).zxids, [
      0x1_0000_0001n,
      0x1_0000_0002n,
    ]);
    assert.equal(readLog(join(world.folder, 'log.100000003')).zxids, [0x1_0000_0003n]);
  } finally {
    world.remove();
  }
});

test('a failed write is reported once, and no later txn is acknowledged', async () => {
  const world = makeWorld();
  try {
    world.append(1n);
    await waitFor('the first record', () => world.durable.length === 1);
    world.disk.roll();
    const moved = `${world.folder}-moved`;
    await rename(world.folder, moved);
    world.append(2n);
    world.append(3n);
    await waitFor('the error', () => world.errors.length > 0);
    // The disk works again, but the state of 2 is unknown, so the failure is final.
    await rename(moved, world.folder);
    world.append(4n);
    await world.disk.close();
    assert.is(world.errors.length, 1);
    assert.is(world.errors[0]?.code, 'ELOGWRITE');
    assert.match(world.errors[0]?.message ?? '', world.folder);
    assert.equal(world.durable, [1n]);
  } finally {
    world.remove();
  }
});

test('an existing file is never overwritten', async () => {
  const first = makeWorld();
  const errors: LogWriteError[] = [];
  try {
    first.append(1n);
    await first.disk.close();
    const before = readFileSync(join(first.folder, 'log.1'));
    const second = makeWorld({ folder: first.folder, onError: (error) => errors.push(error) });
    second.append(1n);
    await waitFor('the error', () => errors.length > 0);
    await second.disk.close();
    second.remove();
    assert.equal(second.durable, []);
    assert.ok(readFileSync(join(first.folder, 'log.1')).equals(before));
  } finally {
    first.remove();
  }
});

test('appends after a roll do not wait for the end of the old file, but close does', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fs: FileSystem = {
    ...NODE_FILES,
    open: async (...args) => {
      const file = await NODE_FILES.open(...args);
      const truncate = (size: number) => gate.then(() => file.truncate(size));
      return Object.assign(Object.create(file), { truncate });
    },
  };
  const { disk, durable, folder, append, errors, remove } = makeWorld({ fs });
  try {
    append(1n);
    await disk.untilDurable();
    disk.roll();
    append(2n);
    await disk.untilDurable();
    assert.equal(durable, [1n, 2n]);
    const [first = ''] = logsIn(folder);
    assert.equal(readLog(join(folder, first)), { zxids: [1n], end: 'end' }, 'before its cut');
    let isClosed = false;
    const closing = disk.close().then(() => {
      isClosed = true;
    });
    await new Promise(setImmediate);
    assert.is(isClosed, false);
    release();
    await closing;
    assert.ok(statSync(join(folder, first)).size < KIB, 'its zeros are cut');
    assert.equal(errors, []);
  } finally {
    release();
    remove();
  }
});

test('a file that is larger than the limit gets no more records', async () => {
  const { length } = buildRecord(setDataEntry(1n, '/a', Buffer.alloc(100)));
  const header = 16;
  for (const [maxFileSize, names] of [
    [header + 2 * length, ['log.1', 'log.4']],
    [header + 2 * length - 1, ['log.1', 'log.3', 'log.5']],
    [1, ['log.1', 'log.2', 'log.3', 'log.4', 'log.5']],
    [0, ['log.1']],
    [-1, ['log.1']],
  ] as const) {
    const world = makeWorld({ maxFileSize });
    try {
      for (const zxid of upTo(5)) {
        world.append(zxid);
        await world.disk.untilDurable();
      }
      await world.disk.close();
      assert.equal(logsIn(world.folder), names, `at most ${maxFileSize} bytes`);
    } finally {
      world.remove();
    }
  }
});

/** Files whose end fails, and whose writes fail while `isBroken`. */
function brokenFiles(): { isBroken: boolean; fs: FileSystem } {
  const broken = {
    isBroken: false,
    fs: {
      ...NODE_FILES,
      open: async (...args: Parameters<FileSystem['open']>) => {
        const file = await NODE_FILES.open(...args);
        const write: typeof file.write = async (...written) => {
          if (broken.isBroken) throw new Error('EIO');
          await file.write(...written);
        };
        const truncate = async (): Promise<void> => {
          await file.close();
          throw new Error('EIO at the end');
        };
        return Object.assign(Object.create(file) as typeof file, { write, truncate });
      },
    },
  };
  return broken;
}

test('a file that cannot be closed is an error, but not after a failed write', async () => {
  for (const isBroken of [false, true]) {
    const broken = brokenFiles();
    const { disk, append, errors, remove } = makeWorld({ fs: broken.fs });
    try {
      append(1n);
      await disk.untilDurable();
      broken.isBroken = isBroken;
      append(2n);
      assert.is(await disk.settle(), !isBroken);
      const closed = await disk.close().then(
        () => 'closed',
        ({ message }: Error) => message,
      );
      assert.is(closed, isBroken ? 'closed' : 'EIO at the end');
      assert.is(errors.length, isBroken ? 1 : 0);
    } finally {
      remove();
    }
  }
});

test.run();
