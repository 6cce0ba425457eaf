/** The command line of zkserver, and the one place that turns an error into an exit status. */

import { CommandError, errorLines } from '../program/command-error.js';
import { type CallOption, CommandLine, type Program } from '../program/command-line.js';
import { EXIT_STATUSES, ExitCode } from '../program/exit-status.js';
import { packageVersion } from '../program/package-version.js';
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
import {
  type ServerVerb,
  TARGET_ARGS,
  type VerbArguments,
  type VerbIo,
  type VerbOptions,
} from './verb.js';
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

export const ZKSERVER: Program = {
  name: 'zkserver',
  summary: 'Run, stop, and inspect a ZooKeeper server',
  examples: [
    'zkserver start-foreground 2181 /var/lib/zookeeper',
    'zkserver start zoo.cfg -D zookeeper.snapCount=10000',
  ],
  exitStatus: EXIT_STATUSES.zkserver,
};

export const PROPERTY: CallOption = [
  '-D <name=value>',
  "set a system property of Apache's server, such as zookeeper.snapCount; repeatable",
  addProperty,
];

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
  const line = new CommandLine(ZKSERVER, packageVersion(), {
    writeOut: io.writeOut,
    writeError: (text) => io.writeError(text.trimEnd()),
  });
  for (const { name, summary, args, options, run } of SERVER_VERBS) {
    line.declare<VerbOptions & { readonly D?: VerbArguments['properties'] }>(name, {
      summary,
      args,
      options: [...options, PROPERTY],
      run: (operands, { D: properties = {}, ...rest }) => {
        const call = { operands, properties, ownProperties: properties, options: rest };
        return run(args === TARGET_ARGS ? withEnvironment(call, io) : call, io);
      },
    });
  }
  line.declareCompletion(io.writeOut);
  try {
    if (words[0] === '__complete') {
      const { completeServerValue } = await import('./complete-value.js');
      io.writeOut(await line.complete(words.slice(1), completeServerValue));
      return ExitCode.ok;
    }
    return await line.run(words);
  } catch (error) {
    return report(error, io);
  }
}

/** Adds to earlier properties. As with Java, a name alone means "". */
function addProperty(text: string, before: unknown): VerbArguments['properties'] {
  const [, name, value = ''] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new RangeError('expected name=value');
  return { ...(before as VerbArguments['properties'] | undefined), [name]: value };
}

function report(error: unknown, io: VerbIo): number {
  if (error instanceof CommandError) {
    for (const line of errorLines('zkserver', error)) io.writeError(line);
    return error.exitCode;
  }
  if (error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number') {
    io.writeError(`zkserver: ${error.message}`);
    return error.exitCode;
  }
  io.writeError(`zkserver: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  return ExitCode.failed;
}
