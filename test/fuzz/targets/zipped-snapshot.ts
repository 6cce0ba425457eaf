import { gzipSync } from 'node:zlib';
import { NODE_FILES } from '../../../src/server/node/storage/file-system.js';
import { loadSnapshot } from '../../../src/server/node/storage/load-snapshot.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { Finding, type Target } from '../target.js';
import { snapshotOf } from './files.js';

/** Bits of the first byte of an input. */
const IS_TO_BE_ZIPPED = 1;
const FAILS_AT_END = 2;
const MAX_ENTRY = 1 << 20;

function seedOf(flags: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([flags]), bytes]);
}

/** A folder with one file, whose disk may fail at the end of the file. */
class OneFile {
  opened = 0;
  readonly snapFolder = '/';
  readonly options = { maxEntryLength: MAX_ENTRY };
  readonly fs = { ...NODE_FILES, open: async () => this.open() };
  private readonly bytes: Buffer;
  private readonly isFailing: boolean;

  constructor(bytes: Buffer, isFailing: boolean) {
    this.bytes = bytes;
    this.isFailing = isFailing;
  }

  private open(): never {
    this.opened++;
    return {
      read: async (buffer: Buffer, position: number) => {
        if (this.isFailing && position >= this.bytes.length) throw new Error('EIO');
        return this.bytes.copy(buffer, 0, position);
      },
      close: async () => {
        this.opened--;
      },
    } as never;
  }
}

/** An error without a listener ends a server. Here it is the result. */
async function orUncaught<T>(work: Promise<T>): Promise<T> {
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  process.once('uncaughtException', fail);
  try {
    return await Promise.race([work, failed]);
  } finally {
    process.off('uncaughtException', fail);
  }
}

export const zippedSnapshot: Target = {
  name: 'zipped-snapshot',
  seeds: () => [
    seedOf(IS_TO_BE_ZIPPED, snapshotOf()),
    seedOf(IS_TO_BE_ZIPPED | FAILS_AT_END, snapshotOf()),
    seedOf(0, gzipSync(snapshotOf())),
    seedOf(0, Buffer.concat([gzipSync('ZKSN'), gzipSync(snapshotOf().subarray(4))])),
  ],
  words: ['/', '/zookeeper', 'world', 'anyone', gzipSync('')],
  run: async (input) => {
    const [flags = 0] = input;
    const rest = input.subarray(1);
    const bytes = (flags & IS_TO_BE_ZIPPED) === 0 ? Buffer.from(rest) : gzipSync(rest);
    const folder = new OneFile(bytes, (flags & FAILS_AT_END) !== 0);
    const size = bytes.length;
    const file = { name: 'snapshot.0.gz', size, zxid: 0n, compression: 'gz' } as const;
    const fault = await orUncaught(loadSnapshot(folder, new Database({}), file));
    if (fault === undefined && (flags & FAILS_AT_END) !== 0) {
      throw new Finding('a snapshot is complete despite a failed read');
    }
  },
};
