import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DataDir } from '../../../../src/server/node/storage/data-dir.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeDir } from './make-dir.js';

/** With db.autocreate=false. */
async function within(body: (dir: DataDir, marker: string) => Promise<void>): Promise<void> {
  const home = makeTempDir('recover-data');
  try {
    const dir = new DataDir({ ...makeDir(home.path).options, isEmptyDatabaseMade: false });
    await dir.prepare();
    await body(dir, join(home.path, 'initialize'));
  } finally {
    home.remove();
  }
}

async function failureOf(recovering: Promise<unknown>): Promise<string> {
  return await recovering.then(
    () => 'recovered',
    (error: Error) => error.message,
  );
}

test('an empty folder may be a replaced disk, so it needs a marker, once', () =>
  within(async (dir, marker) => {
    assert.match(await failureOf(dir.recover()), /: empty \(expected data, as db\.autocreate/);
    writeFileSync(marker, '');
    const { database, snapshotZxid } = await dir.recover();
    assert.is(database.tree.lastProcessedZxid, 0n);
    assert.is(snapshotZxid, null);
    assert.not(existsSync(marker));
  }));

test('a folder with data needs no marker, and leaves one for the folder that it is for', () =>
  within(async (dir, marker) => {
    writeFileSync(marker, '');
    await dir.recover();
    writeFileSync(marker, '');
    const again = await dir.recover();
    assert.is(again.snapshotZxid, 0n);
    assert.ok(existsSync(marker));
  }));

test.run();
