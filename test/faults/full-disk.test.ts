import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFullDisk } from './full-disk.js';

test('a server whose snapshots do not fit on the disk still serves, and keeps no partial file', async () => {
  const options = { full: 'snapshot', seed: 1, hasSilentReader: false } as const;
  const { problems, acknowledged } = await runFullDisk(options);
  assert.equal(problems, []);
  assert.ok(acknowledged > 0);
});

test('a server whose log does not fit ends with an error and frees its directory', async () => {
  // A client that never reads must not delay the end beyond the documented time.
  const options = { full: 'log', seed: 2, hasSilentReader: true } as const;
  const { problems, acknowledged } = await runFullDisk(options);
  assert.equal(problems, []);
  assert.ok(acknowledged > 0);
});

test.run();
