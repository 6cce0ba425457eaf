// COMMAND | PROGRAM: sends the result of a command to a shell command.

import { constants } from 'node:os';
import { CommandError } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Result } from '../../results/result.js';
import type { Pipe, Statement } from '../language/parse-line.js';
import type { CommandContext, Outcome, Verb } from './command.js';

/**
 * Starts the program with the first output, so that earlier questions have the terminal. If the
 * program exits early, a command that only reads ends, too.
 * @param run runs the statement with these parts in its context
 * @throws CommandError if pipes are not allowed
 */
export async function runPiped(
  context: CommandContext,
  statement: Statement & { readonly pipe: Pipe },
  command: Verb | undefined,
  run: (emit: CommandContext['emit'], signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const { pipe } = statement;
  const render = context.renderForPipe;
  if (render === undefined) {
    // A script may contain data from elsewhere, which must never reach a shell.
    throw new CommandError('pipes are not available in scripts', {
      code: 'PIPE',
      exitCode: ExitCode.usage,
      place: { start: pipe.start, end: pipe.start + 1 },
      hint: "pipe outside of zksh instead: zksh -c '…' | program; quote a value that starts with |",
    });
  }
  const program = new Program(context, pipe.text);
  const signal =
    command?.isMutating === true ? context.signal : AbortSignal.any([context.signal, program.gone]);
  const write = (result: Result) => program.write(render(result));
  const outcome = await run(write, signal);
  if (outcome.kind === 'result') await write(outcome.result);
  const isCutShort = program.gone.aborted && !context.signal.aborted;
  if (outcome.kind === 'error' && !(isCutShort && outcome.error.code === 'INTERRUPTED')) {
    await program.abandon();
    return outcome;
  }
  const exitCode = await program.end();
  if (outcome.kind === 'result' && outcome.result.kind === 'exit') return outcome;
  const ran: Result = { kind: 'ran', command: [pipe.text], exitCode };
  return { kind: 'result', statement, result: exitCode === 0 ? { kind: 'end' } : ran };
}

interface Input {
  write(bytes: string | Buffer): Promise<void>;
  end(): void;
}

class Program {
  private readonly context: CommandContext;
  private readonly line: string;
  private readonly leaving = new AbortController();
  private input: Promise<Input> | undefined;
  private exitCode: Promise<number> = Promise.resolve(0);

  constructor(context: CommandContext, line: string) {
    this.context = context;
    this.line = line;
  }

  /** Aborts when the program stops reading. */
  get gone(): AbortSignal {
    return this.leaving.signal;
  }

  async write(bytes: string | Buffer): Promise<void> {
    if (bytes.length === 0) return;
    this.input ??= this.start();
    await (await this.input).write(bytes);
  }

  async end(): Promise<number> {
    this.input ??= this.start();
    (await this.input).end();
    return this.exitCode;
  }

  /** For a failed command. A program without input never starts. */
  async abandon(): Promise<void> {
    if (this.input !== undefined) await this.end();
  }

  private start(): Promise<Input> {
    return new Promise((resolve, reject) => {
      this.exitCode = new Promise((resolveCode) => {
        const use = async () => resolveCode(await this.run(resolve));
        this.lend(use).catch(reject);
      });
    });
  }

  private async lend(use: () => Promise<void>): Promise<void> {
    const { lendTerminal, child } = this.context;
    if (lendTerminal !== undefined) return lendTerminal(use);
    await child?.flush();
    return use();
  }

  private async run(begin: (input: Input) => void): Promise<number> {
    const { execa } = await import('execa');
    const running = execa('/bin/sh', ['-c', this.line], {
      stdio: ['pipe', 'inherit', 'inherit'],
      reject: false,
      buffer: false,
      cancelSignal: this.context.signal,
    });
    const { stdin } = running;
    const { signal } = this.leaving;
    const leave = () => this.leaving.abort();
    stdin.on('error', leave);
    const left = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    begin({
      write: async (bytes) => {
        if (signal.aborted || stdin.write(bytes)) return;
        await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), left]);
      },
      end: () => void stdin.end(),
    });
    const result = await running;
    leave();
    if (result.exitCode !== undefined) return result.exitCode;
    return 128 + (result.signal === undefined ? 0 : constants.signals[result.signal]);
  }
}
