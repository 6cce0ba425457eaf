import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { removeMarker, writeMarker } from '../../../../src/server/node/storage/replacing-marker.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

async function within(body: (folder: string) => Promise<void>): Promise<void> {
  const { path, remove } = makeTempDir('marker');
  try {
    await body(path);
  } finally {
    remove();
  }
}

async function errorOf(done: Promise<unknown>): Promise<string> {
  return done.then(
    () => '',
    ({ code }: NodeJS.ErrnoException) => code ?? 'unknown',
  );
}

test('the marker is removed, and need not be there', () =>
  within(async (folder) => {
    await writeMarker(NODE_FILES, folder);
    assert.is(readdirSync(folder).length, 1);
    await removeMarker(NODE_FILES, folder);
    assert.equal(readdirSync(folder), []);
    await removeMarker(NODE_FILES, folder);
  }));

test('a marker that cannot be removed is an error', () =>
  within(async (folder) => {
    await writeMarker(NODE_FILES, folder);
    const [name = ''] = readdirSync(folder);
    await removeMarker(NODE_FILES, folder);
    mkdirSync(join(folder, name));
    assert.match(await errorOf(removeMarker(NODE_FILES, folder)), /EISDIR|EPERM/);
    assert.ok(existsSync(join(folder, name)));
  }));

test.run();
