/**
 * The drop-in that fits the unit of systemd to a zoo.cfg. The unit itself may write only below
 * /var/lib/zookeeper, and sees neither /home nor the files of others in /tmp.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { VERSION_DIR } from '../../files/file-names.js';
import type { Config } from '../../server/config/config.js';
import { writeAtomically } from '../program/atomic-file.js';
import { ExitCode } from '../program/exit-status.js';
import { shellWord } from '../program/shell-word.js';
import { usageError, verbError } from './verb.js';

export const UNIT = 'zkserver.service';
const FILE = `/etc/systemd/system/${UNIT}.d/zoo-cfg.conf`;
const DEFAULT_USER = 'zookeeper';
const HOMES = ['/home', '/root', '/run/user'];
const TEMPORARY = ['/tmp', '/var/tmp'];

/** The folders that a server with this zoo.cfg writes. @throws CommandError for a relative one */
export function writtenFolders(configFile: string, config: Config): string[] {
  const data = [config.dataDir ?? '', config.dataLogDir ?? config.dataDir ?? ''];
  const relative = data.find((folder) => !isAbsolute(folder));
  if (relative !== undefined) {
    throw usageError(`${configFile}: ${relative}: a unit needs an absolute dataDir and dataLogDir`);
  }
  const folders = [...data, ...data.flatMap(linkedTo)];
  // A reconfig writes the members there.
  if (config.reconfigEnabled) folders.push(dirname(resolve(configFile)));
  if (config.dynamicConfigFile !== null) folders.push(dirname(resolve(config.dynamicConfigFile)));
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && isBelow(folder, other)));
}

/** `version-2` may be a link to another disk. */
function linkedTo(folder: string): string[] {
  try {
    const real = realpathSync(join(folder, VERSION_DIR));
    return isBelow(real, folder) ? [] : [real];
  } catch {
    return [];
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);
}

export function dropInFor(configFile: string, config: Config): string {
  const folders = writtenFolders(configFile, config);
  const seen = [...folders, resolve(configFile)];
  const isIn = (places: readonly string[]) =>
    seen.some((path) => places.some((place) => isBelow(path, place)));
  const quoted = folders.map(quote).join(' ');
  return `# zkserver init --unit wrote this for the folders of zoo.cfg. Run it again after a change of them.
[Unit]
RequiresMountsFor=${quoted}

[Service]
ExecStart=
ExecStart=/usr/bin/zkserver start-foreground ${quote(resolve(configFile)).replaceAll('$', '$$$$')}
ReadWritePaths=${quoted}
${isIn(TEMPORARY) ? 'PrivateTmp=false\n' : ''}${isIn(HOMES) ? 'ProtectHome=read-only\n' : ''}`;
}

/** As systemd.syntax(7) reads a word with specifiers. */
function quote(path: string): string {
  const text = path.replaceAll('%', '%%');
  return /[\s"'\\;]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

/** Returns the name of the file. @throws CommandError without the right to write it */
export function writeDropIn(configFile: string, config: Config): string {
  const text = dropInFor(configFile, config);
  try {
    mkdirSync(dirname(FILE), { recursive: true });
    writeAtomically(FILE, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const advice = `run this as root: sudo zkserver init ${shellWord(configFile)} --unit`;
    throw verbError(ExitCode.failed, `--unit: ${why}`, advice);
  }
  return FILE;
}

/** Gives what this process made to the user of the unit. */
export function giveToUser(paths: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  const user = userOfUnit();
  try {
    execFileSync('chown', [`${user}:`, '--', ...paths], { stdio: 'pipe' });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw verbError(ExitCode.failed, `--unit: the unit runs as ${user}: ${why.trim()}`);
  }
}

/** Warnings about folders that a boot may empty, or that the user of the unit does not own. */
export function folderWarnings(folders: readonly string[]): string[] {
  const user = userOfUnit();
  const wanted = idOf(user);
  return folders.flatMap((folder) => {
    if (TEMPORARY.some((place) => isBelow(folder, place)))
      return [`${folder}: a boot of the machine may empty it: move the data elsewhere`];
    const uid = statSync(folder, { throwIfNoEntry: false })?.uid;
    if (uid === undefined || uid === wanted) return [];
    return [`${folder}: belongs to user ${uid}, and the unit runs as ${user} (${wanted})`];
  });
}

/** Another drop-in may name one. */
function userOfUnit(): string {
  try {
    const args = ['show', UNIT, '--value', '-p', 'User'];
    return (
      execFileSync('systemctl', args, { encoding: 'utf8', stdio: 'pipe' }).trim() || DEFAULT_USER
    );
  } catch {
    return DEFAULT_USER;
  }
}

function idOf(user: string): number | string {
  try {
    return Number(execFileSync('id', ['-u', user], { encoding: 'utf8', stdio: 'pipe' }));
  } catch {
    return 'no such user';
  }
}
