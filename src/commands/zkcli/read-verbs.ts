import type { ReadOptions } from '../../client/base/client.js';
import { ZooKeeperError } from '../../client/base/errors.js';
import { walkTree } from '../../client/znodes/walk.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { compareNames } from '../../protocol/path.js';
import { formatPerms } from '../../protocol/perms.js';
import { hexDump } from '../znodes/hex-dump.js';
import type { CliWords } from './cli-options.js';
import { checkJavaPath } from './java-path.js';
import type { ZkCliShell } from './shell.js';
import { argOf, type CliVerb } from './verb.js';

function watchOf(shell: ZkCliShell, { options, args }: CliWords): ReadOptions {
  return options.has('w') || args.length > 1 ? { watch: shell.onWatch } : {};
}

/** Accepts the old form, a third word for a watch, with a warning. */
function noteDeprecated(shell: ZkCliShell, words: CliWords, verb: string, usage: string): void {
  if (words.args.length < 2) return;
  shell.complain(
    `'${verb} path [watch]' has been deprecated. Please use '${verb} ${usage} path' instead.`,
  );
}

const get: CliVerb = {
  usage: '[-s] [-w] [-b] [-x] path',
  options: { s: false, w: false, b: false, x: false },
  optionTable: [
    ' -b   Output data in base64 format',
    ' -s   Print znode stats additionally',
    ' -w   Watch for changes on the znode',
    ' -x   Output data in hexdump format',
    '',
  ].join('\n'),
  minArgs: 1,
  maxArgs: 2,
  run: async (shell, words) => {
    noteDeprecated(shell, words, 'get', '[-s] [-w]');
    const client = await shell.ready();
    const path = checkJavaPath(argOf(words, 0));
    const found = await client.getData(path, watchOf(shell, words));
    const data = found.data ?? Buffer.from('null');
    if (words.options.has('x')) shell.line(hexDump(data));
    else if (words.options.has('b')) shell.line(data.toString('base64'));
    else shell.streams.out(Buffer.concat([data, Buffer.from('\n')]));
    if (words.options.has('s')) shell.stat(found.stat);
  },
};

const stat: CliVerb = {
  usage: '[-w] path',
  options: { w: false },
  minArgs: 1,
  maxArgs: 2,
  run: async (shell, words) => {
    noteDeprecated(shell, words, 'stat', '[-w]');
    const client = await shell.ready();
    const path = checkJavaPath(argOf(words, 0));
    const found = await client.exists(path, watchOf(shell, words));
    if (found === null) throw new ZooKeeperError(ErrorCode.NONODE, path);
    shell.stat(found);
  },
};

const LS_HELP = `usage: ls [options] path
 -?   help
 -R   recurse
 -s   stat
 -w   watch`;

const ls: CliVerb = {
  usage: '[-s] [-w] [-R] path',
  options: { '?': false, s: false, w: false, R: false },
  minArgs: 1,
  maxArgs: 2,
  run: async (shell, words) => {
    if (words.options.has('?')) shell.line(LS_HELP);
    noteDeprecated(shell, words, 'ls', '[-w]');
    const client = await shell.ready();
    const path = checkJavaPath(argOf(words, 0));
    if (words.options.has('R')) {
      for await (const visit of walkTree(client, path)) {
        shell.line(visit.path);
        // Like Apache's shell, ends at the first unreadable znode.
        if (visit.error !== undefined) throw visit.error;
      }
      return;
    }
    const found = await client.getChildren(path, watchOf(shell, words));
    shell.line(`[${[...found.children].sort(compareNames).join(', ')}]`);
    if (words.options.has('s')) shell.stat(found.stat);
  },
};

const getAcl: CliVerb = {
  usage: '[-s] path',
  options: { s: false },
  minArgs: 1,
  run: async (shell, words) => {
    const client = await shell.ready();
    const { acl, stat: found } = await client.getACL(checkJavaPath(argOf(words, 0)));
    for (const { id, perms } of acl) {
      shell.line(`'${id.scheme},'${id.id}\n: ${formatPerms(perms)}`);
    }
    if (words.options.has('s')) shell.stat(found);
  },
};

const getAllChildrenNumber: CliVerb = {
  usage: 'path',
  options: {},
  minArgs: 1,
  run: async (shell, words) => {
    const client = await shell.ready();
    const path = checkJavaPath(argOf(words, 0));
    shell.line(String(await client.getAllChildrenNumber(path)));
  },
};

const getEphemerals: CliVerb = {
  usage: 'path',
  options: {},
  minArgs: 0,
  run: async (shell, { args }) => {
    const client = await shell.ready();
    const prefix = args[0] === undefined ? '/' : checkJavaPath(args[0]);
    const paths = await client.getEphemerals(prefix);
    shell.line(`[${[...paths].sort(compareNames).join(', ')}]`);
  },
};

const sync: CliVerb = {
  usage: 'path',
  options: {},
  minArgs: 1,
  run: async (shell, words) => {
    const client = await shell.ready();
    const path = checkJavaPath(argOf(words, 0));
    try {
      await client.sync(path);
      shell.line('Sync is OK');
    } catch (error) {
      if (!(error instanceof ZooKeeperError)) throw error;
      shell.line(`Sync has failed. rc=${error.number}`);
    }
  },
};

export const READ_VERBS: Readonly<Record<string, CliVerb>> = {
  get,
  stat,
  ls,
  getAcl,
  getAllChildrenNumber,
  getEphemerals,
  sync,
};
