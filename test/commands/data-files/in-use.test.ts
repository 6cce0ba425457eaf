import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { usersOf } from '../../../src/commands/data-files/in-use.js';
import { startBundled } from '../../support/bundled.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

test('a lock without an answer does not count', async () => {
  const folder = makeTempDir('in-use');
  try {
    for (const text of ['', 'nonsense', `holder ${process.pid} here`]) {
      writeFileSync(join(folder.path, 'zkserver.lock.0123456789ab.0123456789abcdef'), text);
      assert.equal(await usersOf(folder.path), []);
    }
  } finally {
    folder.remove();
  }
});

test('a server that runs is named, and its own open files are not those of others', async () => {
  const folder = makeTempDir('in-use');
  const server = await startBundled({ dataDir: folder.path });
  const version = join(folder.path, 'version-2');
  const log = readdirSync(version).find((name) => name.startsWith('snapshot.')) ?? '';
  const file = openSync(join(version, log), 'r');
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
