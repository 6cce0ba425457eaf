import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { execa } from 'execa';
import { CommandError, ExitCode } from '../../program/command-error.js';
import type { CommandContext } from './command.js';

export interface ChildOptions {
  /** Its name and arguments, as they are: no shell reads them. */
  readonly words: readonly string[];
  /** Besides zksh's own. */
  readonly env: Readonly<Record<string, string>>;
  /** Tells the child to end: SIGTERM, and SIGKILL to one that is still there `graceMs` later. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
}

/**
 * Runs a program to its end. In a script it has zksh's own input and output; at the prompt what it
 * writes is shown line by line, and its input is empty.
 * @returns its exit code, or that of a shell (128 and the number) for one that a signal ended
 * @throws CommandError when it cannot be started
 */
export async function runChild(context: CommandContext, options: ChildOptions): Promise<number> {
  const { words, env, signal, graceMs } = options;
  const [file = '', ...args] = words;
  const { child } = context;
  await child?.flush();
  const running = execa(file, args, {
    env,
    reject: false,
    buffer: false,
    cancelSignal: signal,
    forceKillAfterDelay: Math.max(1, Math.round(graceMs)),
    stdio: child === undefined ? ['ignore', 'pipe', 'pipe'] : [child.stdin, 'inherit', 'inherit'],
  });
  const shown = [running.stdout, running.stderr].map((stream) => showLines(context, stream));
  const result = await running;
  await Promise.all(shown);
  if (result.exitCode !== undefined) return result.exitCode;
  if (result.signal !== undefined) return 128 + constants.signals[result.signal];
  throw new CommandError(`cannot run ${file}: ${result.shortMessage ?? 'it did not start'}`, {
    code: 'NOCOMMAND',
    exitCode: ExitCode.unknownCommand,
    hint: 'a program is named as for a shell, by a path or found in PATH',
  });
}

async function showLines(context: CommandContext, stream: Readable | null): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream })) {
    await context.emit({ kind: 'message', text: line, fields: { output: line } });
  }
}
