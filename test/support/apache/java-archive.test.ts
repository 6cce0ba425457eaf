import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../machine/temp-dir.js';
import { archiveFile, archiveFlags } from './java-archive.js';

test('an archive of classes is named after its source files and their times', () => {
  const home = makeTempDir();
  const jar = join(home.path, 'a.jar');
  try {
    writeFileSync(jar, 'one');
    const before = archiveFile([jar]);
    assert.is(archiveFile([jar]), before);
    writeFileSync(jar, 'another');
    const file = archiveFile([jar]);
    assert.is.not(file, before);
    assert.equal(archiveFlags([jar]), []);
    writeFileSync(file, '');
    try {
      assert.ok(archiveFlags([jar]).includes(`-XX:SharedArchiveFile=${file}`));
    } finally {
      unlinkSync(file);
    }
  } finally {
    home.remove();
  }
});

test.run();
