import { realpathSync } from 'node:fs';
import { usageError } from '../../program/command-error.js';
import type { TaskCall } from '../calls/task.js';
import { readManifest } from '../s3/manifest.js';
import { Mirror } from '../s3/mirror.js';
import { ObjectStore } from '../s3/object-store.js';
import { isS3, parseS3, s3SettingsOf } from '../s3/s3-place.js';
import { asTargetFault, BackupFolder, checkMarker } from './backup-folder.js';
import { readKeyFile } from './key-file.js';

export interface Target {
  readonly folder: BackupFolder;
  /** Undefined for a backup that is only in a folder. */
  readonly mirror: Mirror | undefined;
}

/** @throws CommandError for a wrong call, or for a target that another backup uses */
export async function openTarget(call: TaskCall): Promise<Target> {
  const to = call.text('to');
  const spool = call.text('spool');
  if (to === undefined) throw usageError('backup run: missing option (expected --to FOLDER)');
  const key = readKeyFile(call);
  if (!isS3(to)) {
    if (spool === undefined)
      return { folder: openFolder(call, '--to', to, key), mirror: undefined };
    throw usageError(`--spool ${spool}: not for a backup in a folder (expected --to s3://…)`);
  }
  const place = parseS3(to);
  if (spool === undefined) {
    throw usageError(
      'backup run: missing option (expected --spool FOLDER with --to s3://BUCKET/PREFIX)',
    );
  }
  const { now, signal, progress } = call;
  const store = new ObjectStore(place, s3SettingsOf(place, process.env), signal);
  const found = await readManifest(store);
  if (found !== undefined) checkMarker(place.text, found.manifest.marker, key);
  const folder = openFolder(call, '--spool', spool, key);
  try {
    return { folder, mirror: await Mirror.open(store, folder, found, { now, signal, progress }) };
  } catch (error) {
    folder.close();
    throw signal.aborted ? error : asTargetFault(folder.path, error);
  }
}

function openFolder(
  call: TaskCall,
  option: string,
  path: string,
  key: Buffer | undefined,
): BackupFolder {
  const folder = BackupFolder.open(path, call.now().getTime(), key);
  if (!call.args.some((source) => isInside(folder.path, source))) return folder;
  folder.close();
  throw usageError(`${option} ${path}: is in the folder of the member`);
}

function isInside(path: string, folder: string): boolean {
  const [inner, outer] = [realpathSync(path), realpathSync(folder)];
  return inner === outer || inner.startsWith(`${outer}/`);
}
