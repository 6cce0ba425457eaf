import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { loadSnapshot } from '../../../../src/server/node/storage/load-snapshot.js';
import { Database } from '../../../../src/server/persistence/replay.js';

const GZIP_HEADER = 10;

test('a gzipped snapshot with a read error is refused with the reason', async () => {
  for (const size of [0, GZIP_HEADER]) {
    const bytes = gzipSync('').subarray(0, size);
    let open = 0;
    const file = {
      read: async (buffer: Buffer, position: number) => {
        if (position >= size) throw new Error('EIO: a sector is broken');
        return bytes.copy(buffer, 0, position);
      },
      close: async () => {
        open--;
      },
    };
    const fs = {
      ...NODE_FILES,
      open: async () => {
        open++;
        return file as never;
      },
    };
    const folder = { fs, snapFolder: '/', options: { maxEntryLength: 4096 } };
    const found = { name: 'snapshot.0.gz', size, zxid: 0n, compression: 'gz' } as const;
    const fault = await loadSnapshot(folder, new Database({}), found);
    assert.match(fault ?? '', /a sector is broken/);
    assert.is(open, 0, 'the file stays open');
  }
});

test.run();
