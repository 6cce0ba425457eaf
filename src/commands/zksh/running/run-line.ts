import type { ZooKeeperClient } from '../../../client/base/client.js';
import type { ParsedArguments } from '../../machine/declaration.js';
import { parseArguments } from '../../machine/parse-arguments.js';
import { commandOf } from '../../machine/subcommands.js';
import { CommandError, type ErrorReport } from '../../program/command-error.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Result } from '../../results/result.js';
import { isChanging, runCommand } from '../changes/run-command.js';
import { expandAliases } from '../engine/aliases.js';
import type { Command, CommandContext, Outcome, Verb } from '../engine/command.js';
import { deriveContext } from '../engine/derive-context.js';
import { plainReport, reportError } from '../engine/error-report.js';
import { findCall, requireCall } from '../engine/find-call.js';
import { hasSecret, holdsSecret } from '../engine/holds-secret.js';
import { isHistoryReference, resolveHistory } from '../language/history-reference.js';
import { type LineFault, parseLine, type Statement, type Token } from '../language/parse-line.js';
import { toOp } from '../paths/op-of.js';
import type { CommandChanges } from '../session/change-journal.js';

/**
 * Runs a line, statement by statement. The caller decides whether to continue after an error. A
 * line that does not parse runs nothing. The result `exit` asks the caller to end. Never throws.
 */
export async function* runLine(context: CommandContext, text: string): AsyncGenerator<Outcome> {
  if (isHistoryReference(text)) yield* runAgain(context, text);
  else yield* runTyped(context, text);
}

async function* runAgain(context: CommandContext, text: string): AsyncGenerator<Outcome> {
  let line: string;
  try {
    line = resolveHistory(text, context.session.lines);
  } catch (error) {
    yield { kind: 'error', error: plainReport(error) };
    return;
  }
  await context.emit({ kind: 'message', text: line, fields: { line } });
  for await (const outcome of runTyped(context, line)) {
    // Places refer to the line of the history, not to the typed text.
    if (outcome.kind === 'result') yield outcome;
    else yield { ...outcome, error: withoutPlace(outcome.error) };
  }
}

async function* runTyped(context: CommandContext, text: string): AsyncGenerator<Outcome> {
  const { statements, fault } = parseLine(text);
  if (fault !== undefined) {
    yield { kind: 'error', error: faultReport(fault) };
    return;
  }
  const { aliases } = context.session;
  const all = [...statements, ...expandAliases(statements, aliases)];
  if (!(await holdsSecret(all, context.commands))) context.session.remember(text);
  for (const statement of statements) yield* runStatement(context, statement);
}

/** With the aliases that earlier statements defined. */
export async function* runStatement(
  context: CommandContext,
  statement: Statement,
): AsyncGenerator<Outcome> {
  for (const one of expandAliases([statement], context.session.aliases)) {
    yield await runOne(context, one);
  }
}

/** Without aliases. */
export async function* runExpanded(
  context: CommandContext,
  statement: Statement,
): AsyncGenerator<Outcome> {
  yield await runOne(context, statement);
}

async function runOne(context: CommandContext, statement: Statement): Promise<Outcome> {
  const { pipe } = statement;
  if (pipe === undefined) return runUnpiped(context, statement);
  try {
    const { runPiped } = await import('../engine/run-piped.js');
    const call = await findCall(statement.tokens, context.commands);
    return await runPiped(context, { ...statement, pipe }, call?.command, (emit, signal) =>
      runUnpiped(deriveContext(context, { emit, signal, isPiped: true }), statement),
    );
  } catch (error) {
    return { kind: 'error', statement, error: await reportError(error, context, statement) };
  }
}

/** For a nested command, without aliases, which could recurse. */
export async function* runWords(
  context: CommandContext,
  tokens: readonly Token[],
  wrap?: (client: ZooKeeperClient) => ZooKeeperClient,
): AsyncGenerator<Outcome> {
  const statement = { tokens, start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 };
  const wrapped = wrap && deriveContext(context, { client: () => wrap(context.client) });
  yield await runOne(wrapped ?? context, statement);
}

