import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { VERSION_DIR } from '../../server/persistence/file-names.js';
import { writeAtomically } from '../program/atomic-file.js';
import { wholeNumber } from '../program/command-line.js';
import { newConfig } from './new-config.js';
import { targetOf } from './target.js';
import {
  Exit,
  type ServerVerb,
  usageError,
  type VerbArguments,
  VerbError,
  type VerbOptions,
} from './verb.js';

/** Lets a server with db.autocreate=false start with an empty database. */
const INITIALIZE_MARKER = 'initialize';

/** An operand with this end is a zoo.cfg, even a missing one. */
const CONFIG_FILE = /\.(cfg|conf|properties)$/;

export const init: ServerVerb = {
  name: 'init',
  summary: 'Create a new server in a folder, with a zoo.cfg, or the data folders of a zoo.cfg',
  args: ['<dir|zoo.cfg|port>', '[datadir]'],
  options: [
    ['--myid <n>', 'the number of the server, written to myid', wholeNumber(1, 255)],
    ['--servers <list>', 'hosts of all members, server 1 first, for the zoo.cfg of <dir>'],
    ['--client-port <port>', 'port for clients in that zoo.cfg', wholeNumber(1, 65_535), 2181],
    ['--force', 'delete existing data'],
  ],
  run: async (args, io) => {
    const { servers, force = false } = args.options;
    const [place = ''] = args.operands;
    const isFolder = isNewFolder(args.operands);
    if (servers !== undefined && !isFolder)
      throw usageError('--servers: needs a new folder, such as zkserver init DIR --servers LIST');
    const myid = isFolder ? folderId(args.options) : args.options.myid;
    const folders = isFolder
      ? [join(place, 'data'), join(place, 'log')].map((folder) => resolve(folder))
      : dataFolders(args);
    const dataDir = folders[0] ?? place;
    const text = isFolder ? configFor(place, args.options) : undefined;
    try {
      makeFolders(folders, force);
      if (text !== undefined) writeAtomically(join(place, 'zoo.cfg'), text);
      if (myid !== undefined) writeFileSync(join(dataDir, 'myid'), `${myid}\n`);
      writeFileSync(join(dataDir, INITIALIZE_MARKER), '');
    } catch (error) {
      if (error instanceof VerbError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new VerbError(Exit.DATA_DIR, `zkserver: ${why}`);
    }
    io.writeOut(`initialized ${folders.join(' and ')}\n`);
    if (isFolder)
      io.writeOut(`read ${join(place, 'zoo.cfg')}, then: zkserver start ${place}/zoo.cfg\n`);
    return Exit.OK;
  },
};

function isNewFolder([place = '', ...more]: readonly string[]): boolean {
  if (more.length > 0 || /^\d+$/.test(place) || CONFIG_FILE.test(place)) return false;
  return statSync(place, { throwIfNoEntry: false })?.isFile() !== true;
}

/** @throws VerbError for a member of an ensemble without its number */
function folderId({ myid, servers }: VerbOptions): number | undefined {
  const count = servers?.split(',').length;
  if (count === undefined || (myid !== undefined && myid <= count)) return myid;
  throw usageError(`--servers: expected --myid from 1 to ${count}, the number of this server`);
}

function configFor(folder: string, options: VerbOptions): string {
  const { servers, clientPort = 2181, force = false } = options;
  const file = join(folder, 'zoo.cfg');
  if (existsSync(file) && !force) {
    const message = `zkserver: ${file}: exists; use --force to replace it and to delete the data`;
    throw new VerbError(Exit.DATA_DIR, message);
  }
  return newConfig({ folder, clientPort, servers });
}

function dataFolders(args: VerbArguments): readonly string[] {
  const { config, dataDir } = targetOf(args);
  return [...new Set([dataDir, config.dataLogDir ?? dataDir])];
}

function makeFolders(folders: readonly string[], isForced: boolean): void {
  const data = folders.map((folder) => join(folder, VERSION_DIR));
  const full = data.find((folder) => existsSync(folder) && readdirSync(folder).length > 0);
  if (full !== undefined && !isForced) {
    const message = `zkserver: ${full}: contains data of a server; use --force to delete it`;
    throw new VerbError(Exit.DATA_DIR, message);
  }
  for (const folder of data) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
}
