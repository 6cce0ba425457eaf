import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeLogHeader } from '../../../../src/files/txn-log.js';
import { truncateData } from '../../../../src/server/node/storage/truncate-data.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { makeDir } from './make-dir.js';

test('a snapshot with later txns than its name is truncated with them, after a restart too', async () => {
  const home = makeTempDir('truncate');
  try {
    const dir = makeDir(home.path);
    await dir.prepare();
    await dir.recover();
    const records = [1n, 2n].map((zxid) =>
      buildRecord(setDataEntry(zxid, '/', Buffer.from(`${zxid}`))),
    );
    writeFileSync(join(dir.logFolder, 'log.1'), Buffer.concat([encodeLogHeader(), ...records]));
    // Begun at 1 and completed when the tree was at 2: late nodes show it.
    const { tree } = (await dir.recover()).database;
    await dir.writeSnapshot({ tree, sessions: [], zxid: 1n });

    const restarted = makeDir(home.path);
    await truncateData(restarted, 1n);
    const { database, snapshotZxid } = await restarted.recover();
    assert.is(snapshotZxid, 0n);
    assert.is(database.tree.lastProcessedZxid, 1n);
    assert.is(database.tree.dataAt('/'), '1');
  } finally {
    home.remove();
  }
});

test.run();
