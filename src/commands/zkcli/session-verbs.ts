import { readFile } from 'node:fs/promises';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import { packageVersion } from '../program/package-version.js';
import { clientAddresses } from '../znodes/client-addresses.js';
import { membersOf } from '../znodes/members-file.js';
import { cliFault } from './cli-fault.js';
import type { CliWords } from './cli-options.js';
import { checkJavaPath } from './java-path.js';
import { argOf, type CliVerb } from './verb.js';

const addauth: CliVerb = {
  usage: 'scheme auth',
  options: {},
  minArgs: 1,
  maxArgs: 2,
  run: async (shell, { args: [scheme = '', auth = ''] }) => {
    const client = await shell.ready();
    await client.addAuth(scheme, auth);
  },
};

const addWatch: CliVerb = {
  usage:
    '[-m mode] path # optional mode is one of [PERSISTENT, PERSISTENT_RECURSIVE] - default is PERSISTENT_RECURSIVE',
  options: { m: true },
  minArgs: 1,
  maxArgs: 1,
  run: async (shell, words) => {
    const mode = words.options.get('m')?.toUpperCase() ?? 'PERSISTENT_RECURSIVE';
    if (mode !== 'PERSISTENT' && mode !== 'PERSISTENT_RECURSIVE') {
      throw cliFault(`addWatch ${addWatch.usage}`);
    }
    const path = checkJavaPath(argOf(words, 0));
    const client = await shell.ready();
    await client.addWatch(path, AddWatchMode[mode], shell.onWatch);
  },
};

const WATCHER_TYPES: Readonly<Record<string, WatcherType>> = {
  c: WatcherType.Children,
  d: WatcherType.Data,
  p: WatcherType.Persistent,
  r: WatcherType.PersistentRecursive,
  a: WatcherType.Any,
};

const removewatches: CliVerb = {
  usage: 'path [-c|-d|-a] [-l]',
  options: { c: false, d: false, p: false, r: false, a: false, l: false },
  minArgs: 1,
  maxArgs: 1,
  run: async (shell, words) => {
    const letter = Object.keys(WATCHER_TYPES).find((name) => words.options.has(name)) ?? 'a';
    const path = checkJavaPath(argOf(words, 0));
    const client = await shell.ready();
    const isLocal = words.options.has('l');
    await client.removeWatches(path, WATCHER_TYPES[letter] ?? WatcherType.Any, isLocal);
  },
};

const config: CliVerb = {
  usage: '[-c] [-w] [-s]',
  options: { s: false, w: false, c: false },
  minArgs: 0,
  run: async (shell, { options }) => {
    const client = await shell.ready();
    const found = await client.getConfig(options.has('w') ? { watch: shell.onWatch } : {});
    const text = found.data?.toString() ?? 'null';
    if (options.has('c')) {
      const { version, servers } = clientAddresses(text);
      shell.line(`${version} ${servers.join(',')}`);
    } else shell.line(text);
    if (options.has('s')) shell.stat(found.stat);
  },
};

const reconfig: CliVerb = {
  usage:
    '[-s] [-v version] [[-file path] | [-members serverID=host:port1:port2;port3[,...]*]] | [-add serverId=host:port1:port2;port3[,...]]* [-remove serverId[,...]*]',
  options: { s: false, v: true, file: true, members: true, add: true, remove: true },
  minArgs: 0,
  run: async (shell, words) => {
    const change = await changeOf(words);
    const client = await shell.ready();
    const { data, stat } = await client.reconfig(change);
    shell.line(`Committed new configuration:\n${data?.toString() ?? ''}`);
    if (words.options.has('s')) shell.stat(stat);
  },
};

async function changeOf({ options }: CliWords) {
  const isWhole = options.has('file') || options.has('members');
  const isPart = options.has('add') || options.has('remove');
  if (!isWhole && !isPart) throw cliFault(`reconfig ${reconfig.usage}`);
  const version = options.get('v') ?? '-1';
  if (!/^-?[0-9a-fA-F]{1,16}$/.test(version)) {
    throw cliFault('-v must be followed by a long (configuration version)');
  }
  if (isWhole && isPart) {
    throw cliFault(
      "Can't use -file or -members together with -add or -remove (mixing incremental and non-incremental modes is not allowed)",
    );
  }
  if (options.has('file') && options.has('members')) {
    throw cliFault("Can't use -file and -members together (conflicting non-incremental modes)");
  }
  const file = options.get('file');
  const members = file === undefined ? options.get('members') : await readMembers(file);
  const [joining, leaving] = [options.get('add'), options.get('remove')];
  return {
    ...(joining === undefined ? {} : { joining: joining.toLowerCase() }),
    ...(leaving === undefined ? {} : { leaving: leaving.toLowerCase() }),
    ...(members === undefined ? {} : { members: members.toLowerCase() }),
    fromConfig: version === '-1' ? -1n : BigInt(`0x${version}`),
  };
}

async function readMembers(file: string): Promise<string> {
  try {
    return membersOf(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw cliFault(`Error processing ${file}${reason}`);
  }
}

const close: CliVerb = {
  usage: '',
  options: {},
  minArgs: 0,
  run: (shell) => shell.close(),
};

const version: CliVerb = {
  usage: '',
  options: {},
  minArgs: 0,
  maxArgs: 0,
  run: async (shell) => {
    shell.line(`ZooKeeper CLI version: zksh ${packageVersion()}, with the commands of 3.9.5`);
  },
};

const whoami: CliVerb = {
  usage: '',
  options: {},
  minArgs: 0,
  run: async (shell) => {
    const client = await shell.ready();
    const identities = await client.whoAmI();
    shell.line('Auth scheme: User');
    for (const { authScheme, user } of identities) shell.line(`${authScheme}: ${user}`);
  },
};

const connect: CliVerb = {
  usage: 'host:port',
  options: {},
  minArgs: 0,
  run: (shell, { args }) => shell.connect(args[0] ?? shell.host),
};

const quit: CliVerb = {
  usage: '',
  options: {},
  minArgs: 0,
  run: async (shell) => {
    if (!shell.isClosed) await shell.close();
    shell.isOver = true;
  },
};

const printwatches: CliVerb = {
  usage: 'on|off',
  options: {},
  minArgs: 0,
  run: async (shell, { args }) => {
    if (args[0] === undefined) {
      shell.line(`printwatches is ${shell.isPrintingWatches ? 'on' : 'off'}`);
    } else shell.isPrintingWatches = args[0] === 'on';
  },
};

const history: CliVerb = {
  usage: '',
  options: {},
  minArgs: 0,
  run: async (shell) => {
    const last = Math.max(0, shell.history.length - 1);
    for (let at = Math.max(0, last - 10); at <= last; at++) {
      shell.line(`${at} - ${shell.history[at] ?? 'null'}`);
    }
  },
};

/** A script handles `redo` itself. A single command has no history. */
const redo: CliVerb = {
  usage: 'cmdno',
  options: {},
  minArgs: 0,
  run: async (_, { args }) => {
    if (args[0] !== undefined) throw cliFault('Command index out of range');
  },
};

export const SESSION_VERBS: Readonly<Record<string, CliVerb>> = {
  addauth,
  addWatch,
  removewatches,
  config,
  reconfig,
  close,
  version,
  whoami,
  connect,
  quit,
  exit: quit,
  printwatches,
  history,
  redo,
};
