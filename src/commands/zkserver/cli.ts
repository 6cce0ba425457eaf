import {
  type Program,
  type ProgramCommand,
  runProgram,
  withShortHint,
} from '../machine/program.js';
/** The command line of zkserver, and the one place that turns an error into an exit status. */

import type { OptionSpecs } from '../machine/declaration.js';
import { CommandError, errorLines } from '../program/command-error.js';
import { EXIT_STATUSES, ExitCode } from '../program/exit-status.js';
import { ensemble } from './ensemble.js';
import { init } from './init.js';
import { printCommand } from './print-cmd.js';
import { load, setAside } from './replace.js';
import { restart } from './restart.js';
import { withEnvironment } from './script-environment.js';
import { start } from './start.js';
import { startForeground } from './start-foreground.js';
import { status } from './status.js';
import { stop } from './stop.js';
import { printResult, type ServerVerb, TARGET_ARGS, type VerbIo } from './verb.js';
import { version } from './version.js';

export const SERVER_VERBS: readonly ServerVerb[] = [
  startForeground,
  start,
  stop,
  restart,
  status,
  printCommand,
  init,
  load,
  setAside,
  ensemble,
  version,
];

export const ZKSERVER = {
  name: 'zkserver',
  summary: 'Run, stop, and inspect a ZooKeeper server',
  examples: [
    'zkserver start-foreground 2181 /var/lib/zookeeper',
    'zkserver start zoo.cfg -D zookeeper.snapCount=10000',
  ],
  exitStatus: EXIT_STATUSES.zkserver,
} as const;

export const PROPERTY = {
  property: {
    letter: 'D',
    kind: 'text',
    valueName: 'NAME=VALUE',
    isRepeatable: true,
    read: readProperty,
    summary: "set a system property of Apache's server, such as zookeeper.snapCount; repeatable",
  },
} as const satisfies OptionSpecs;

/** Resolves to the exit status; never rejects. */
export async function runZkserver(words: readonly string[], io: VerbIo): Promise<number> {
  const [first, folder, ...rest] = words;
  // As for zkServer.sh, it stands before the verb.
  if (first === '--config' && folder !== undefined) {
    return runVerb(rest, { ...io, env: { ...io.env, ZOOCFGDIR: folder } });
  }
  return runVerb(words, io);
}

async function runVerb(words: readonly string[], io: VerbIo): Promise<number> {
  const program: Program = {
    ...ZKSERVER,
    entries: SERVER_VERBS.map((verb) => ({ ...verb, load: async () => commandOf(verb, io) })),
  };
  try {
    if (words[0] === '__complete') {
      io.writeOut(await complete(program, words.slice(1)));
      return ExitCode.ok;
    }
    const writeError = (text: string) => io.writeError(text.trimEnd());
    return await runProgram(program, words, { writeOut: io.writeOut, writeError });
  } catch (error) {
    return report(error, io);
  }
}

function commandOf(verb: ServerVerb, io: VerbIo): ProgramCommand {
  const { name, summary, args, options, run } = verb;
  return {
    ...{ name, summary, args, examples: [] },
    options: { ...options, ...PROPERTY },
    run: async ({ options: given, args: operands }) => {
      const { property, ...rest } = given;
      const properties = Object.fromEntries(property as ReturnType<typeof readProperty>[]);
      const call = {
        operands: Object.values(operands).filter((value) => typeof value === 'string'),
        properties,
        ownProperties: properties,
        options: rest,
      };
      const result = await run(args === TARGET_ARGS ? withEnvironment(call, io) : call, io);
      await printResult(result, io);
      return ExitCode.ok;
    },
  };
}

async function complete(program: Program, words: readonly string[]): Promise<string> {
  const { completeServerValue } = await import('./complete-value.js');
  const { answerCompletion } = await import('../machine/completion-answer.js');
  const { completeProgram } = await import('../machine/complete.js');
  return answerCompletion(words, (before, word) =>
    completeProgram(program, before, word, completeServerValue),
  );
}

/** As with Java, a name alone means "". */
function readProperty(text: string): readonly [name: string, value: string] {
  const [, name, value = ''] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new RangeError('expected name=value');
  return [name, value];
}

function report(error: unknown, io: VerbIo): number {
  if (error instanceof CommandError) {
    const lines = errorLines('zkserver', withShortHint('zkserver', error));
    for (const line of lines) io.writeError(line);
    return error.exitCode;
  }
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    io.writeError(`zkserver: ${error.message}`);
    return error.exitCode;
  }
  io.writeError(`zkserver: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return ExitCode.failed;
}
