import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION_DIR } from '../../server/persistence/file-names.js';
import { wholeNumber } from '../program/command-line.js';
import { targetOf } from './target.js';
import { Exit, type ServerVerb, TARGET_ARGS, VerbError } from './verb.js';

/** Lets a server with db.autocreate=false start with an empty database. */
const INITIALIZE_MARKER = 'initialize';

export const init: ServerVerb = {
  name: 'init',
  summary: 'create the data directories of a new server; --force deletes existing data',
  args: TARGET_ARGS,
  options: [
    ['--myid <n>', 'the number of the server, written to myid', wholeNumber(1, 255)],
    ['--force', 'delete the data that is there'],
  ],
  run: async (args, io) => {
    const { config, dataDir } = targetOf(args);
    const { myid, force = false } = args.options;
    const folders = [...new Set([dataDir, config.dataLogDir ?? dataDir])];
    try {
      makeFolders(folders, force);
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
