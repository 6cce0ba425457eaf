import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { logsAmong, snapshotsAmong } from '../../../../src/files/recovery.js';
import { encodeLogHeader } from '../../../../src/files/txn-log.js';
import { DataDir } from '../../../../src/server/node/storage/data-dir.js';
import { listFiles } from '../../../../src/server/node/storage/folders.js';
import { loadKnown } from '../../../../src/server/node/storage/recover-data.js';
import { replayLogs } from '../../../../src/server/node/storage/replay-logs.js';
import { buildRecord, setDataEntry } from '../../../support/bytes/zk-files.js';
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

test('the bytes that a start reads are those of its snapshot and its logs', () =>
  within(async (dir, marker) => {
    writeFileSync(marker, '');
    const { database } = await dir.recover();
    const log = Buffer.concat([
      encodeLogHeader(),
      ...[1n, 2n].map((zxid) => buildRecord(setDataEntry(zxid, '/', Buffer.alloc(1000)))),
    ]);
    writeFileSync(join(dir.logFolder, 'log.1'), log);
    const [snapshot] = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
    assert.ok(snapshot !== undefined);
    const read: number[] = [];
    const onRead = (bytes: number): void => {
      read.push(bytes);
    };
    const sum = (): number => read.splice(0).reduce((all, bytes) => all + bytes, 0);
    await loadKnown(dir, snapshot, onRead);
    assert.is(sum(), snapshot.size);
    const replayed = await replayLogs(
      dir,
      database,
      logsAmong(await listFiles(dir.fs, dir.logFolder)),
      {
        onRead,
      },
    );
    assert.is(sum(), log.length);
    assert.is(replayed.txns, 2);
    assert.ok(replayed.bytes > 2000 && replayed.bytes < log.length, `${replayed.bytes} bytes`);
  }));

test.run();
