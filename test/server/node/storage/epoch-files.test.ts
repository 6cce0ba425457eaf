import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openEpochs } from '../../../../src/server/node/storage/epoch-files.js';
import { NODE_FILES } from '../../../../src/server/node/storage/file-system.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

async function within(
  files: Readonly<Record<string, string>>,
  body: (folder: string) => Promise<void>,
): Promise<void> {
  const { path, remove } = makeTempDir('epochs');
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
    await body(path);
  } finally {
    remove();
  }
}

test('missing epochs are those of the last zxid, and are written', () =>
  within({}, async (folder) => {
    assert.equal(await openEpochs(NODE_FILES, folder, 0x3_0000_0009n), {
      acceptedEpoch: 3,
      currentEpoch: 3,
    });
    assert.is(readFileSync(join(folder, 'acceptedEpoch'), 'utf8'), '3');
    assert.is(readFileSync(join(folder, 'currentEpoch'), 'utf8'), '3');
  }));

test('the values in the files count, with or without a line end', () =>
  within({ acceptedEpoch: '5\n', currentEpoch: '4' }, async (folder) => {
    assert.equal(await openEpochs(NODE_FILES, folder, 0x3_0000_0009n), {
      acceptedEpoch: 5,
      currentEpoch: 4,
    });
  }));

test('a crash before currentEpoch got its name is repaired', () =>
  within({ acceptedEpoch: '4', currentEpoch: '3', 'currentEpoch.tmp': '4' }, async (folder) => {
    assert.equal(await openEpochs(NODE_FILES, folder, 0x4_0000_0001n), {
      acceptedEpoch: 4,
      currentEpoch: 4,
    });
    assert.is(readFileSync(join(folder, 'currentEpoch'), 'utf8'), '4');
    assert.not.ok(existsSync(join(folder, 'currentEpoch.tmp')));
  }));

test('epochs that contradict the data are refused, with a remedy', () =>
  within({ acceptedEpoch: '2', currentEpoch: '2' }, async (folder) => {
    const error = await openEpochs(NODE_FILES, folder, 0x4_0000_0001n).then(
      () => new Error('nothing was refused'),
      (refusal: Error) => refusal,
    );
    assert.match(error.message, /currentEpoch is 2, older than the last zxid 0x400000001/);
    assert.match(error.message, /Restore the file\. .*move all files/);
  }));

test('an acceptedEpoch outside the valid range is refused, with a remedy', () =>
  within({ acceptedEpoch: '2147483648', currentEpoch: '2' }, async (folder) => {
    const error = await openEpochs(NODE_FILES, folder, 0x2_0000_0001n).then(
      () => new Error('nothing was refused'),
      (refusal: Error) => refusal,
    );
    assert.match(
      error.message,
      /invalid epoch: "2147483648" \(expected a number from 0 to 2147483647\)\. Stop/,
    );
    writeFileSync(join(folder, 'acceptedEpoch'), readFileSync(join(folder, 'currentEpoch')));
    assert.equal(await openEpochs(NODE_FILES, folder, 0x2_0000_0001n), {
      acceptedEpoch: 2,
      currentEpoch: 2,
    });
  }));

test.run();
