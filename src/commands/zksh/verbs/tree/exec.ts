// find --exec: the command is parsed once. A path then replaces {} in the parsed words, and is
// never parsed itself.

import { parseArguments } from '../../../machine/parse-arguments.js';
import { commandOf } from '../../../machine/subcommands.js';
import { CommandError, errorOf, usageError } from '../../../program/command-error.js';
import { partialError } from '../../../znodes/partial-error.js';
import { isChanging } from '../../changes/run-command.js';
import { expandAliases } from '../../engine/aliases.js';
import type { CommandContext, Outcome } from '../../engine/command.js';
import { findCall } from '../../engine/find-call.js';
import { innerWords } from '../../engine/inner-words.js';
import { parseLine, type Statement, type Token } from '../../language/parse-line.js';
import { confirmMany } from '../../paths/confirm-many.js';
import { fillLine, fillStatement } from './exec-words.js';

export interface ExecFlags {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
  readonly 'keep-going': boolean;
}

export function checkExec(line: string, token: Token | undefined): void {
  const { statements, fault } = parseLine(line);
  if (fault !== undefined)
    throw usageError(`--exec: ${fault.message}: "${line}"`, token, { hint: fault.hint });
  if (statements.length === 0) throw usageError('--exec: missing command', token);
}

/** Runs reading commands at once. Collects the paths for changing commands, and runs them last. */
export class Exec {
  private readonly context: CommandContext;
  private readonly line: string;
  private readonly statements: readonly Statement[];
  private readonly flags: ExecFlags;
  private readonly isChange: boolean;
  private readonly waiting: string[] = [];
  private readonly failures: { readonly path: string; readonly error: unknown }[] = [];
  private count = 0;

  private constructor(
    context: CommandContext,
    line: string,
    flags: ExecFlags,
    { statements, isChange }: Pick<Parsed, 'statements' | 'isChange'>,
  ) {
    this.context = context;
    this.line = line;
    this.flags = flags;
    this.statements = statements;
    this.isChange = isChange;
  }

  /** @throws CommandError USAGE if a path would be parsed where {} stands */
  static async of(context: CommandContext, line: string, flags: ExecFlags): Promise<Exec> {
    return new Exec(context, line, flags, await parse(context, line));
  }

  async found(path: string): Promise<void> {
    this.count++;
    if (this.flags['dry-run']) {
      const line = fillLine(this.line, this.statements, path);
      await this.context.emit({ kind: 'message', text: line, fields: { path, line } });
    } else if (this.isChange) this.waiting.push(path);
    else await this.run(path);
  }

  /** @throws CommandError UNCONFIRMED, REFUSED; PARTIAL for failures with --keep-going */
  async finish(): Promise<void> {
    const { signal, session } = this.context;
    const paths = this.waiting;
    if (paths.length > 0 && !this.flags.yes && !session.isDryRun) {
      const verb = `Run "${this.line}" for`;
      const listing = '--dry-run';
      await confirmMany(this.context, { verb, paths, command: 'find', listing });
    }
    for (const path of paths) {
      if (signal.aborted) return;
      await this.run(path);
    }
    if (this.failures.length === 0) return;
    const what = `--exec: failed for ${this.failures.length} of ${this.count} znodes`;
    throw partialError(what, this.failures);
  }

  private async run(path: string): Promise<void> {
    try {
      for await (const outcome of this.outcomes(path)) {
        if (outcome.kind === 'error') throw errorOf(withPath(outcome.error, path));
        await this.context.emit(outcome.result);
      }
    } catch (error) {
      const isOver = this.context.signal.aborted || !(error instanceof CommandError);
      if (isOver || !this.flags['keep-going']) throw error;
      this.failures.push({ path, error });
    }
  }

  private async *outcomes(path: string): AsyncGenerator<Outcome> {
    for (const statement of this.statements) {
      // An earlier statement may have defined an alias.
      for (const one of expandAliases([statement], this.context.session.aliases)) {
        const filled = await fillStatement(one, path, this.context.commands);
        yield* this.context.runStatement(filled);
      }
    }
  }
}

type Report = Parameters<typeof errorOf>[0];

/** Drops the place, which points into the command. */
function withPath({ place: _, ...report }: Report, path: string): Report {
  const isNamed = report.sentence.includes(path);
  return { ...report, path, sentence: isNamed ? report.sentence : `${path}: ${report.sentence}` };
}

interface Parsed {
  readonly statements: readonly Statement[];
  /** False if a command is unknown: nothing of it can run. */
  readonly isChange: boolean;
}

async function parse(context: CommandContext, line: string): Promise<Parsed> {
  const { statements } = parseLine(line);
  let isChange = false;
  for (const statement of expandAliases(statements, context.session.aliases)) {
    const filled = await fillStatement(statement, '/x', context.commands);
    isChange ||= await isChangingStatement(context, filled);
  }
  return { statements, isChange };
}

async function isChangingStatement(
  context: CommandContext,
  statement: Statement,
): Promise<boolean> {
  const call = await findCall(statement.tokens, context.commands);
  if (call === undefined) return false;
  const { words } = call;
  const inner = innerWords(call.command, words);
  if (inner.length > 0) return isChangingStatement(context, { ...statement, tokens: inner });
  try {
    const command = commandOf(call, statement);
    if (command.isMutating !== true) return false;
    return isChanging(command, parseArguments(command, words, statement, context.session));
  } catch {
    return true;
  }
}
