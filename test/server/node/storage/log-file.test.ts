import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileSystem, StoredFile } from '../../../../src/server/node/storage/file-system.js';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { LogFile } from '../../../../src/server/node/storage/log-disk.js';

const HEADER = 16;
const KB = 1024;
const PIECE = 256 * KB;
const PATH = '/logs/log.1';

/** A file in memory. Each call ends at once, except for zeros that a test holds back. */
class World {
  bytes = Buffer.alloc(0);
  readonly synced: string[] = [];
  /** Where zeros were written, and how many. */
  zeros: [from: number, size: number][] = [];
  zeroSyncs = 0;
  /** The writes after the header, in order. */
  order: ('zeros' | 'record')[] = [];
  /** Whether each record blocked the thread. */
  readonly inPlace: (boolean | undefined)[] = [];
  beforeZeros = async (): Promise<void> => undefined;

  create(preAllocSize: number, isSynced = false): Promise<LogFile> {
    const fs = {
      open: async (_path: string, mode: string) => this.file(mode === 'change'),
      syncFolder: async (path: string) => {
        this.synced.push(path);
      },
    };
    return LogFile.create(fs as Partial<FileSystem> as FileSystem, PATH, {
      isSynced,
      preAllocSize,
    });
  }

  private file(isFiller: boolean): StoredFile {
    const file: Partial<StoredFile> = {
      write: async (buffers, position, isInPlace) => {
        const bytes = Buffer.concat(buffers);
        if (position > 0) this.order.push(isFiller ? 'zeros' : 'record');
        if (!isFiller) this.inPlace.push(isInPlace);
        if (isFiller && position > 0) {
          this.zeros.push([position, bytes.length]);
          await this.beforeZeros();
        }
        this.put(bytes, position);
      },
      datasync: async () => {
        if (isFiller) this.zeroSyncs++;
      },
      truncate: async (size) => {
        this.bytes = this.bytes.subarray(0, size);
      },
      close: async () => undefined,
    };
    return file as StoredFile;
  }

  private put(bytes: Buffer, position: number): void {
    const size = Math.max(this.bytes.length, position + bytes.length);
    const whole = Buffer.alloc(size);
    this.bytes.copy(whole);
    bytes.copy(whole, position);
    this.bytes = whole;
  }

  /** Holds zeros back until the test calls the result. */
  holdZeros(): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.beforeZeros = () => released;
    return release;
  }
}

function bytesOf(size: number, byte = 1): Buffer {
  return Buffer.alloc(size, byte);
}

test('a new file has a header and zeros, and its name is durable if it must be', async () => {
  for (const isSynced of [true, false]) {
    const world = new World();
    const log = await world.create(64 * KB, isSynced);
    assert.equal(world.synced, isSynced ? ['/logs'] : []);
    assert.equal(world.zeros, [[HEADER, 64 * KB]]);
    assert.is(world.zeroSyncs, 1);
    assert.is(log.size, HEADER);
    assert.is(world.bytes.length, HEADER + 64 * KB);
    assert.is(world.bytes.subarray(0, 4).toString(), 'ZKLG');
    await log.close();
    assert.is(world.bytes.length, HEADER, 'no zeros in a closed file');
  }
});

test('zeros follow once less than half a block of them is left', async () => {
  const world = new World();
  const log = await world.create(64 * KB);
  world.zeros = [];
  await log.write([bytesOf(16 * KB), bytesOf(16 * KB)]);
  await NODE_FILES.nextTurn();
  assert.equal(world.zeros, [], 'just half of it is left');
  await log.write([bytesOf(1)]);
  await NODE_FILES.nextTurn();
  assert.equal(world.zeros, [[HEADER + 64 * KB, 64 * KB]]);
  assert.is(world.zeroSyncs, 2);
  assert.is(log.size, HEADER + 32 * KB + 1);
  await log.close();
  assert.is(world.bytes.length, log.size);
});

