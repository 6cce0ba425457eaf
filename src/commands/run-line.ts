import type { Command, CommandContext } from './command.js';
import { CommandError, type ErrorReport, ExitCode } from './command-error.js';
import { reportError } from './error-report.js';
import { parseArguments } from './parse-arguments.js';
import { type LineFault, parseLine, type Statement } from './parse-line.js';
import { findCommand, suggestCommand } from './registry.js';
import type { Result } from './result.js';

/** How one statement of a line ended. */
export type Outcome =
  | { readonly kind: 'result'; readonly statement: Statement; readonly result: Result }
  | { readonly kind: 'error'; readonly statement?: Statement; readonly error: ErrorReport };

/**
 * Runs a line as typed: parse, command, result, statement by statement. The caller decides what an
 * error means by going on or not; a line that does not parse runs nothing. An outcome `exit` asks
 * the caller to end. Never throws.
 */
export async function* runLine(context: CommandContext, text: string): AsyncGenerator<Outcome> {
  const { statements, fault } = parseLine(text);
  if (fault !== undefined) {
    yield { kind: 'error', error: faultReport(fault) };
    return;
  }
  for (const statement of statements) yield await runStatement(context, statement);
}

/** Runs one statement; everything thrown on the way becomes an error outcome. */
export async function runStatement(
  context: CommandContext,
  statement: Statement,
): Promise<Outcome> {
  let command: Command | undefined;
  try {
    command = await commandOf(statement);
    const parsed = parseArguments(command, statement.tokens.slice(1), statement, context.session);
    command.check?.(parsed);
    const isChanging = command.isMutating === true && command.isReading?.(parsed) !== true;
    if (isChanging && context.session.isReadOnly) throw readOnly(command, statement);
    if (command.isLocal !== true) await untilAborted(context.session.ready(), context.signal);
    const running = command.run(context, parsed);
    const result = await (command.isGraceful === true
      ? running
      : untilAborted(running, context.signal));
    return { kind: 'result', statement, result };
  } catch (error) {
    const report = await reportError(error, context, statement);
    return { kind: 'error', statement, error: hasSecret(command) ? withoutPlace(report) : report };
  }
}

function hasSecret(command: Command | undefined): boolean {
  return Object.values(command?.args ?? {}).some(({ kind }) => kind === 'secret');
}

/** Without a place nobody repeats the line, in which a password may stand. */
function withoutPlace({ place: _, ...report }: ErrorReport): ErrorReport {
  return report;
}

/** The report of a line that does not parse. */
export function faultReport(fault: LineFault): ErrorReport {
  const report = {
    code: 'SYNTAX',
    exitCode: ExitCode.usage,
    sentence: fault.message,
    place: { start: fault.start, end: fault.end },
  };
  return fault.hint === undefined ? report : { ...report, hint: fault.hint };
}

async function commandOf(statement: Statement): Promise<Command> {
  const [name] = statement.tokens;
  const word = name?.text ?? '';
  const command = await findCommand(word);
  if (command !== undefined) return command;
  const suggestion = suggestCommand(word);
  throw new CommandError(`unknown command "${word}"`, {
    code: 'UNKNOWNCOMMAND',
    exitCode: ExitCode.unknownCommand,
    place: name,
    hint: suggestion === undefined ? 'help lists the commands' : `did you mean ${suggestion}?`,
  });
}

function readOnly(command: Command, statement: Statement): CommandError {
  return new CommandError(`${command.name} is refused: this shell is read-only`, {
    code: 'READONLY',
    place: statement.tokens[0],
    hint: 'start zksh without --readonly to change anything',
  });
}

/** Lets Ctrl-C end the wait; what was sent stays sent. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () =>
      reject(
        new CommandError('interrupted', { code: 'INTERRUPTED', exitCode: ExitCode.interrupted }),
      );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  // Whichever loses may still reject later, with nobody left to hear it.
  aborted.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
