import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnsupportedError } from '../../../src/client/base/errors.js';
import { loadNative, toStat } from '../../../src/client/native/native-binding.js';
import { Stat } from '../../../src/protocol/data.js';

test('an error names the missing package and the built-in client', async () => {
  const failed = await loadNative('zksh-no-such-package').catch((error: unknown) => error);
  assert.ok(failed instanceof UnsupportedError);
  assert.match(failed.message, 'the npm package zksh-no-such-package is not installed');
  assert.match(failed.message, 'npm install zksh-no-such-package');
  assert.match(failed.message, 'use the built-in client');
});

test('a Stat of the package becomes a Stat of the protocol', () => {
  assert.equal(
    toStat({
      czxid: 2 ** 33 + 1,
      mzxid: 3,
      pzxid: 4,
      dataLength: 5,
      numChildren: 6,
      version: 7,
      cversion: -8,
      aversion: 9,
      ctime: new Date(1000),
      mtime: new Date(2000),
      ephemeralOwner: 'ff00000000000001',
    }),
    new Stat({
      czxid: 0x2_0000_0001n,
      mzxid: 3n,
      ctime: 1000,
      mtime: 2000,
      version: 7,
      cversion: -8,
      aversion: 9,
      ephemeralOwner: -0x00ff_ffff_ffff_ffffn,
      dataLength: 5,
      numChildren: 6,
      pzxid: 4n,
    }),
  );
});

test.run();
