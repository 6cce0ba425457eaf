import { basename, join } from 'node:path';
import { reachOf, snapshotsAmong } from '../../../files/recovery.js';
import { checkSnapshot } from './check-snapshot.js';
import type { DataDir } from './data-dir.js';
import { unusable } from './errors.js';
import { listFiles } from './folders.js';
import type { ListedSnapshot } from './load-snapshot.js';

/**
 * Reads a snapshot to its end, unless this process did so before. Resolves to why it is not whole,
 * or to undefined.
 * @throws Error when `signal` aborts
 */
export async function faultOfSnapshot(
  { fs, snapFolder, options, known }: DataDir,
  file: ListedSnapshot,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = known.of(file);
  if (found?.isWhole === true) return undefined;
  if (found?.isWhole === false) return 'damaged, as reported before';
  const job = { snapFolder, file, maxEntryLength: options.maxEntryLength };
  const { checking } = options;
  const isLarge = checking !== undefined && file.size >= checking.fromBytes;
  try {
    const end = await (isLarge ? checking.run(job, signal) : checkSnapshot(fs, job, signal));
    known.note(file, { reach: found?.reach ?? reachOf(end, file.zxid, false), isWhole: true });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    known.note(file, { reach: null, isWhole: false });
    const reason = error instanceof Error ? error.message : String(error);
    const fault = `damaged ${reason}`;
    options.onWarning(`${join(snapFolder, file.name)}: ${fault}`);
    return fault;
  }
}

/**
 * For a snapshot that replaces older files.
 * @throws ServerError EDATA, because the disk does not return the written bytes
 */
export async function mustBeWhole(dir: DataDir, path: string, signal: AbortSignal): Promise<void> {
  const files = snapshotsAmong(await listFiles(dir.fs, dir.snapFolder));
  const file = files.find(({ name }) => name === basename(path));
  const fault = file === undefined ? 'missing' : await faultOfSnapshot(dir, file, signal);
  if (fault !== undefined) throw unusable(`${path}: was written, but is ${fault}. Check the disk`);
}
