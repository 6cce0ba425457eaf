import type { ClientOptions } from '../../../src/client/base/client-options.js';
import type { ErrorReport } from '../../../src/commands/program/command-error.js';
import { loadRenderer, type OutputFormat } from '../../../src/commands/results/render.js';
import type { Result } from '../../../src/commands/results/result.js';
import { createContext } from '../../../src/commands/zksh/running/command-context.js';
import { runLine } from '../../../src/commands/zksh/running/run-line.js';
import {
  type SessionOptions,
  ShellSession,
} from '../../../src/commands/zksh/session/shell-session.js';
import { FakeClient } from '../peers/fake-client.js';

export interface ShellWorldOptions extends Partial<SessionOptions> {
  readonly format?: OutputFormat;
  readonly isTerminal?: boolean;
  readonly isInteractive?: boolean;
  readonly input?: Buffer;
  /** The answers of askSecret(). Without them, the shell has no terminal. */
  readonly secret?: string;
  /** The answers of confirm(). */
  readonly answer?: boolean;
  /** Whether a line may pipe its result to a program with `|`, as at the prompt. */
  readonly isPipeAllowed?: boolean;
}

export interface ShellWorld {
  readonly client: FakeClient;
  readonly session: ShellSession;
  readonly abort: AbortController;
  /** The questions asked so far. */
  readonly questions: string[];
  /** Text printed between lines by running watches. */
  readonly notified: Result[];
  /** The options of each client made so far. */
  readonly opened: ClientOptions[];
  /** Runs a line to its first error. Returns its output, with errors after results. */
  run(line: string): Promise<string>;
  /** The same, with the result. */
  runFully(line: string): Promise<Run>;
}

export interface Run {
  readonly text: string;
  readonly bytes: Buffer;
  readonly results: readonly Result[];
  readonly error: ErrorReport | undefined;
}

/** A shell over a fake client that holds `/a` with the data "hello". */
export function makeShellWorld(options: ShellWorldOptions = {}): ShellWorld {
  const client = new FakeClient();
  void client.create('/a', Buffer.from('hello'));
  client.calls.length = 0;
  const opened: ClientOptions[] = [];
  const questions: string[] = [];
  const notified: Result[] = [];
  const abort = new AbortController();
  const session = new ShellSession({
    target: 'fake:2181',
    createClient: async (clientOptions) => {
      opened.push(clientOptions);
      return opened.length === 1 ? client : new FakeClient();
    },
    ...options,
  });
  const askSecretOf = (secret: string) => async (question: string) => {
    questions.push(question);
    return secret;
  };
  const runFully = async (line: string): Promise<Run> => {
    const renderer = await loadRenderer(options.format ?? 'text', {
      isTerminal: options.isTerminal ?? false,
    });
    const pieces: Buffer[] = [];
    const results: Result[] = [];
    const show = (result: Result) => {
      results.push(result);
      pieces.push(Buffer.from(renderer.result(result)));
    };
    const context = createContext({
      session,
      signal: abort.signal,
      isInteractive: options.isInteractive ?? false,
      emit: show,
      notify: (result) => {
        notified.push(result);
        show(result);
      },
      confirm: async (question) => {
        questions.push(question);
        return options.answer ?? true;
      },
      ...(options.secret === undefined ? {} : { askSecret: askSecretOf(options.secret) }),
      readInput: async () => options.input ?? Buffer.alloc(0),
      ...(options.isPipeAllowed === true
        ? { renderForPipe: (result: Result) => renderer.result(result) }
        : {}),
    });
    let error: ErrorReport | undefined;
    for await (const outcome of runLine(context, line)) {
      if (outcome.kind === 'result') show(outcome.result);
      else {
        error = outcome.error;
        pieces.push(Buffer.from(renderer.error(error, line)));
        break;
      }
    }
    const bytes = Buffer.concat(pieces);
    return { text: bytes.toString(), bytes, results, error };
  };
  return {
    client,
    session,
    abort,
    questions,
    notified,
    opened,
    runFully,
    run: async (line) => (await runFully(line)).text,
  };
}