test('blocks of zeros double up to 2 MB, and are written in pieces', async () => {
  const world = new World();
  const log = await world.create(64 * 1024 * KB);
  const blocks = [world.zeros];
  for (let block = 0; block < 4; block++) {
    world.zeros = [];
    blocks.push(world.zeros);
    while (world.zeros.length === 0) {
      await log.write([bytesOf(128 * KB)]);
      await NODE_FILES.nextTurn();
    }
  }
  const pieces = (count: number) => new Array(count).fill(PIECE);
  assert.equal(
    blocks.map((block) => block.map(([, size]) => size)),
    [pieces(1), pieces(2), pieces(4), pieces(8), pieces(8)],
  );
  await log.close();
});

test('zeros end where the block ends, also within a piece', async () => {
  const world = new World();
  const log = await world.create(300 * KB);
  world.zeros = [];
  await log.write([bytesOf(200 * KB)]);
  await NODE_FILES.nextTurn();
  const from = HEADER + PIECE;
  assert.equal(world.zeros, [
    [from, PIECE],
    [from + PIECE, 44 * KB],
  ]);
  await log.close();
});

test('a write beyond the zeros waits for the current piece, ends the filling, and stays', async () => {
  const world = new World();
  const log = await world.create(1024 * KB);
  world.order = [];
  const release = world.holdZeros();
  const first = bytesOf(200 * KB, 1);
  await log.write([first]);
  const second = bytesOf(100 * KB, 2);
  let isDone = false;
  const done = log.write([second]).then(() => {
    isDone = true;
  });
  await NODE_FILES.nextTurn();
  assert.not(isDone);
  release();
  await done;
  // The first block has two pieces, and the second one begins beside the record.
  assert.equal(world.order.slice(0, 4), ['zeros', 'record', 'zeros', 'record']);
  await log.close();
  assert.ok(world.bytes.subarray(HEADER).equals(Buffer.concat([first, second])));
});

test('a write up to the end of the zeros does not wait for more', async () => {
  const world = new World();
  const log = await world.create(1024 * KB);
  const release = world.holdZeros();
  await log.write([bytesOf(200 * KB)]);
  await log.write([bytesOf(56 * KB)]);
  assert.is(log.size, HEADER + PIECE);
  release();
  await log.close();
  assert.is(world.bytes.length, HEADER + PIECE);
});

test('after a write ended the filling, a later write fills again', async () => {
  const world = new World();
  const log = await world.create(1024 * KB);
  const release = world.holdZeros();
  await log.write([bytesOf(200 * KB)]);
  const done = log.write([bytesOf(100 * KB)]);
  release();
  await done;
  await log.write([bytesOf(300 * KB)]);
  await NODE_FILES.nextTurn();
  assert.equal(world.zeros.at(-1)?.[1], PIECE);
  assert.ok(world.bytes.length > log.size, 'zeros ahead of the tail');
  await log.close();
});

test('after a record longer than all zeros, zeros begin behind it', async () => {
  const world = new World();
  const log = await world.create(64 * KB);
  world.zeros = [];
  await log.write([bytesOf(200 * KB)]);
  await NODE_FILES.nextTurn();
  assert.equal(world.zeros, [[HEADER + 200 * KB, 64 * KB]]);
  await log.close();
});

test('a record blocks the thread only if it is asked for', async () => {
  const world = new World();
  const log = await world.create(64 * KB);
  await log.write([bytesOf(1)]);
  await log.write([bytesOf(1)], true);
  await log.write([bytesOf(1)], false);
  assert.equal(world.inPlace, [false, true, false]);
  await log.close();
});

test('a close ends the filling after its current piece', async () => {
  const world = new World();
  const log = await world.create(1024 * KB);
  world.zeros = [];
  const release = world.holdZeros();
  await log.write([bytesOf(200 * KB)]);
  const closed = log.close();
  release();
  await closed;
  assert.is(world.zeros.length, 1, 'of two pieces');
  assert.is(world.bytes.length, HEADER + 200 * KB);
});

test('filling that fails is tried again at the next write', async () => {
  const world = new World();
  const log = await world.create(64 * KB);
  world.zeros = [];
  world.beforeZeros = () => Promise.reject(new Error('ENOSPC'));
  await log.write([bytesOf(40 * KB)]);
  await NODE_FILES.nextTurn();
  world.beforeZeros = async () => undefined;
  await log.write([bytesOf(1)]);
  await NODE_FILES.nextTurn();
  const block = [HEADER + 64 * KB, 64 * KB];
  assert.equal(world.zeros, [block, block]);
  await log.close();
});

test.run();
