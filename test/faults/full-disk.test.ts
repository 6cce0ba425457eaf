import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFullDisk } from './full-disk.js';

test('a server whose snapshots do not fit on the disk serves on, and keeps no part of them', async () => {
  const options = { full: 'snapshot', seed: 1, hasSilentReader: false } as const;
  const { problems, acknowledged } = await runFullDisk(options);
  assert.equal(problems, []);
  assert.ok(acknowledged > 0);
});

test('a server whose log does not fit ends, says why, and leaves its directory free', async () => {
  // The client that never reads must not delay that for longer than documented.
  const options = { full: 'log', seed: 2, hasSilentReader: true } as const;
  const { problems, acknowledged } = await runFullDisk(options);
  assert.equal(problems, []);
  assert.ok(acknowledged > 0);
});

test.run();
