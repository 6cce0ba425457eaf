import { ZooKeeperError } from '../../client/base/errors.js';
import { type ErrorName, errorName } from '../../protocol/error-code.js';
import type { CommandError } from '../program/command-error.js';
import { cliFault, isCliFault, javaFault } from './cli-fault.js';
import { readCliOptions } from './cli-options.js';
import type { ZkCliShell } from './shell.js';
import { splitLine } from './split-line.js';
import { CLI_VERBS, cliUsage, usageFault } from './verbs.js';

/** Apache's shell has special sentences for these errors. */
const SENTENCES: Partial<Record<ErrorName, string>> = {
  NONODE: 'Node does not exist: ',
  NOCHILDRENFOREPHEMERALS: 'Ephemerals cannot have children: ',
  NODEEXISTS: 'Node already exists: ',
  NOTEMPTY: 'Node not empty: ',
  NOTREADONLY: 'Not a read-only call: ',
  INVALIDACL: 'Acl is not valid : ',
  NOAUTH: 'Insufficient permission : ',
  BADARGUMENTS: 'Arguments are not valid : ',
  BADVERSION: 'version No is not valid : ',
  QUOTAEXCEEDED: 'Quota has exceeded : ',
};
const WHOLE_SENTENCES: Partial<Record<ErrorName, string>> = {
  RECONFIGINPROGRESS:
    'Another reconfiguration is in progress -- concurrent reconfigs not supported (yet)',
  NEWCONFIGNOQUORUM:
    'No quorum of new config is connected and up-to-date with the leader of last committed config - try invoking reconfiguration after new servers are connected and synced',
};

/** Only `quit` can end the shell. */
export async function runCliLine(shell: ZkCliShell, line: string): Promise<void> {
  if (line.trim() === '') return;
  await guarded(shell, async () => {
    shell.history.push(line);
    const words = splitLine(line);
    if (words[0] === 'redo') await redo(shell, words[1]);
    else await runCliWords(shell, words);
  });
}

async function redo(shell: ZkCliShell, word: string | undefined): Promise<void> {
  if (word === undefined) return;
  const at = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (Number.isNaN(at)) {
    throw javaFault('java.lang.NumberFormatException', [`For input string: "${word}"`]);
  }
  const line = shell.history[at];
  if (line === undefined || at >= shell.history.length - 1) {
    throw cliFault('Command index out of range');
  }
  const words = splitLine(line);
  if (words[0] === 'redo') throw cliFault('No redoing redos');
  shell.history[shell.history.length - 1] = line;
  await runCliWords(shell, words);
}

/** Prints an error, and sets the exit status from it. */
export async function runCliCommand(shell: ZkCliShell, words: readonly string[]): Promise<void> {
  await guarded(shell, () => runCliWords(shell, words));
}

async function guarded(shell: ZkCliShell, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    shell.exitCode = 0;
  } catch (error) {
    const fault = faultOf(error);
    shell.complain(fault.message);
    shell.exitCode = fault.exitCode;
  }
}

async function runCliWords(
  shell: ZkCliShell,
  [name = '', ...rest]: readonly string[],
): Promise<void> {
  const verb = CLI_VERBS.get(name);
  if (verb === undefined) {
    shell.complain(cliUsage());
    throw cliFault(`Command not found: Command not found ${name}`, 127);
  }
  if (shell.isClosed && name !== 'connect' && name !== 'quit' && name !== 'exit') {
    return shell.line('Not connected');
  }
  const words = readCliOptions(rest, verb.options);
  if (words.args.length < verb.minArgs) throw usageFault(name, verb);
  if (words.args.length > (verb.maxArgs ?? Number.POSITIVE_INFINITY)) {
    throw cliFault(
      `too many words for ${name}: nothing was done (quote a value of several words)\n${usageFault(name, verb).message}`,
    );
  }
  await verb.run(shell, words);
}

function faultOf(error: unknown): CommandError {
  if (isCliFault(error)) return error;
  if (!(error instanceof ZooKeeperError)) {
    return cliFault(error instanceof Error ? error.message : String(error));
  }
  const { path } = error;
  const code = errorName(error.number) ?? 'SYSTEMERROR';
  const sentence = SENTENCES[code];
  if (sentence !== undefined) return cliFault(`${sentence}${path ?? 'null'}`);
  return cliFault(WHOLE_SENTENCES[code] ?? messageOf(error));
}

/** As in KeeperException, an error of the configuration has no path. */
function messageOf(error: ZooKeeperError): string {
  return error.message.replace(/ for \/zookeeper\/config$/, '');
}
