import { CommandError, type ErrorReport } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import type { Renderer } from '../results/render.js';
import type { Output } from '../terminal/output.js';
import type { ProgressLine } from '../terminal/progress-line.js';
import type { CommandContext, Outcome } from './engine/command.js';
import { createContext } from './running/command-context.js';
import { faultReport, runStatement } from './running/run-line.js';
import { lineOf, type ScriptItem, type ScriptText } from './script-source.js';
import type { ShellSession } from './session/shell-session.js';

export interface ScriptRun {
  readonly session: ShellSession;
  readonly renderer: Renderer;
  readonly output: Output;
  readonly signal: AbortSignal;
  /** Continues after an error. The exit status is that of the first error. */
  readonly isKeepGoing: boolean;
  printError(text: string): void;
  /** For the value `-`; undefined if the script itself comes from standard input. */
  readonly readInput: (() => Promise<Buffer>) | undefined;
  readonly progress?: ProgressLine | undefined;
}

/** Runs to the end, the first error, or `quit`. The caller closes the session. */
export async function runScript(
  run: ScriptRun,
  script: AsyncIterable<ScriptItem>,
): Promise<number> {
  const context = scriptContext(run);
  let exitCode: number = ExitCode.ok;
  items: for await (const item of script) {
    for await (const outcome of runItem(context, item)) {
      const ended = await handle(run, item, outcome);
      if (exitCode === ExitCode.ok) exitCode = ended.exitCode;
      if (ended.isOver) break items;
    }
  }
  await run.output.flush();
  if (run.session.transaction !== undefined && exitCode === ExitCode.ok) {
    run.printError(run.renderer.error(OPEN_TRANSACTION));
    return ExitCode.usage;
  }
  return exitCode;
}

async function handle(
  run: ScriptRun,
  { source }: ScriptItem,
  outcome: Outcome,
): Promise<{ readonly exitCode: number; readonly isOver: boolean }> {
  if (outcome.kind === 'error') {
    const { error } = outcome;
    await run.output.flush();
    printError(run, error, source);
    const isOver = !run.isKeepGoing || run.signal.aborted || isNoServerReachable(error);
    return { exitCode: error.exitCode, isOver };
  }
  const { result } = outcome;
  if (result.kind === 'exit') return { exitCode: ExitCode.ok, isOver: true };
  await run.output.write(run.renderer.result(result));
  const exitCode = result.kind === 'ran' ? result.exitCode : ExitCode.ok;
  return { exitCode, isOver: exitCode !== ExitCode.ok && !run.isKeepGoing };
}

const OPEN_TRANSACTION: ErrorReport = {
  code: 'TRANSACTION',
  exitCode: ExitCode.usage,
  sentence: 'script ended within a transaction, which was discarded',
  hint: 'add commit to send it',
};

/** Further commands would wait for the same unreachable servers. */
function isNoServerReachable(error: ErrorReport): boolean {
  return error.code === 'ECONNECT';
}

async function* runItem(context: CommandContext, item: ScriptItem): AsyncGenerator<Outcome> {
  if (item.kind === 'fault') {
    const { fault, source } = item;
    yield { kind: 'error', error: located(faultReport(fault), source, fault.start) };
    return;
  }
  for await (const outcome of runStatement(context, item.statement)) {
    if (outcome.kind === 'result') yield outcome;
    else yield { ...outcome, error: located(outcome.error, item.source, item.statement.start) };
  }
}

function located(error: ErrorReport, source: ScriptText, offset: number): ErrorReport {
  if (source.file === undefined) return error;
  return { ...error, location: { file: source.file, line: lineOf(source, offset) } };
}

function printError(run: ScriptRun, error: ErrorReport, source: ScriptText): void {
  run.progress?.clear();
  // Only a source text can have a caret.
  run.printError(run.renderer.error(error, source.text === '' ? undefined : source.text));
}

function scriptContext({
  session,
  renderer,
  output,
  signal,
  readInput,
  progress,
}: ScriptRun): CommandContext {
  return createContext({
    session,
    signal,
    isInteractive: false,
    emit: (result) => {
      progress?.clear();
      return output.write(renderer.result(result));
    },
    ...(progress === undefined ? {} : { progress: (state) => progress.show(state) }),
    notify: (result) => void output.write(renderer.result(result)),
    confirm: async () => true,
    ...(readInput === undefined || process.stdin.isTTY !== true ? {} : { askSecret }),
    child: {
      stdin: readInput === undefined ? 'ignore' : 'inherit',
      flush: () => output.flush(),
    },
    readInput: readInput ?? refuseInput,
  });
}

async function askSecret(question: string): Promise<string> {
  const { askHidden } = await import('../connecting/auth-sources.js');
  return askHidden(question);
}

async function refuseInput(): Promise<Buffer> {
  throw new CommandError('cannot read a value from standard input, because it is the script', {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: "pass the script with -c or -f; quote '-' to store a dash",
  });
}
