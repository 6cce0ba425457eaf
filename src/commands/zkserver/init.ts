import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VERSION_DIR } from '../../files/file-names.js';
import { MAX_SID } from '../../server/config/config.js';
import { usersOf } from '../data-files/in-use.js';
import { textOption } from '../machine/declaration.js';
import { writeAtomically } from '../program/atomic-file.js';
import { CommandError } from '../program/command-error.js';
import { SERVER_STATUS } from '../program/exit-status.js';
import { hasCode } from '../program/file-error.js';
import { shellWord } from '../program/shell-word.js';
import type { Result } from '../results/result.js';
import { mustBeStopped, STOP_FIRST } from './must-be-stopped.js';
import { newConfig } from './new-config.js';
import { type Target, targetOf, UNIT_FILE } from './target.js';
import {
  printResult,
  type ServerVerb,
  said,
  usageError,
  type VerbArguments,
  type VerbIo,
  type VerbOptions,
  verbError,
} from './verb.js';

/** Lets a server with db.autocreate=false start with an empty database. */
const INITIALIZE_MARKER = 'initialize';

/** An operand with this end is a zoo.cfg, even a missing one. */
const CONFIG_FILE = /\.(cfg|conf|properties)$/;

export const init: ServerVerb = {
  name: 'init',
  summary: 'Create a new server in a folder, with a zoo.cfg, or the data folders of a zoo.cfg',
  args: {
    'dir|zoo.cfg|port': { kind: 'file', summary: 'a new folder, a zoo.cfg, or a port' },
    datadir: { kind: 'folder', isOptional: true, summary: 'after a port: the folder of the data' },
  },
  options: {
    myid: {
      kind: 'integer',
      min: 0,
      max: MAX_SID,
      valueName: 'N',
      summary: 'the number of the server, written to myid',
    },
    servers: textOption('LIST', 'hosts of all members, server 1 first, for the zoo.cfg of <dir>'),
    'client-port': {
      kind: 'integer',
      min: 1,
      max: 65_535,
      valueName: 'PORT',
      fallback: 2181,
      summary: 'port for clients in that zoo.cfg',
    },
    force: { summary: 'delete existing data' },
    unit: { summary: 'let the unit of systemd run this zoo.cfg and write its folders (as root)' },
  },
  run: async (args, io) => {
    const { servers, unit = false } = args.options;
    const [place = '', dataDir] = args.operands;
    const isFolder = isNewFolder(args.operands);
    if (servers !== undefined && !isFolder)
      throw usageError('--servers: needs a new folder, such as zkserver init DIR --servers LIST');
    if (unit && (dataDir !== undefined || /^\d+$/.test(place)))
      throw usageError('--unit: needs a zoo.cfg, or a folder for one');
    const configFile = isFolder ? join(place, 'zoo.cfg') : place;
    // An existing server gets the drop-in, and keeps its data.
    if (unit && !isFolder && args.options.force !== true && hasData(dataFolders(args))) {
      const missing = dataFolders(args).filter((folder) => !existsSync(folder));
      // Not version-2: without the moved files in it, the start must refuse.
      for (const folder of missing) mkdirSync(folder, { recursive: true });
      return fitUnit(configFile, args, missing, io);
    }
    const folders = isFolder
      ? [join(place, 'data'), join(place, 'log')].map((folder) => resolve(folder))
      : dataFolders(args);
    if (args.options.force !== true) {
      if (isFolder) mustNotHideData(place);
    } else {
      await mustNotServe(args, isFolder, configFile);
      await mustBeUnused(folders);
    }
    const made = make(args, isFolder, configFile, folders);
    const done = `initialized ${made.folders.join(' and ')}`;
    if (unit) {
      await printResult(said(done), io);
      return fitUnit(configFile, args, made.files, io);
    }
    if (!isFolder) return said(done);
    const start =
      resolve(configFile) === UNIT_FILE
        ? 'sudo systemctl enable --now zkserver'
        : `zkserver start ${shellWord(configFile)}`;
    return said(done, `read ${configFile}, then: ${start}`);
  },
};

/** @throws CommandError while a server serves the data that would be deleted */
async function mustNotServe(args: VerbArguments, isFolder: boolean, file: string): Promise<void> {
  if (isFolder && !existsSync(file)) return;
  let target: Target;
  try {
    target = targetOf(isFolder ? { ...args, operands: [file] } : args);
  } catch {
    // No server serves with a zoo.cfg that is not valid.
    return;
  }
  await mustBeStopped(target);
}

/** Debian's zoo.cfg may have this dataDir. @throws CommandError */
function mustNotHideData(folder: string): void {
  if (!hasData([folder])) return;
  throw verbError(
    SERVER_STATUS.dataDir,
    `${join(folder, VERSION_DIR)}: contains data of a server, which a new one in ${folder} would not have`,
    'to run these data with the unit, pass the zoo.cfg of that server: sudo zkserver init ZOO.CFG --unit',
  );
}

