import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filesOf, listFiles } from '../../../src/commands/data-files/find-files.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

test('links to files count, as for a server; other links, folders, and lost links do not', async () => {
  const { path, remove } = makeTempDir('find-files');
  try {
    mkdirSync(join(path, 'store'));
    mkdirSync(join(path, 'version-2'));
    writeFileSync(join(path, 'store', 'log.1'), 'text');
    symlinkSync('../store/log.1', join(path, 'version-2', 'log.1'));
    symlinkSync('../store', join(path, 'version-2', 'log.2'));
    symlinkSync('../nothing', join(path, 'version-2', 'log.3'));
    const folder = join(path, 'version-2');
    assert.equal(await listFiles(folder), [{ name: 'log.1', size: 4 }]);
    assert.equal(
      (await filesOf([path], 'log')).map((file) => file.path),
      [join(folder, 'log.1')],
    );
  } finally {
    remove();
  }
});

test.run();
