/** The verbs that replace the data of a stopped server. */

import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { VERSION_DIR } from '../../files/file-names.js';
import { formatZxid } from '../../protocol/zxid.js';
import { counted } from '../program/counted.js';
import { SERVER_STATUS } from '../program/exit-status.js';
import { mustBeStopped } from './must-be-stopped.js';
import { targetOf } from './target.js';
import { OTHER_USER, type ServerVerb, said, type VerbArguments, verbError } from './verb.js';

export const load: ServerVerb = {
  name: 'load',
  summary: 'Replace the data of a stopped server by the files of a folder, and keep the old ones',
  args: {
    'zoo.cfg': { kind: 'file', summary: 'the zoo.cfg of the server' },
    folder: { kind: 'folder', summary: 'the folder of snapshots' },
    logfolder: { kind: 'folder', isOptional: true, summary: 'the folder of logs, if another' },
  },
  options: {},
  run: async (args) => {
    const [, ...folders] = args.operands;
    const { aside, loaded, isMember } = await replace(args, folders);
    const count = loaded && counted(loaded.znodes, 'znode');
    return said(
      ...(loaded === undefined ? [] : [`loaded ${count} as of zxid ${formatZxid(loaded.zxid)}`]),
      textOf(aside),
      isMember
        ? 'load the same data on every other member, then start all of them'
        : 'start the server',
    );
  },
};

export const setAside: ServerVerb = {
  name: 'set-aside',
  summary: 'Move the data of a stopped server aside, so that it starts empty',
  args: { 'zoo.cfg': { kind: 'file', summary: 'the zoo.cfg of the server' } },
  options: {},
  run: async (args) => {
    const { aside, isMember } = await replace(args, []);
    return said(
      textOf(aside),
      isMember
        ? 'if a majority serves, start the server: it copies the data from the leader'
        : 'the server starts without data',
    );
  },
};

function textOf(aside: readonly string[]): string {
  return aside.length === 0
    ? 'found no old files'
    : `moved the old files to ${aside.join(' and ')}`;
}

async function replace(args: VerbArguments, folders: readonly string[]) {
  const [file = ''] = args.operands;
  const target = targetOf({ ...args, operands: [file] });
  await mustBeStopped(target);
  const { replaceStopped } = await import('../../server/main.js');
  const { config } = target;
  const request = { config, dataDir: resolve(target.dataDir), from: folders.map(folderWith) };
  const done = await replaceStopped(request).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error;
    throw verbError(SERVER_STATUS.dataDir, `${error.message}`, OTHER_USER);
  });
  return { ...done, isMember: config.isReplicated };
}

/** `version-2` in the given folder, or that folder itself. */
function folderWith(folder: string): string {
  const inner = join(resolve(folder), VERSION_DIR);
  const isFolder = (path: string) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (basename(resolve(folder)) !== VERSION_DIR && isFolder(inner)) return inner;
  if (isFolder(folder)) return resolve(folder);
  throw verbError(SERVER_STATUS.dataDir, `${folder}: is not a folder`);
}
