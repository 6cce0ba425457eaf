import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { usersOf } from '../../../../src/commands/ops/files/in-use.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/temp-dir.js';

test('a lock of a process that is gone, or whose pid another one has now, is none', async () => {
  const folder = makeTempDir('in-use');
  try {
    const lock = join(folder.path, 'zkserver.lock');
    // Above the largest pid that Linux gives.
    writeFileSync(lock, '4194305 1\n');
    assert.equal(await usersOf(folder.path), []);
    writeFileSync(lock, `${process.pid} 1\n`);
    const isTold = existsSync('/proc/self/stat');
    assert.is((await usersOf(folder.path)).length, isTold ? 0 : 1);
    writeFileSync(lock, 'nonsense');
    assert.equal(await usersOf(folder.path), []);
  } finally {
    folder.remove();
  }
});

test('a server that runs is named, and its own open files are not those of others', async () => {
  const folder = makeTempDir('in-use');
  const server = await startBundled({ dataDir: folder.path });
  const file = openSync(join(folder.path, 'version-2', 'zkserver.lock'), 'r');
  try {
    const users = await usersOf(join(folder.path, 'version-2'));
    assert.equal(users, [{ pid: process.pid, file: undefined }]);
  } finally {
    closeSync(file);
    await server.close();
    folder.remove();
  }
});

test.run();
