import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FileSystem } from '../../../../src/server/node/storage/file-system.js';
import { makeFolder } from '../../../../src/server/node/storage/folders.js';

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

test.run();
