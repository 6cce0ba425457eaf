import { promises as files } from 'node:fs';
import { CommandError, errorLines, errorOf } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { loadRenderer } from '../results/render.js';
import { isAsciiLocale } from '../terminal/ascii-drawing.js';
import { canDraw } from '../terminal/ops-terminal.js';
import { closeOutput, Output } from '../terminal/output.js';
import { commandScript } from './argv-command.js';
import { plainReport } from './engine/error-report.js';
import { runScript } from './run-script.js';
import { decodeScript, type ScriptItem, streamedScript, wholeScript } from './script-source.js';
import type { ShellOptions } from './session/shell-options.js';
import { type SessionOptions, ShellSession } from './session/shell-session.js';
import { sessionOptions } from './session-options.js';
import { parseZkshOptions, type ZkshOptions } from './zksh-options.js';

/** Parts from folders that commands may not import. */
export interface ZkshParts {
  startShell(options: ShellOptions): Promise<number>;
}

/** Returns the exit status, after closing the session and the embedded server. */
export async function runZksh(argv: readonly string[], parts: ZkshParts): Promise<number> {
  if (argv[0] === '--zkcli') return runAsZkCli(argv.slice(1), parts);
  if (argv[0] === '__complete') return printCandidates(argv.slice(1));
  if (argv[0] === 'completion') return printCompletion(argv.slice(1));
  let options: ZkshOptions;
  try {
    options = parseZkshOptions(argv, process.env);
  } catch (error) {
    return printError(error, HELP_HINT);
  }
  if (options.task === 'help') {
    const { zkshHelp } = await import('./zksh-help.js');
    return print(zkshHelp());
  }
  if (options.task === 'version') {
    const { packageVersion } = await import('../program/package-version.js');
    return print(`zksh ${packageVersion()}\n`);
  }
  try {
    return await withServer(options, (target) => runOn(options, target, parts));
  } catch (error) {
    return printError(error);
  }
}

async function printCompletion(words: readonly string[]): Promise<number> {
  const { completionScript } = await import('../machine/completion-script.js');
  const { completionShell } = await import('../machine/completion-shells.js');
  try {
    return await print(completionScript('zksh', completionShell(words)));
  } catch (error) {
    return printError(
      error,
      'zksh completion bash; for a server of that name: zksh completion:2181',
    );
  }
}

async function printCandidates(args: readonly string[]): Promise<number> {
  const { answerCompletion } = await import('../machine/completion-answer.js');
  const { completeArgv } = await import('./complete-argv.js');
  return print(
    await answerCompletion(args, (before, word) => completeArgv(before, word, process.env)),
  );
}

async function runAsZkCli(argv: readonly string[], parts: ZkshParts): Promise<number> {
  const { runZkCliMode } = await import('./zkcli-mode.js');
  try {
    return await runZkCliMode(argv, onSignals, (target) =>
      parts.startShell({ session: { target }, format: 'text' }),
    );
  } catch (error) {
    return printError(error);
  }
}

/** @param run gets the connect string of the embedded server */
async function withServer(
  options: ZkshOptions,
  run: (target: string | undefined) => Promise<number>,
): Promise<number> {
  if (!options.isEmbedded) return run(undefined);
  const { startServer } = await import('../../server/main.js');
  const { dataDir } = options;
  const server = await startServer(dataDir === undefined ? {} : { dataDir });
  try {
    return await run(server.connectString);
  } finally {
    await server.close();
  }
}

async function runOn(
  options: ZkshOptions,
  target: string | undefined,
  parts: ZkshParts,
): Promise<number> {
  const { format } = options;
  if (options.isPasswordTyped) {
    process.stderr.write(
      'zksh: --auth: other users can see this password in the list of processes; use --auth-file or ZKSH_AUTH\n',
    );
  }
  const settings = await sessionOptions(options, target, process.env);
  const { commands, words, file } = options;
  const isScript = commands.length > 0 || words.length > 0 || file !== undefined;
  // Node.js opens standard input at the first access. So look at it only if no script is given.
  const isTyped = !isScript && process.stdin.isTTY && process.stdout.isTTY;
  if (isTyped && canDraw(process.env)) {
    const greeting = options.isEmbedded ? { greeting: `the bundled server, on ${target}` } : {};
    const { isTracing } = options;
    return parts.startShell({ session: settings, format, isTracing, ...greeting });
  }
  const session = options.isTracing
    ? await tracedSession(settings, format)
    : new ShellSession(settings);
  if (isTyped) {
    const term = `TERM=${process.env['TERM']}`;
    process.stderr.write(`zksh: ${term} draws no prompt: type commands, and Ctrl-D to end\n`);
  }
  try {
    const isKeepGoing = options.isKeepGoing || isTyped;
    return await runAsScript({ ...options, isKeepGoing }, session);
  } finally {
    await session.close();
  }
}

