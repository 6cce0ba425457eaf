import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { setAside, withRoom } from '../../../../src/server/node/storage/disk.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeDir } from './make-dir.js';

async function within(
  body: (home: string, files: (name: string) => string[], warnings: string[]) => Promise<void>,
): Promise<void> {
  const home = makeTempDir('set-aside');
  try {
    const folder = join(home.path, 'version-2');
    mkdirSync(folder);
    for (const name of ['snapshot.0', 'snapshot.5', 'snapshot.9', 'log.1', 'log.6', 'currentEpoch'])
      writeFileSync(join(folder, name), name);
    await body(home.path, (name) => readdirSync(join(home.path, name)).sort(), []);
  } finally {
    home.remove();
  }
}

test('all files except the new snapshot and the epochs are set aside', () =>
  within(async (home, files, warnings) => {
    await setAside(makeDir(home), 0x1_0000_0007n, join(home, 'version-2', 'snapshot.9'), (text) =>
      warnings.push(text),
    );
    assert.equal(files('version-2'), ['currentEpoch', 'snapshot.9']);
    const kept = ['log.1', 'log.6', 'snapshot.0', 'snapshot.5'];
    assert.equal(files('version-2.mismatch-100000007'), kept);
    assert.match(warnings.join(), /kept in version-2\.mismatch-100000007/);
  }));

test('the newest two sets are kept, and files of other names are unchanged', () =>
  within(async (home, files, warnings) => {
    for (const name of ['9', 'a', 'zz', '10']) {
      mkdirSync(join(home, `version-2.mismatch-${name}`));
      writeFileSync(join(home, `version-2.mismatch-${name}`, 'log.1'), '');
    }
    await setAside(makeDir(home), 0x11n, join(home, 'version-2', 'snapshot.9'), (text) =>
      warnings.push(text),
    );
    const left = files('.').filter((name) => name.startsWith('version-2.'));
    assert.equal(
      left,
      ['10', '11', 'zz'].map((name) => `version-2.mismatch-${name}`),
    );
  }));

test('a set before it is kept as well', () =>
  within(async (home, files, warnings) => {
    mkdirSync(join(home, 'version-2.mismatch-9'));
    await setAside(makeDir(home), 0x11n, join(home, 'version-2', 'snapshot.9'), (text) =>
      warnings.push(text),
    );
    const left = files('.').filter((name) => name.startsWith('version-2.'));
    assert.equal(left, ['version-2.mismatch-11', 'version-2.mismatch-9']);
  }));

test('a file that cannot be set aside stays, with a warning', () =>
  within(async (home, files, warnings) => {
    writeFileSync(join(home, 'version-2.mismatch-7'), 'in the way');
    await setAside(makeDir(home), 7n, join(home, 'version-2', 'snapshot.9'), (text) =>
      warnings.push(text),
    );
    assert.is(files('version-2').length, 6);
    assert.match(warnings.join(), /cannot keep all files/);
  }));

test('on a full disk, the previous set is deleted, once', () =>
  within(async (home) => {
    const folder = join(home, 'version-2.mismatch-3');
    mkdirSync(folder);
    writeFileSync(join(folder, 'log.1'), '');
    let tries = 0;
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const write = async (): Promise<string> => {
      tries++;
      if (existsSync(folder)) throw full;
      return 'written';
    };
    assert.is(await withRoom(makeDir(home), write), 'written');
    assert.is(tries, 2);
    const error = await withRoom(makeDir(home), () => Promise.reject(full)).catch((it) => it);
    assert.is(error, full);
  }));

test.run();
