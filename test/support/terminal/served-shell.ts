import type { ErrorReport } from '../../../src/commands/program/command-error.js';
import { loadRenderer, type OutputFormat } from '../../../src/commands/results/render.js';
import type { Result } from '../../../src/commands/results/result.js';
import { createContext } from '../../../src/commands/zksh/running/command-context.js';
import { runLine } from '../../../src/commands/zksh/running/run-line.js';
import {
  type ClientKind,
  type SessionOptions,
  ShellSession,
} from '../../../src/commands/zksh/session/shell-session.js';

export interface ServedShell {
  readonly target: string;
  readonly session: ShellSession;
  /** Answers to the questions of commands, in order. By default, it declines. */
  readonly answers: boolean[];
  readonly questions: string[];
  /**
   * The output of a line that succeeds.
   * @throws Error with the report of one that fails
   */
  run(line: string, format?: OutputFormat): Promise<string>;
  /** The same as bytes. */
  bytes(line: string): Promise<Buffer>;
  /** The output up to the first error, and the error. */
  fully(line: string): Promise<{ readonly text: string; readonly error: ErrorReport | undefined }>;
  close(): Promise<void>;
}

export interface ServedOptions extends Partial<SessionOptions> {
  readonly isInteractive?: boolean;
  readonly signal?: AbortSignal;
  readonly input?: Buffer;
  /** Whether a line may pipe its result to a program with `|`, as at the prompt. */
  readonly isPipeAllowed?: boolean;
}

/** A shell over a real client, in this process. */
export function makeServedShell(
  target: string,
  clientKind: ClientKind = 'builtin',
  options: ServedOptions = {},
): ServedShell {
  const session = new ShellSession({ target, clientKind, ...options });
  const answers: boolean[] = [];
  const questions: string[] = [];
  const signal = options.signal ?? new AbortController().signal;
  const run = async (line: string, format: OutputFormat) => {
    const renderer = await loadRenderer(format, { isTerminal: false });
    const pieces: Buffer[] = [];
    const show = (result: Result) => void pieces.push(Buffer.from(renderer.result(result)));
    const context = createContext({
      session,
      signal,
      isInteractive: options.isInteractive ?? false,
      emit: show,
      notify: show,
      confirm: async (question) => {
        questions.push(question);
        return answers.shift() ?? false;
      },
      readInput: async () => options.input ?? Buffer.alloc(0),
      ...(options.isPipeAllowed === true
        ? { renderForPipe: (result: Result) => renderer.result(result) }
        : {}),
    });
    for await (const outcome of runLine(context, line)) {
      if (outcome.kind === 'error') return { bytes: Buffer.concat(pieces), error: outcome.error };
      show(outcome.result);
    }
    return { bytes: Buffer.concat(pieces), error: undefined };
  };
  const bytesOf = async (line: string, format: OutputFormat) => {
    const { bytes, error } = await run(line, format);
    if (error === undefined) return bytes;
    throw new Error(`${line}: ${error.sentence} (${error.code}, ${error.exitCode})`);
  };
  return {
    target,
    session,
    answers,
    questions,
    run: async (line, format = 'text') => (await bytesOf(line, format)).toString(),
    bytes: (line) => bytesOf(line, 'raw'),
    fully: async (line) => {
      const { bytes, error } = await run(line, 'text');
      return { text: bytes.toString(), error };
    },
    close: () => session.close(),
  };
}
