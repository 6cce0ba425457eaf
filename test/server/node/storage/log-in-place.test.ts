import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogWriteError } from '../../../../src/server/node/storage/errors.js';
import {
  type FileSystem,
  NODE_FILES,
  type StoredFile,
} from '../../../../src/server/node/storage/file-system.js';
import { LogDisk } from '../../../../src/server/node/storage/log-disk.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

const LARGE = 8192;

/** Records which writes of a log block. A write takes `ms` on the clock, or fails. */
function watchWrites() {
  const watched = {
    blocks: [] as boolean[],
    ms: 0.1,
    nowMs: 0,
    error: undefined as Error | undefined,
    clock: () => watched.nowMs,
    fs: {
      ...NODE_FILES,
      open: async (path, mode, options) => {
        const file = await NODE_FILES.open(path, mode, options);
        if (options?.isSynced !== true) return file;
        const write: StoredFile['write'] = async (buffers, position, isInPlace = false) => {
          if (position > 0) watched.blocks.push(isInPlace);
          if (watched.error !== undefined) throw watched.error;
          watched.nowMs += watched.ms;
          await file.write(buffers, position, isInPlace);
        };
        return Object.assign(Object.create(file) as StoredFile, { write });
      },
    } satisfies FileSystem,
  };
  return watched;
}

test('an append that came alone blocks the thread while the disk is fast', async () => {
  const watched = watchWrites();
  const { path: folder, remove } = makeTempDir('in-place');
  const errors: LogWriteError[] = [];
  const durable: number[] = [];
  const disk = new LogDisk({
    folder,
    fs: watched.fs,
    clock: watched.clock,
    preAllocSize: 65_536,
    maxFileSize: 0,
    isSynced: true,
    slowSyncMs: Number.POSITIVE_INFINITY,
    onSlowSync: () => undefined,
    onError: (error) => errors.push(error),
  });
  const records: Buffer[] = [];
  const append = (dataLength: number, isAlone: boolean): number => {
    const zxid = records.length + 1;
    records.push(buildRecord(setDataEntry(BigInt(zxid), '/a', Buffer.alloc(dataLength, zxid))));
    disk.append(records.at(-1) as Buffer, BigInt(zxid), () => durable.push(zxid), isAlone);
    return zxid;
  };
  /** Whether its write blocked. */
  const one = async (dataLength: number, isAlone: boolean): Promise<boolean | undefined> => {
    const zxid = append(dataLength, isAlone);
    await waitFor('the record', () => durable.at(-1) === zxid);
    return watched.blocks.at(-1);
  };
  const many = async (count: number): Promise<boolean[]> => {
    watched.blocks.length = 0;
    for (let left = count; left > 0; left--) await one(100, true);
    return [...new Set(watched.blocks)];
  };
  try {
    assert.equal(await many(12), [false], 'the first ones measure the disk');
    await many(2);
    assert.is(await one(100, true), true);
    assert.is(await one(100, false), false, 'other work in the turn');
    assert.is(await one(LARGE, true), false, 'large');
    append(100, true);
    assert.is(await one(100, true), false, 'two appends in one turn');
    watched.ms = 8;
    assert.is(await one(100, true), true);
    watched.ms = 0.1;
    assert.equal(await many(7), [false], 'after a slow write');
    await many(3);
    assert.is(await one(100, true), true);
    const written = Buffer.concat(records);
    const stored = readFileSync(join(folder, 'log.1')).subarray(16, 16 + written.length);
    assert.ok(stored.equals(written));

    const last = records.length;
    watched.error = new Error('EIO: a blocking write');
    append(100, true);
    await waitFor('the error', () => errors.length > 0);
    assert.is(watched.blocks.at(-1), true);
    watched.error = undefined;
    append(100, true);
    assert.is(await disk.settle(), false);
    assert.is(errors.length, 1);
    assert.is(durable.at(-1), last, 'nothing after a failed write is durable');
    assert.is(durable.length, last);
  } finally {
    await disk.close();
    remove();
  }
});

test.run();
