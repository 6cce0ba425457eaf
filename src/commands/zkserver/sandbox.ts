/** Files that the user or the unit of a server may not use, and what an operator can do then. */

import { readFileSync, statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { SERVER_STATUS } from '../program/exit-status.js';
import { userName } from '../program/home-folder.js';
import { shellWord } from '../program/shell-word.js';
import type { Target } from './target.js';
import { type VerbIo, verbError } from './verb.js';

const TEMPORARY = /^\/(?:var\/)?tmp\//;

function adviceFor(configFile: string | undefined): string {
  const file = configFile === undefined ? 'ZOO.CFG' : resolve(configFile);
  return `The unit allows only /var/lib/zookeeper. If the folders in zoo.cfg are right, make a drop-in for them: sudo zkserver init ${file} --unit`;
}

/**
 * With PrivateTmp, a unit gets an empty /tmp: its server would start without the data there.
 * @throws CommandError
 */
export function mustSeeData(target: Target): void {
  const hidden = foldersOf(target).find((folder) => TEMPORARY.test(folder) && isPrivate(folder));
  if (hidden === undefined) return;
  throw verbError(
    SERVER_STATUS.dataDir,
    `${hidden}: systemd hides this folder from the unit (PrivateTmp)`,
    adviceFor(target.configFile),
  );
}

/** systemd mounts a folder named systemd-private-… over /tmp. */
function isPrivate(folder: string): boolean {
  const point = folder.startsWith('/var') ? '/var/tmp' : '/tmp';
  return mounts().some((one) => one.point === point && one.root.includes('/systemd-private-'));
}

interface Mount {
  readonly root: string;
  readonly point: string;
  /** Of the file system itself, and not of one view of it. */
  readonly isDiskReadOnly: boolean;
}

/** Those of this process, in their order; none without /proc. */
function mounts(): Mount[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
    return lines.map((line) => {
      const words = line.split(' ');
      const [, , , root = '', point = ''] = words;
      return { root, point, isDiskReadOnly: words.at(-1)?.split(',').includes('ro') === true };
    });
  } catch {
    return [];
  }
}

/** The kernel makes a disk with errors read-only. The sandbox does so to its view of a disk. */
function isDiskReadOnly(path: string): boolean {
  const above = mounts().filter(({ point }) => isWithin(path, point));
  const depth = Math.max(...above.map(({ point }) => point.length));
  return above.findLast(({ point }) => point.length === depth)?.isDiskReadOnly === true;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The error with the advice, if the server may not use its folders. */
export function explainForbidden(error: unknown, target: Target, { env }: VerbIo): unknown {
  const text = error instanceof Error ? error.message : String(error);
  const folders = foldersOf(target);
  const readOnly = causeWith(error, 'EROFS');
  if (readOnly !== undefined && isDiskReadOnly(readOnly.path ?? folders.at(-1) ?? sep)) {
    const isLog = causeWith(error, 'ELOGWRITE') !== undefined;
    return verbError(
      isLog ? SERVER_STATUS.logWrite : SERVER_STATUS.dataDir,
      text,
      'The disk is read-only. The kernel does this after an error of the disk: see dmesg',
    );
  }
  if (env['INVOCATION_ID'] !== undefined && readOnly !== undefined) {
    return verbError(SERVER_STATUS.dataDir, text, adviceFor(target.configFile));
  }
  const path = causeWith(error, 'EACCES')?.path ?? '';
  const folder = folders.find((one) => isWithin(path, one));
  if (folder === undefined) return error;
  return verbError(
    SERVER_STATUS.dataDir,
    text,
    `The folder and its files must belong to the user of the server: sudo chown -R ${userName()}: ${shellWord(folder)}`,
  );
}

/** A warning if root would leave files in the folders of another user, who cannot read them. */
export function rootWarning(target: Target): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const foreign = foldersOf(target).find((folder) => (statOf(folder)?.uid ?? 0) !== 0);
  if (foreign === undefined) return undefined;
  return `zkserver: ${foreign}: belongs to user ${statOf(foreign)?.uid}, who cannot read the files of a server of root. Stop it, give the files back (chown -R), and start the unit: sudo systemctl start zkserver`;
}

function statOf(path: string) {
  return statSync(path, { throwIfNoEntry: false });
}

function foldersOf({ config, dataDir }: Target): string[] {
  return [dataDir, config.dataLogDir ?? dataDir].map((folder) => resolve(folder));
}

function causeWith(error: unknown, code: string): NodeJS.ErrnoException | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const cause: NodeJS.ErrnoException = one;
    if (cause.code === code) return cause;
  }
  return undefined;
}
