import { CommandError, errorOf, usageError } from '../../../program/command-error.js';
import { partialError } from '../../../znodes/walk.js';
import { isChanging } from '../../changes/run-command.js';
import { expandAliases } from '../../engine/aliases.js';
import type { CommandContext } from '../../engine/command.js';
import { innerWords } from '../../engine/inner-words.js';
import { parseArguments } from '../../engine/parse-arguments.js';
import { commandOf, findCall } from '../../engine/subcommands.js';
import { parseLine, type Statement, type Token } from '../../language/parse-line.js';
import { quoteWord } from '../../language/quote-word.js';
import { confirmMany } from '../../paths/confirm-many.js';

export interface ExecFlags {
  readonly yes: boolean;
  readonly 'dry-run': boolean;
  readonly 'keep-going': boolean;
}

export function checkExec(line: string, token: Token | undefined): void {
  const { statements, fault } = parseLine(line);
  if (fault !== undefined)
    throw usageError(`--exec: ${fault.message}: "${line}"`, token, fault.hint);
  if (statements.length === 0) throw usageError('--exec: missing command', token);
}

/** Runs reading commands at once. Collects the paths for changing commands, and runs them last. */
export class Exec {
  readonly #context: CommandContext;
  readonly #line: string;
  readonly #flags: ExecFlags;
  readonly #isChange: Promise<boolean>;
  readonly #waiting: string[] = [];
  readonly #failures: { readonly path: string; readonly error: unknown }[] = [];
  #count = 0;

  constructor(context: CommandContext, line: string, flags: ExecFlags) {
    this.#context = context;
    this.#line = line;
    this.#flags = flags;
    this.#isChange = isChangingLine(context, line);
  }

  async found(path: string): Promise<void> {
    this.#count++;
    if (this.#flags['dry-run']) {
      const line = lineFor(this.#line, path);
      await this.#context.emit({ kind: 'message', text: line, fields: { path, line } });
    } else if (await this.#isChange) this.#waiting.push(path);
    else await this.#run(path);
  }

  /** @throws CommandError UNCONFIRMED, REFUSED; PARTIAL for failures with --keep-going */
  async finish(): Promise<void> {
    const { signal, session } = this.#context;
    const paths = this.#waiting;
    if (paths.length > 0 && !this.#flags.yes && !session.isDryRun) {
      const verb = `Run "${this.#line}" for`;
      const listing = '--dry-run';
      await confirmMany(this.#context, { verb, paths, command: 'find', listing });
    }
    for (const path of paths) {
      if (signal.aborted) return;
      await this.#run(path);
    }
    if (this.#failures.length === 0) return;
    const what = `--exec: failed for ${this.#failures.length} of ${this.#count} znodes`;
    throw partialError(what, this.#failures);
  }

  async #run(path: string): Promise<void> {
    try {
      for await (const outcome of this.#context.runLine(lineFor(this.#line, path))) {
        if (outcome.kind === 'error') throw errorOf(withPath(outcome.error, path));
        await this.#context.emit(outcome.result);
      }
    } catch (error) {
      const isOver = this.#context.signal.aborted || !(error instanceof CommandError);
      if (isOver || !this.#flags['keep-going']) throw error;
      this.#failures.push({ path, error });
    }
  }
}

type Report = Parameters<typeof errorOf>[0];

/** Drops the place, which points into a generated line. */
function withPath({ place: _, ...report }: Report, path: string): Report {
  const isNamed = report.sentence.includes(path);
  return { ...report, path, sentence: isNamed ? report.sentence : `${path}: ${report.sentence}` };
}

function lineFor(line: string, path: string): string {
  return line.replaceAll('{}', () => quoteWord(path));
}

/** True for a line that cannot be parsed yet. */
async function isChangingLine(context: CommandContext, line: string): Promise<boolean> {
  const { statements } = parseLine(lineFor(line, '/x'));
  for (const statement of expandAliases(statements, context.session.aliases)) {
    if (await isChangingStatement(context, statement)) return true;
  }
  return false;
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