/**
 * The zoo.cfg may have changed since the server started, so no port may lead to it.
 * @throws CommandError while a process uses the data that would be deleted
 */
async function mustBeUnused(folders: readonly string[]): Promise<void> {
  for (const folder of folders.map((path) => join(path, VERSION_DIR)).filter(existsSync)) {
    const [user] = await usersOf(folder);
    if (user === undefined) continue;
    const message = `${folder}: process ${user.pid} uses it (expected a stopped server)`;
    throw verbError(SERVER_STATUS.dataDir, message, STOP_FIRST);
  }
}

interface Made {
  readonly folders: readonly string[];
  /** All that belongs to the server. */
  readonly files: readonly string[];
}

function make(
  args: VerbArguments,
  isFolder: boolean,
  configFile: string,
  folders: readonly string[],
): Made {
  const { force = false } = args.options;
  const [place = ''] = args.operands;
  const myid = isFolder ? folderId(args.options) : args.options.myid;
  const dataDir = folders[0] ?? place;
  const text = isFolder ? configFor(place, args.options) : undefined;
  try {
    makeFolders(folders, force);
    if (myid !== undefined) writeFileSync(join(dataDir, 'myid'), `${myid}\n`);
    writeFileSync(join(dataDir, INITIALIZE_MARKER), '');
    // Last: a script that was interrupted calls init again unless there is a zoo.cfg.
    if (text !== undefined) writeAtomically(configFile, text);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw verbError(
      SERVER_STATUS.dataDir,
      `${why}`,
      hasCode(error, 'EACCES')
        ? `run this as the user of the server, such as: sudo -u zookeeper zkserver init …\nThe folder must belong to this user: sudo install -d -o zookeeper -g zookeeper ${shellWord(isFolder ? place : dataDir)}`
        : undefined,
    );
  }
  const files = folders.flatMap(filesOf);
  return { folders, files: isFolder ? [place, configFile, ...files] : files };
}

/** A folder may hold more than what belongs to the server. */
function filesOf(folder: string): string[] {
  const names = [VERSION_DIR, 'myid', INITIALIZE_MARKER];
  return [folder, ...names.map((name) => join(folder, name)).filter((path) => existsSync(path))];
}

async function fitUnit(
  configFile: string,
  { properties }: VerbArguments,
  made: readonly string[],
  io: VerbIo,
): Promise<Result> {
  const unit = await import('./unit-drop-in.js');
  const { config } = targetOf({
    operands: [configFile],
    properties,
    ownProperties: properties,
    options: {},
  });
  const folders = unit.writtenFolders(configFile, config);
  if (made.length > 0) unit.giveToUser(made);
  const file = unit.writeDropIn(configFile, config);
  for (const warning of unit.folderWarnings(folders)) io.writeError(`zkserver: ${warning}`);
  return said(
    `wrote ${file}: the unit runs ${resolve(configFile)}, and may write ${folders.join(' and ')}`,
    `then: systemctl daemon-reload && systemctl restart ${unit.UNIT}`,
  );
}

function isNewFolder([place = '', ...more]: readonly string[]): boolean {
  if (more.length > 0 || /^\d+$/.test(place) || CONFIG_FILE.test(place)) return false;
  return statSync(place, { throwIfNoEntry: false })?.isFile() !== true;
}

/** @throws CommandError for a member of an ensemble without its number */
function folderId({ myid, servers }: VerbOptions): number | undefined {
  const count = servers?.split(',').length;
  if (count === undefined || (myid !== undefined && myid <= count)) return myid;
  throw usageError(`--servers: expected --myid from 1 to ${count}, the number of this server`);
}

function configFor(folder: string, options: VerbOptions): string {
  const { servers, 'client-port': clientPort = 2181, force = false } = options;
  const file = join(folder, 'zoo.cfg');
  if (existsSync(file) && !force) {
    const message = `${file}: exists; use --force to replace it and to delete the data`;
    throw verbError(SERVER_STATUS.dataDir, message);
  }
  return newConfig({ folder, clientPort, servers });
}

function dataFolders(args: VerbArguments): readonly string[] {
  const { config, dataDir } = targetOf(args);
  return [...new Set([dataDir, config.dataLogDir ?? dataDir])];
}

function hasData(folders: readonly string[]): boolean {
  return folders.some((folder) => isFull(join(folder, VERSION_DIR)));
}

function isFull(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

function makeFolders(folders: readonly string[], isForced: boolean): void {
  const data = folders.map((folder) => join(folder, VERSION_DIR));
  const full = data.find(isFull);
  if (full !== undefined && !isForced) {
    const message = `${full}: contains data of a server; use --force to delete it`;
    const advice =
      'if only its zoo.cfg is missing, make one with zkserver init in an empty folder, and correct the folders in it';
    throw verbError(SERVER_STATUS.dataDir, message, advice);
  }
  for (const folder of data) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
}
