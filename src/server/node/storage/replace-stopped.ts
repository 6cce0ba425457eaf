/** Replaces the data of a server, after it proved that no server uses them. */
import { dirname } from 'node:path';
import { checkArray, checkText, readFields } from '../../../protocol/check-argument.js';
import { checkConfig } from '../../config/check-config.js';
import type { Config } from '../../config/config.js';
import type { DataDir } from './data-dir.js';
import { ExitCode, ServerError } from './errors.js';
import { openFilesIn, programOf } from './open-files.js';
import { dataDirOf, lockDirs } from './open-storage.js';
import { type Replaced, replaceData, takeAccess } from './replace-data.js';

export interface ReplaceOptions {
  /** The configuration of the stopped server. */
  readonly config: Config;
  /** Its data directory; the log may have a folder of its own in `config`. */
  readonly dataDir: string;
  /** Folders with the new files; without one, the server is left without data. */
  readonly from: readonly string[];
}

/**
 * Keeps the old files in folders beside the data.
 * @example
 * const parsed = parseConfig('dataDir=data', { fileName: 'zoo.cfg' });
 * if ('errors' in parsed) throw new Error(parsed.errors.map(({ text }) => text).join());
 * const { config } = parsed;
 * const { loaded } = await replaceStopped({ config, dataDir: 'data', from: ['restored'] });
 * console.log(loaded?.znodes);
 * @throws ServerError EDATADIR, EDATADIRINUSE, or EDATA; nothing is changed then
 */
export async function replaceStopped(given: ReplaceOptions): Promise<Replaced> {
  const { config, dataDir, from } = checkReplaceOptions(given);
  // An absent folder may be an absent disk.
  const isCareful = { ...config, datadirAutocreate: false };
  const dir = dataDirOf(isCareful, dataDir, () => undefined);
  await dir.makeFolders();
  const folders = new Set([dir.snapFolder, dir.logFolder]);
  for (const folder of folders) await takeOwner(dir, folder);
  const lock = await lockDirs(folders);
  try {
    for (const folder of folders) mustBeClosed(folder);
    return await replaceData(dir, from, stampOf(new Date()));
  } finally {
    await lock.release();
  }
}

/** Returns a copy. @throws TypeError or RangeError that names the option */
function checkReplaceOptions(given: ReplaceOptions): ReplaceOptions {
  const { config, dataDir, from } = readFields('options', given, ['config', 'dataDir', 'from']);
  checkConfig('options.config', config);
  checkText('options.dataDir', dataDir);
  return { config, dataDir, from: checkArray('options.from', from, checkText) };
}

/** makeFolders makes a folder for the user of this process. */
async function takeOwner({ fs }: DataDir, folder: string): Promise<void> {
  const { uid } = await fs.stat(dirname(folder));
  if ((await fs.stat(folder)).uid !== uid) await takeAccess(fs, folder, dirname(folder));
}

/** Apache's server has no lock. It holds its log open once it has written. */
function mustBeClosed(folder: string): void {
  const [user] = openFilesIn(folder);
  if (user === undefined) return;
  throw new ServerError(
    'EDATADIRINUSE',
    ExitCode.DATA_DIR,
    `${user.file}: process ${user.pid} (${programOf(user.pid)}) has it open (expected a stopped server). Stop it first`,
  );
}

/** 20260131T120000.123Z */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:]/g, '');
}
