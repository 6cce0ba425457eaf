import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { formatZxid } from '../../../protocol/zxid.js';
import { CommandError, ExitCode } from '../../program/command-error.js';
import type { Change, ZnodeValue } from '../results/change.js';
import type { Result } from '../results/result.js';

export interface RunOptions {
  /** The program and its arguments; no shell stands between. */
  readonly words: readonly string[];
  /** Its standard error goes where ours goes; otherwise it is shown with its output. */
  readonly hasOwnErrors: boolean;
  readonly signal: AbortSignal;
  show(result: Result): Promise<void> | void;
}

export type Ran = Extract<Result, { kind: 'ran-on-change' }>;

/**
 * Runs a program for a change, to its end. What it prints is shown as it comes.
 * @throws CommandError when there is no such program
 */
export async function runOnChange(change: Change, options: RunOptions): Promise<Ran> {
  const { words, signal } = options;
  const [program = '', ...args] = words;
  const folder = await mkdtemp(join(tmpdir(), 'zksh-watch-'));
  try {
    const running = execa(program, args, {
      env: await environmentOf(change, folder),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: options.hasOwnErrors ? 'inherit' : 'pipe',
      all: true,
      buffer: false,
      reject: false,
      cancelSignal: signal,
    });
    for await (const bytes of running.iterable({ from: 'all', binary: true })) {
      await options.show({ kind: 'output', data: Buffer.from(bytes) });
    }
    const { exitCode, signal: killedBy, code, shortMessage } = await running;
    if (exitCode === undefined && killedBy === undefined && !signal.aborted) {
      throw cannotRun(
        program,
        code === 'ENOENT' ? 'there is no such program' : (shortMessage ?? ''),
      );
    }
    return {
      kind: 'ran-on-change',
      command: words,
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(killedBy === undefined ? {} : { signal: killedBy }),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What the program learns of the change; values are files, as they may be any bytes of any size.
 */
async function environmentOf(change: Change, folder: string): Promise<Record<string, string>> {
  const { type, path, zxid, before, after } = change;
  return {
    ZK_EVENT: type,
    ZK_PATH: path,
    ...(zxid < 0n ? {} : { ZK_ZXID: formatZxid(zxid) }),
    ...(after ? { ZK_VERSION: String(after.stat.version) } : {}),
    ...(await fileOf('ZK_DATA_FILE', after, join(folder, 'data'))),
    ...(await fileOf('ZK_OLD_DATA_FILE', before, join(folder, 'old-data'))),
  };
}

/** None for a znode that is not there, or not known; an empty one for a znode without data. */
async function fileOf(
  name: string,
  value: ZnodeValue | null | undefined,
  file: string,
): Promise<Record<string, string>> {
  if (!value) return {};
  await writeFile(file, value.data ?? '', { mode: 0o600 });
  return { [name]: file };
}

function cannotRun(program: string, reason: string): CommandError {
  return new CommandError(`cannot run "${program}": ${reason}`, {
    code: 'CANNOTRUN',
    exitCode: ExitCode.unknownCommand,
    hint: "a line for a shell is run by: -- sh -c 'LINE'",
  });
}