async function runUnpiped(context: CommandContext, statement: Statement): Promise<Outcome> {
  const { journal, target } = context.session;
  if (journal === undefined) return runStatementIn(context, statement);
  const call = await findCall(statement.tokens, context.commands);
  const changes = journal.enter(titleOf(call?.command.name ?? '', statement), target);
  try {
    return await runStatementIn(context, statement, changes);
  } finally {
    journal.leave();
  }
}

/** Converts all exceptions to outcomes. */
async function runStatementIn(
  context: CommandContext,
  statement: Statement,
  changes?: CommandChanges,
): Promise<Outcome> {
  let called: Verb | undefined;
  try {
    const call = await requireCall(statement.tokens, context.commands);
    called = call.command;
    const command = commandOf(call, statement);
    const parsed = parseArguments(command, call.words, statement, context.session);
    command.check?.(parsed);
    if (context.session.isReadOnly && isChanging(command, parsed)) {
      throw readOnly(command, statement);
    }
    const { isProtected, isDryRun } = context.session;
    if (isProtected && !isDryRun && isChanging(command, parsed)) {
      await confirmChange(context, command, statement);
    }
    if (command.isLocal !== true) await untilAborted(context.session.ready(), context.signal);
    const work = queued(command, context, parsed) ?? runCommand(command, context, parsed, changes);
    const done = await (command.isGraceful === true ? work : untilAborted(work, context.signal));
    // A dry run has reported the changes; the result of the command would be false.
    const isReported = context.session.isDryRun && isChanging(command, parsed);
    const result: Result = isReported && done.kind !== 'exit' ? { kind: 'end' } : done;
    return { kind: 'result', statement, result };
  } catch (error) {
    const report = await reportError(error, context, statement);
    return { kind: 'error', statement, error: hasSecret(called) ? withoutPlace(report) : report };
  }
}

/** The name and first path of a command, without data and secrets. */
function titleOf(name: string, { tokens }: Statement): string {
  const path = tokens.find(({ text }) => text.startsWith('/'));
  return path === undefined ? name : `${name} ${path.text}`;
}

/** For a protected profile. */
async function confirmChange(
  context: CommandContext,
  { name }: Command,
  statement: Statement,
): Promise<void> {
  const { profile = 'this session' } = context.session;
  const question = `${profile} is protected: ${titleOf(name, statement)}?`;
  if (context.isInteractive && (await context.confirm(question))) return;
  throw new CommandError(`${name}: not allowed: ${profile} is protected`, {
    code: 'PROTECTED',
    exitCode: context.isInteractive ? ExitCode.failed : ExitCode.usage,
    place: statement.tokens[0],
    hint: 'start zksh with --allow-changes to make changes',
  });
}

function queued(
  command: Command,
  context: CommandContext,
  parsed: ParsedArguments,
): Promise<Result> | undefined {
  const { transaction } = context.session;
  if (transaction === undefined || command.name === 'commit') return undefined;
  if (command.toOp !== undefined && parsed.options['dry-run'] !== true) {
    return toOp(command, context, parsed).then((op) => {
      transaction.push(op);
      return { kind: 'done', done: 'queued', path: op.path };
    });
  }
  if (!isChanging(command, parsed)) return undefined;
  throw new CommandError(`${command.name}: not available in a transaction`, {
    code: 'TRANSACTION',
    exitCode: ExitCode.usage,
    hint: 'run commit to send the open transaction, or abort to discard it',
  });
}

/** The place would print the line, with a password. */
function withoutPlace({ place: _, ...report }: ErrorReport): ErrorReport {
  return report;
}

export function faultReport(fault: LineFault): ErrorReport {
  const report = {
    code: 'SYNTAX',
    exitCode: ExitCode.usage,
    sentence: fault.message,
    place: { start: fault.start, end: fault.end },
  };
  return fault.hint === undefined ? report : { ...report, hint: fault.hint };
}

function readOnly(command: Command, statement: Statement): CommandError {
  return new CommandError(`${command.name}: not allowed in a read-only shell`, {
    code: 'READONLY',
    place: statement.tokens[0],
    hint: 'start zksh without --readonly to make changes',
  });
}

/** Ctrl-C ends the wait. Requests that were sent are not canceled. */
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
  // The loser of the race may reject later; this prevents an unhandled rejection.
  aborted.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
