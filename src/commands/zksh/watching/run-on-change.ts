import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { formatZxid } from '../../../protocol/zxid.js';
import { CommandError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Change, ZnodeValue } from '../../results/change.js';
import type { Result } from '../../results/result.js';

export interface OnChangeOptions {
  /** Program and arguments, run without a shell. */
  readonly words: readonly string[];
  /** True inherits standard error, false shows it with the output. */
  readonly hasOwnErrors: boolean;
  readonly signal: AbortSignal;
  show(result: Result): Promise<void> | void;
}

export type Ran = Extract<Result, { kind: 'ran-on-change' }>;

/** Shows the output as it arrives. @throws CommandError if the program cannot be run */
export async function runOnChange(change: Change, options: OnChangeOptions): Promise<Ran> {
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
      throw cannotRun(program, code === 'ENOENT' ? 'program not found' : (shortMessage ?? ''));
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

/** Passes values as files, because they may be large or binary. */
async function environmentOf(change: Change, folder: string): Promise<Record<string, string>> {
  const { type, path, zxid, before, after } = change;
  return {
    ZKSH_EVENT: type,
    ZKSH_PATH: path,
    ...(zxid < 0n ? {} : { ZKSH_ZXID: formatZxid(zxid) }),
    ...(after ? { ZKSH_VERSION: String(after.stat.version) } : {}),
    ...(await fileOf('ZKSH_DATA_FILE', after, join(folder, 'data'))),
    ...(await fileOf('ZKSH_OLD_DATA_FILE', before, join(folder, 'old-data'))),
  };
}

/** No file for a missing or unknown znode; an empty file for a znode without data. */
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
  return new CommandError(`${program}: cannot run program: ${reason}`, {
    code: 'CANNOTRUN',
    exitCode: ExitCode.unknownCommand,
    hint: "to run a shell command, use -- sh -c 'LINE'",
  });
}
