import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION_DIR } from '../../server/persistence/file-names.js';
import { targetOf } from './target.js';
import { Exit, type ServerVerb, usageError, VerbError } from './verb.js';

/** Tells a server whose db.autocreate is false that it may begin with nothing. */
const INITIALIZE_MARKER = 'initialize';
const MAX_MYID = 255;

export const init: ServerVerb = {
  name: 'init',
  usage: 'init ZOO.CFG|PORT DATADIR [--myid N] [--force]',
  summary: 'make the data directories of a new server; --force deletes what is in them',
  options: { '--myid': { hasValue: true }, '--force': { hasValue: false } },
  run: async (args, io) => {
    const { config, dataDir } = targetOf(args, 'init');
    const myid = args.options.get('--myid');
    if (myid !== undefined && !isServerId(myid)) {
      throw usageError(`expected --myid from 1 to ${MAX_MYID}, found "${myid}"`);
    }
    const folders = [...new Set([dataDir, config.dataLogDir ?? dataDir])];
    try {
      makeFolders(folders, args.options.has('--force'));
      if (myid !== undefined) writeFileSync(join(dataDir, 'myid'), `${myid}\n`);
      writeFileSync(join(dataDir, INITIALIZE_MARKER), '');
    } catch (error) {
      if (error instanceof VerbError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new VerbError(Exit.DATA_DIR, `zkserver: ${why}`);
    }
    io.writeOut(`initialized ${folders.join(' and ')}\n`);
    return Exit.OK;
  },
};

function isServerId(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_MYID;
}

function makeFolders(folders: readonly string[], isForced: boolean): void {
  const data = folders.map((folder) => join(folder, VERSION_DIR));
  const full = data.find((folder) => existsSync(folder) && readdirSync(folder).length > 0);
  if (full !== undefined && !isForced) {
    const message = `zkserver: ${full} holds the data of a server; --force deletes it`;
    throw new VerbError(Exit.DATA_DIR, message);
  }
  for (const folder of data) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
}
