import { suggestWord } from '../../program/suggest-word.js';
import type { Verb } from '../engine/command.js';
import { FOUR_LETTER_NAMES } from '../verbs/connection/four-letter-names.js';

interface Entry {
  readonly name: string;
  readonly aliases?: readonly string[];
  load(): Promise<Verb>;
}

const WORDS: readonly Entry[] = FOUR_LETTER_NAMES.map((name) => ({
  name,
  load: async () => (await import('../verbs/connection/four-letter-words.js')).fourLetterWord(name),
}));

/** In the order of help. Each file loads on first use, so `zksh -c 'get /a'` loads only one. */
const ENTRIES: readonly Entry[] = [
  { name: 'ls', load: async () => (await import('../verbs/znode/ls.js')).ls },
  {
    name: 'get',
    aliases: ['cat'],
    load: async () => (await import('../verbs/znode/get.js')).get,
  },
  {
    name: 'stat',
    aliases: ['exists'],
    load: async () => (await import('../verbs/znode/stat.js')).stat,
  },
  { name: 'create', load: async () => (await import('../verbs/znode/create.js')).create },
  { name: 'set', load: async () => (await import('../verbs/znode/set.js')).set },
  { name: 'touch', load: async () => (await import('../verbs/znode/touch.js')).touch },
  { name: 'json', load: async () => (await import('../verbs/json/json.js')).json },
  { name: 'edit', load: async () => (await import('../verbs/znode/edit.js')).edit },
  {
    name: 'delete',
    aliases: ['rm'],
    load: async () => (await import('../verbs/znode/delete.js')).deleteCommand,
  },
  { name: 'deleteall', load: async () => (await import('../verbs/znode/deleteall.js')).deleteall },
  { name: 'txn', load: async () => (await import('../verbs/transaction/txn.js')).txn },
  { name: 'begin', load: async () => (await import('../verbs/transaction/begin.js')).begin },
  { name: 'check', load: async () => (await import('../verbs/transaction/check.js')).check },
  { name: 'commit', load: async () => (await import('../verbs/transaction/commit.js')).commit },
  { name: 'abort', load: async () => (await import('../verbs/transaction/abort.js')).abort },
  { name: 'sync', load: async () => (await import('../verbs/znode/sync.js')).sync },
  {
    name: 'getEphemerals',
    load: async () => (await import('../verbs/znode/get-ephemerals.js')).getEphemerals,
  },
  {
    name: 'getAllChildrenNumber',
    load: async () =>
      (await import('../verbs/znode/get-all-children-number.js')).getAllChildrenNumber,
  },
  { name: 'addWatch', load: async () => (await import('../verbs/znode/add-watch.js')).addWatch },
  { name: 'watch', load: async () => (await import('../verbs/znode/watch.js')).watch },
  { name: 'wait', load: async () => (await import('../verbs/znode/wait.js')).wait },
  { name: 'browse', load: async () => (await import('../verbs/znode/browse.js')).browse },
  {
    name: 'removewatches',
    load: async () => (await import('../verbs/znode/removewatches.js')).removewatches,
  },
  { name: 'tree', load: async () => (await import('../verbs/tree/tree.js')).tree },
  { name: 'find', load: async () => (await import('../verbs/tree/find.js')).find },
  { name: 'grep', load: async () => (await import('../verbs/tree/grep.js')).grep },
  { name: 'du', load: async () => (await import('../verbs/tree/du.js')).du },
  { name: 'hot', load: async () => (await import('../verbs/tree/hot.js')).hot },
  { name: 'who', load: async () => (await import('../verbs/tree/who.js')).who },
  { name: 'cp', load: async () => (await import('../verbs/move/cp.js')).cp },
  { name: 'mv', load: async () => (await import('../verbs/move/mv.js')).mv },
  { name: 'diff', load: async () => (await import('../verbs/move/diff.js')).diff },
  { name: 'sync-tree', load: async () => (await import('../verbs/move/sync-tree.js')).syncTree },
  { name: 'dump', load: async () => (await import('../verbs/move/dump.js')).dump },
  { name: 'restore', load: async () => (await import('../verbs/move/restore.js')).restore },
  { name: 'getAcl', load: async () => (await import('../verbs/acl/get-acl.js')).getAcl },
  { name: 'setAcl', load: async () => (await import('../verbs/acl/set-acl.js')).setAcl },
  { name: 'acl', load: async () => (await import('../verbs/acl/acl.js')).acl },
  { name: 'digest', load: async () => (await import('../verbs/acl/digest.js')).digest },
  { name: 'addauth', load: async () => (await import('../verbs/acl/addauth.js')).addauth },
  { name: 'whoami', load: async () => (await import('../verbs/acl/whoami.js')).whoami },
  { name: 'setquota', load: async () => (await import('../verbs/quota/setquota.js')).setquota },
  { name: 'listquota', load: async () => (await import('../verbs/quota/listquota.js')).listquota },
  { name: 'delquota', load: async () => (await import('../verbs/quota/delquota.js')).delquota },
  { name: 'config', load: async () => (await import('../verbs/connection/config.js')).config },
  {
    name: 'reconfig',
    load: async () => (await import('../verbs/connection/reconfig.js')).reconfig,
  },
  { name: 'connect', load: async () => (await import('../verbs/connection/connect.js')).connect },
  { name: 'status', load: async () => (await import('../verbs/connection/status.js')).status },
  { name: 'ping', load: async () => (await import('../verbs/connection/ping.js')).ping },
  ...WORDS,
  { name: 'close', load: async () => (await import('../verbs/connection/close.js')).close },
  { name: 'cd', load: async () => (await import('../verbs/shell/cd.js')).cd },
  { name: 'pwd', load: async () => (await import('../verbs/shell/pwd.js')).pwd },
  { name: 'history', load: async () => (await import('../verbs/shell/history.js')).history },
  { name: 'alias', load: async () => (await import('../verbs/shell/alias.js')).alias },
  { name: 'unalias', load: async () => (await import('../verbs/shell/unalias.js')).unalias },
  { name: 'redo', load: async () => (await import('../verbs/shell/redo.js')).redo },
  { name: 'undo', load: async () => (await import('../verbs/transaction/undo.js')).undo },
  { name: 'time', load: async () => (await import('../verbs/shell/time.js')).time },
  { name: 'trace', load: async () => (await import('../verbs/shell/trace.js')).trace },
  { name: 'repeat', load: async () => (await import('../verbs/shell/repeat.js')).repeat },
  {
    name: 'printwatches',
    load: async () => (await import('../verbs/shell/printwatches.js')).printwatches,
  },
  { name: 'clear', load: async () => (await import('../verbs/shell/clear.js')).clear },
  { name: 'pager', load: async () => (await import('../verbs/shell/pager.js')).pager },
  { name: 'help', load: async () => (await import('../verbs/shell/help.js')).help },
  { name: 'version', load: async () => (await import('../verbs/shell/version.js')).version },
  {
    name: 'quit',
    aliases: ['exit'],
    load: async () => (await import('../verbs/shell/quit.js')).quit,
  },
  { name: 'lock', load: async () => (await import('../verbs/recipes/lock.js')).lock },
  { name: 'elect', load: async () => (await import('../verbs/recipes/elect.js')).elect },
  {
    name: 'semaphore',
    load: async () => (await import('../verbs/recipes/semaphore.js')).semaphore,
  },
  { name: 'barrier', load: async () => (await import('../verbs/recipes/barrier.js')).barrier },
  {
    name: 'double-barrier',
    load: async () => (await import('../verbs/recipes/double-barrier.js')).doubleBarrier,
  },
  { name: 'queue', load: async () => (await import('../verbs/recipes/queue.js')).queue },
  { name: 'group', load: async () => (await import('../verbs/recipes/group.js')).group },
  {
    name: '2pc',
    load: async () => (await import('../verbs/recipes/two-phase-commit.js')).twoPhaseCommit,
  },
];

const BY_WORD = new Map<string, Entry>(
  ENTRIES.flatMap((entry) => [entry.name, ...(entry.aliases ?? [])].map((word) => [word, entry])),
);

export const COMMAND_WORDS: readonly string[] = [...BY_WORD.keys()];

/** By name or alias, case-sensitive. */
export async function findCommand(word: string): Promise<Verb | undefined> {
  return BY_WORD.get(word)?.load();
}

export function allCommands(): Promise<readonly Verb[]> {
  return Promise.all(ENTRIES.map((entry) => entry.load()));
}

const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  '?': 'help',
  getacl: 'getAcl',
  info: 'stat',
  ls2: 'ls',
  mk: 'create',
  put: 'set',
  rmr: 'deleteall',
  setacl: 'setAcl',
};

/** By a name from another shell, or a typing error. */
export function suggestCommand(word: string): string | undefined {
  const lower = word.toLowerCase();
  return FOREIGN_WORDS[lower] ?? suggestWord(word, COMMAND_WORDS);
}
