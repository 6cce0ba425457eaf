/**
 * zkserver's command line: the verbs, their help, and one place where a fault becomes an exit code.
 */
import { suggestWord } from '../program/suggest-word.js';
import { ensemble } from './ensemble.js';
import { init } from './init.js';
import { parseVerbArguments } from './parse-verb-arguments.js';
import { restart } from './restart.js';
import { start } from './start.js';
import { startForeground } from './start-foreground.js';
import { status } from './status.js';
import { stop } from './stop.js';
import { Exit, type ServerVerb, usageError, VerbError, type VerbIo } from './verb.js';
import { version } from './version.js';

export const SERVER_VERBS: readonly ServerVerb[] = [
  startForeground,
  start,
  stop,
  restart,
  status,
  init,
  ensemble,
  version,
];

/** Runs one verb; resolves to the exit code and never rejects. */
export async function runZkserver(words: readonly string[], io: VerbIo): Promise<number> {
  const [name, ...rest] = words;
  try {
    if (name === undefined) throw usageError('expected a verb');
    if (isHelp(name) || rest.some(isHelp)) {
      io.writeOut(helpText());
      return Exit.OK;
    }
    const verb = verbOf(name === '-V' || name === '--version' ? 'version' : name);
    return await verb.run(parseVerbArguments(verb, rest), io);
  } catch (error) {
    return report(error, io);
  }
}

function isHelp(word: string): boolean {
  return word === '-h' || word === '--help' || word === 'help';
}

function verbOf(name: string): ServerVerb {
  const verb = SERVER_VERBS.find((candidate) => candidate.name === name);
  if (verb !== undefined) return verb;
  const names = SERVER_VERBS.map((candidate) => candidate.name);
  const similar = suggestWord(name, names);
  const hint = similar === undefined ? '' : `, did you mean ${similar}?`;
  throw usageError(`there is no verb "${name}"${hint}`);
}

function helpText(): string {
  const verbs = SERVER_VERBS.map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`);
  return `zkserver: a ZooKeeper server

Usage: zkserver VERB …

${verbs.join('')}
A -D name is a system property of Apache's server, such as zookeeper.snapCount. zkserver(8) and
zoo.cfg(5) say the rest.
`;
}

function report(error: unknown, io: VerbIo): number {
  if (error instanceof VerbError) {
    for (const line of error.lines) io.writeError(line);
    return error.exitCode;
  }
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    io.writeError(`zkserver: ${error.message}`);
    return error.exitCode;
  }
  io.writeError(`zkserver: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return Exit.FAILED;
}
