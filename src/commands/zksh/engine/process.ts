import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
// It ends a child with SIGTERM, then with SIGKILL, also when zksh ends.
import { execa } from 'execa';
import { CommandError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { CommandContext } from './command.js';

export interface ChildOptions {
  /** Program and arguments, run without a shell. */
  readonly words: readonly string[];
  /** Added to the environment of zksh. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends the child with SIGTERM, and with SIGKILL after `graceMs`. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
}

/**
 * Runs a program to its end. In a script it inherits the streams of zksh. At the prompt its input
 * is empty, and its output appears line by line.
 * @returns its exit status, or 128 plus the signal number
 * @throws CommandError if the program does not start
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
  throw new CommandError(
    `${file}: cannot run program: ${result.shortMessage ?? 'it did not start'}`,
    {
      code: 'NOCOMMAND',
      exitCode: ExitCode.unknownCommand,
      hint: 'pass a path, or the name of a program in PATH',
    },
  );
}

async function showLines(context: CommandContext, stream: Readable | null): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({ input: stream })) {
    await context.emit({ kind: 'message', text: line, fields: { output: line } });
  }
}
