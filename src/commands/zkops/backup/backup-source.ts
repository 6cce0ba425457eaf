// A backup to read: a folder, or a bucket, whose files go to a temporary folder meanwhile.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION_DIR } from '../../../files/file-names.js';
import { isRunFault, runFault } from '../../ensemble/run-fault.js';
import { hasCode } from '../../program/file-error.js';
import type { TaskCall } from '../calls/task.js';
import { download } from '../s3/download.js';
import { readManifest } from '../s3/manifest.js';
import { ObjectStore } from '../s3/object-store.js';
import { isS3, parseS3, s3SettingsOf } from '../s3/s3-place.js';
import { type BackupFiles, backupFiles, checkMarker, writeMarker } from './backup-folder.js';
import type { At } from './find-moment.js';
import { readKeyFile } from './key-file.js';

const NO_SPACE = 'Set TMPDIR to a folder with space for the whole backup';

/** The files exist until `use` ends. @throws CommandError without a backup, or with another key */
export async function withBackup<Value>(
  call: TaskCall,
  use: (files: BackupFiles) => Promise<Value>,
): Promise<Value> {
  const [backup = '.'] = call.args;
  const key = readKeyFile(call);
  if (!isS3(backup)) return use(backupFiles(backup, key));
  const place = parseS3(backup);
  const store = new ObjectStore(place, s3SettingsOf(place, process.env), call.signal);
  const found = await readManifest(store);
  if (found === undefined) {
    throw runFault(`${place.text}: has no backup\nPass the --to target of zkops backup run`);
  }
  checkMarker(place.text, found.manifest.marker, key);
  // Only its owner may read it.
  const path = mkdtempSync(join(tmpdir(), 'zkops-backup-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  // A second signal ends the process at once.
  process.once('exit', remove);
  try {
    const files = join(path, VERSION_DIR);
    mkdirSync(files);
    writeMarker(path, found.manifest.marker);
    const places = { files, staging: join(path, 'incoming') };
    const { damage } = await download(store, found, places, call.progress);
    const shown = place.text;
    const problems = damage.map((each) => `${shown}/${each}`);
    return await use({ ...backupFiles(path, key), shown, damage: problems });
  } catch (error) {
    if (hasCode(error, 'ENOSPC')) throw runFault(`${path}: the disk is full\n${NO_SPACE}`);
    if (!isRunFault(error)) throw error;
    throw runFault(
      [error.message, error.hint]
        .filter(Boolean)
        .join('\n')
        .replaceAll(path, () => place.text),
      { cause: error },
    );
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/**
 * A time or `latest` may mean another moment without the missing txns.
 * @throws CommandError unless the moment is a zxid
 */
export function refuseDamage({ damage }: BackupFiles, at: At): void {
  const [first] = damage;
  if (first === undefined || at.kind === 'zxid') return;
  throw runFault(
    `${first}\nSee zkops backup status, then name an undamaged moment by its zxid with --at`,
  );
}
