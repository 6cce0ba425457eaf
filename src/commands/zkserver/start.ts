import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExitCode, SERVER_STATUS } from '../program/exit-status.js';
import { PidFile } from './pid-file.js';
import { rootWarning } from './sandbox.js';
import { ignoredSettings } from './script-environment.js';
import { SERVING_MESSAGE } from './start-foreground.js';
import { type Target, targetOf } from './target.js';
import { quotedError, type ServerVerb, said, TARGET_ARGS, type VerbIo, verbError } from './verb.js';

/** ZOO_LOG_DIR overrides the folder. */
const LOG_FILE = 'zkserver.out';

export const start: ServerVerb = {
  name: 'start',
  summary: 'Start the server in the background, and return when it serves',
  args: TARGET_ARGS,
  options: {},
  run: async (args, io) => {
    const target = targetOf(args);
    const warning = rootWarning(target);
    if (warning !== undefined) io.writeError(warning);
    for (const line of ignoredSettings(args, io.env)) io.writeError(line);
    const pidFile = new PidFile(target.dataDir, io.env);
    const running = pidFile.runningPid();
    if (running !== undefined) {
      throw verbError(ExitCode.failed, `already running as process ${running}`);
    }
    const logFile = openLog(logPathOf(target, io.env));
    const pid = await spawnServer(commandOf(args.operands, args.ownProperties), logFile, pidFile);
    return said(`STARTED as process ${pid}`);
  },
};

export function logPathOf({ dataDir }: Target, env: VerbIo['env']): string {
  return join(env['ZOO_LOG_DIR'] || dataDir, LOG_FILE);
}

/** After Node.js and its own options. */
export function commandOf(
  operands: readonly string[],
  properties: Readonly<Record<string, string>>,
): string[] {
  const flags = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
  return [process.argv[1] ?? '', 'start-foreground', ...flags, '--', ...operands];
}

interface LogFile {
  readonly path: string;
  readonly descriptor: number;
  readonly sizeBefore: number;
}

function openLog(path: string): LogFile {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const descriptor = openSync(path, 'a', 0o640);
    return { path, descriptor, sizeBefore: readFileSync(path).length };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw verbError(SERVER_STATUS.dataDir, `${path}: cannot write: ${why}`);
  }
}

/**
 * With a fixed threshold, as the unit sets it, glibc returns the memory of deleted znodes.
 * Otherwise it raises the threshold, and keeps the memory. Resolves to the process id when the
 * server serves; rejects with its output if it ends.
 */
async function spawnServer(
  command: readonly string[],
  log: LogFile,
  pidFile: PidFile,
): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...command], {
    detached: true,
    env: { MALLOC_MMAP_THRESHOLD_: '131072', ...process.env },
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
  });
  closeSync(log.descriptor);
  const pid = child.pid ?? 0;
  try {
    if (pid > 0) pidFile.write(pid);
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('message', (message) => {
        if (message === SERVING_MESSAGE) resolve();
      });
      child.once('exit', (code) => {
        const said = readFileSync(log.path).subarray(log.sizeBefore).toString().trimEnd();
        const status = code || ExitCode.failed;
        if (said === '') reject(verbError(status, `server ended; see ${log.path}`));
        else reject(quotedError(status, [said]));
      });
    });
  } catch (error) {
    child.kill();
    pidFile.remove();
    throw error;
  }
  if (child.connected) child.disconnect();
  child.unref();
  return pid;
}
