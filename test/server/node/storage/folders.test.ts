import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileSystem } from '../../../../src/server/node/storage/file-system.js';
import { makeFolder, mustExist } from '../../../../src/server/node/storage/folders.js';

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Only "/" exists; `mkdir` and `syncFolder` fail with these codes. */
function files(mkdirCode: string | null, syncCode: string | null): FileSystem {
  const fails = async (code: string | null) => {
    if (code !== null) throw failing(code);
  };
  return {
    stat: async (path: string) => {
      if (path !== '/') throw failing('ENOENT');
      return { kind: 'folder' };
    },
    mkdir: () => fails(mkdirCode),
    syncFolder: () => fails(syncCode),
  } as unknown as FileSystem;
}

const outcome = (made: Promise<void>) =>
  made.then(
    () => 'made',
    ({ message }: Error) => message,
  );

test('a folder that another process made meanwhile is taken, and other failures are reported', async () => {
  for (const [mkdirCode, syncCode, expected] of [
    [null, null, 'made'],
    ['EEXIST', null, 'made'],
    ['ENOSPC', null, 'ENOSPC'],
    [null, 'EACCES', 'made'],
    [null, 'EPERM', 'made'],
    [null, 'EIO', 'EIO'],
  ] as const) {
    assert.is(await outcome(makeFolder(files(mkdirCode, syncCode), '/data')), expected);
  }
});

test('a folder that must exist may be neither absent nor a file', async () => {
  for (const [kind, expected] of [
    ['folder', 'made'],
    ['file', /does not exist/],
    ['other', /does not exist/],
    [null, /does not exist/],
  ] as const) {
    const stat = async () => {
      if (kind === null) throw failing('ENOENT');
      return { kind };
    };
    assert.match(await outcome(mustExist({ stat } as never, '/data')), expected);
  }
});

test.run();
