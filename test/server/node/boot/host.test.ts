/** The words that read or write the files of a server. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord, createClient } from '../../../../src/client/index.js';
import { snapshotFileName, VERSION_DIR } from '../../../../src/files/file-names.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

const CONFIG = { '4lw.commands.whitelist': 'lgif,csnp' };
const FAILED = 'Failed to schedule snapshot creation task.';

test('csnp begins a snapshot, once in a while, and lgif names it', async () => {
  const home = makeTempDir('host');
  const server = await startBundled({ dataDir: home.path, config: CONFIG });
  const client = createClient({ connectString: server.connectString });
  const ask = async (word: string) => String(await askWord(server, word));
  const figure = async (key: string) =>
    BigInt(new RegExp(`^${key}\t(\\d+)$`, 'm').exec(await ask('lgif'))?.[1] ?? -1);
  try {
    await client.create('/a', '');
    const zxid = BigInt(await ask('csnp'));
    assert.is(zxid, (await client.exists('/a'))?.czxid);
    assert.is(await ask('csnp'), FAILED);
    const file = join(home.path, VERSION_DIR, snapshotFileName(zxid));
    await waitFor('the snapshot', () => existsSync(file));
    assert.is(await figure('last_snapshot_idx'), zxid);
    await client.create('/b', '');
    assert.is(await figure('last_log_idx'), zxid + 1n);
    assert.is(await figure('first_log_idx'), 1n);
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
});

test('a server in memory has no files', async () => {
  const server = await startBundled({ config: CONFIG });
  try {
    assert.is(String(await askWord(server, 'csnp')), FAILED);
    assert.match(String(await askWord(server, 'lgif')), /^last_snapshot_idx\t0$/m);
  } finally {
    await server.close();
  }
});

test.run();