/** Prints each request and answer on standard error, as JSON if errors are JSON. */
async function tracedSession(
  settings: SessionOptions,
  format: ZkshOptions['format'],
): Promise<ShellSession> {
  const { makeTraceSwitch, traceJson, traceLine, traceOption } = await import(
    './session/trace-switch.js'
  );
  const lineOf = format.endsWith('json') ? traceJson : traceLine;
  const tracer = makeTraceSwitch(true);
  tracer.tell = (event) => void process.stderr.write(`${lineOf(event)}\n`);
  const client = { ...settings.client, ...traceOption(tracer) };
  const session = new ShellSession({ ...settings, client });
  session.tracer = tracer;
  return session;
}

async function runAsScript(options: ZkshOptions, session: ShellSession): Promise<number> {
  const abort = new AbortController();
  const output = new Output(process.stdout);
  output.ended.addEventListener('abort', () => abort.abort());
  const isTerminal = process.stdout.isTTY === true;
  const isAscii = isAsciiLocale(process.env);
  const columns = () => process.stdout.columns;
  const how = { isTerminal, isAscii, columns };
  const renderer = await loadRenderer(options.format, how);
  const release = onSignals(abort);
  try {
    const { script, isStdinFree } = await openScript(options, abort.signal);
    const code = await runScript(
      {
        session,
        renderer,
        output,
        signal: abort.signal,
        isKeepGoing: options.isKeepGoing,
        printError: (text) => {
          if (!output.ended.aborted) process.stderr.write(text);
        },
        readInput: isStdinFree ? readStdin : undefined,
        progress: await openProgress(),
      },
      script,
    );
    const ended = abort.signal.aborted ? ExitCode.interrupted : code;
    return await closeOutput(output, 'zksh', ended, ExitCode.failed);
  } finally {
    release();
  }
}

/** Only a terminal shows progress, so other runs do not load the file. */
async function openProgress() {
  if (!process.stderr.isTTY || !canDraw(process.env)) return undefined;
  const { ProgressLine } = await import('../terminal/progress-line.js');
  return new ProgressLine(process.stderr, () => performance.now());
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal stops the script in order, the second one at once. */
function onSignals(abort: AbortController): () => void {
  const onSignal = () => {
    if (abort.signal.aborted) process.exit(ExitCode.interrupted);
    abort.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

interface OpenScript {
  readonly script: AsyncIterable<ScriptItem>;
  /** Whether values can come from standard input. */
  readonly isStdinFree: boolean;
}

async function openScript(options: ZkshOptions, signal: AbortSignal): Promise<OpenScript> {
  const { commands, words, file } = options;
  if (words.length > 0) return { script: commandScript(words), isStdinFree: true };
  if (commands.length > 0) {
    return { script: wholeScript(commands, undefined), isStdinFree: true };
  }
  if (file === undefined || file === '-') {
    return {
      script: streamedScript(untilAborted(process.stdin, signal), 'stdin'),
      isStdinFree: false,
    };
  }
  const text = decodeScript(await readScript(file), file);
  const script = typeof text === 'string' ? wholeScript([text], file) : one(text);
  return { script, isStdinFree: true };
}

async function readScript(file: string): Promise<Buffer> {
  try {
    return await files.readFile(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file}: cannot read script: ${reason}`, {
      code: 'NOFILE',
      exitCode: ExitCode.usage,
      cause: error,
    });
  }
}

async function* one(item: ScriptItem): AsyncGenerator<ScriptItem> {
  yield item;
}

/** Ends when the signal aborts, even if the writer of a pipe sends nothing. */
async function* untilAborted(
  stream: NodeJS.ReadStream,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const onAbort = () => stream.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function readStdin(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function print(text: string): Promise<number> {
  const output = new Output(process.stdout);
  await output.write(text);
  return closeOutput(output, 'zksh', ExitCode.ok, ExitCode.failed);
}

const HELP_HINT = 'zksh --help explains the options';

/** @param instead of a usage, which is longer than a screen, or of no hint */
function printError(error: unknown, instead?: string): Promise<number> {
  const report = plainReport(error);
  const isSuggestion = report.hint?.startsWith('did you mean ') === true;
  const hint = isSuggestion ? report.hint : (instead ?? report.hint);
  const lines = errorLines('zksh', errorOf({ ...report, ...(hint !== undefined && { hint }) }));
  return new Promise((resolve) => {
    process.stderr.write(lines.map((line) => `${line}\n`).join(''), () => resolve(report.exitCode));
  });
}
