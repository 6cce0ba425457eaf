// A znode whose name equals the typed text takes precedence over the pattern.

import {
  ConnectError,
  ZooKeeperError,
  type ZooKeeperErrorCode,
} from '../../../client/base/errors.js';
import { mapBounded } from '../../../client/znodes/pace.js';
import type { ArgumentSpec, ParsedArguments } from '../../machine/declaration.js';
import { CommandError, usageError } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { ExitCode } from '../../program/exit-status.js';
import type { Column, Result, Row } from '../../results/result.js';
import { expandPaths } from '../../znodes/expand-paths.js';
import { partialError } from '../../znodes/partial-error.js';
import { type PathPattern, parsePathGlob } from '../../znodes/path-glob.js';
import type { Command, CommandContext } from '../engine/command.js';
import { deriveContext } from '../engine/derive-context.js';
import type { Token } from '../language/parse-line.js';
import { confirmMany } from './confirm-many.js';

const IN_FLIGHT = 64;

interface GlobArgument {
  readonly name: string;
  readonly spec: ArgumentSpec;
  readonly token: Token;
}

/** Undefined without a pattern. */
export function globArgument(
  command: Command,
  { tokens }: ParsedArguments,
): GlobArgument | undefined {
  for (const [name, spec] of Object.entries(command.args)) {
    const token = tokens[name];
    if (spec.glob !== undefined && token?.pattern !== undefined) return { name, spec, token };
  }
  return undefined;
}

/**
 * @returns undefined if the word is not a pattern, or names a znode
 * @throws CommandError NOMATCH without matches, PARTIAL if the command failed on some
 */
export async function runOnPaths(
  context: CommandContext,
  command: Command,
  parsed: ParsedArguments,
  argument: GlobArgument,
): Promise<Result | undefined> {
  const { session, client, signal } = context;
  const patterns = parsePathGlob(argument.token.pattern ?? '', session.cwd);
  if (patterns === undefined) return undefined;
  if ((await client.exists(String(parsed.args[argument.name]))) !== null) return undefined;
  const isWholeTree = session.chroot === '';
  const { paths, unmatched, unread } = await expandPaths(client, patterns, { signal, isWholeTree });
  const [missing] = unmatched;
  if (missing !== undefined) throw noMatch(missing, argument.token);
  const callOf = (path: string): ParsedArguments => ({
    ...parsed,
    args: { ...parsed.args, [argument.name]: path },
  });
  for (const path of paths) command.check?.(callOf(path));
  const pattern = argument.token.text;
  const run =
    command.runMany?.(context, parsed, paths) ??
    new ManyRuns(context, command, parsed, { argument, pattern, paths, callOf }).run();
  const result = await run;
  if (unread.length === 0) return result;
  await context.emit(result);
  throw partialError('some znodes could not be read', unread);
}

function noMatch({ text, names }: PathPattern, place: Token): CommandError {
  const isPlain = names.every(({ kind }) => kind === 'name');
  return new CommandError(isPlain ? `Node does not exist: ${text}` : `no znode matches ${text}`, {
    code: isPlain ? 'NONODE' : 'NOMATCH',
    exitCode: ExitCode.noNode,
    path: text,
    place,
    hint: 'quote a name that contains a pattern character',
  });
}

export function refusePattern(command: Command, parsed: ParsedArguments, what: string): void {
  const argument = globArgument(command, parsed);
  if (argument === undefined) return;
  if (parsePathGlob(argument.token.pattern ?? '', '/') === undefined) return;
  throw usageError(`${command.name}: pattern is not available in ${what}`, argument.token, {
    hint: 'quote a name that contains a pattern character',
  });
}

interface Many {
  readonly argument: GlobArgument;
  readonly pattern: string;
  readonly paths: readonly string[];
  callOf(path: string): ParsedArguments;
}

class ManyRuns {
  private readonly context: CommandContext;
  private readonly command: Command;
  private readonly parsed: ParsedArguments;
  private readonly many: Many;
  private readonly isChange: boolean;
  /** Runs that succeeded. */
  private done = 0;
  private readonly failures: { readonly path: string; readonly error: unknown }[] = [];
  private readonly rows: Row[] = [];
  private columns: readonly Column[] | undefined;
  private shown = 0;
  private deleted: number | undefined;
  private input: Promise<Buffer> | undefined;

  constructor(context: CommandContext, command: Command, parsed: ParsedArguments, many: Many) {
    this.context = context;
    this.command = command;
    this.parsed = parsed;
    this.many = many;
    const isMutating = command.isMutating === true && command.isReading?.(parsed) !== true;
    this.isChange = isMutating && parsed.options['dry-run'] !== true;
  }

  async run(): Promise<Result> {
    const { paths, argument } = this.many;
    if (this.isChange) await this.confirm(this.parsed);
    if (argument.spec.glob === 'serial') await this.runSerially();
    else await this.runAtOnce();
    if (this.columns !== undefined) {
      await this.context.emit({ kind: 'rows', columns: this.columns, rows: this.rows });
    }
    this.throwFailures(paths.length);
    return this.isChange ? this.summary() : { kind: 'end' };
  }

  private async confirm({ options }: ParsedArguments): Promise<void> {
    if (options['yes'] === true || this.context.session.isDryRun) return;
    const { name } = this.command;
    const { paths } = this.many;
    const verb = name === 'delete' ? 'Delete' : 'Change';
    await confirmMany(this.context, { verb, command: name, paths });
  }

  private async runSerially(): Promise<void> {
    for (const path of this.many.paths) {
      if (this.context.signal.aborted) return;
      try {
        await this.show(path, await this.runOne(path, (result) => this.show(path, result)));
        this.done++;
      } catch (error) {
        this.note(path, error);
      }
    }
  }

  private async runAtOnce(): Promise<void> {
    const { paths, argument } = this.many;
    const ordered = argument.spec.glob === 'deepest-first' ? paths.toReversed() : paths;
    const runs = mapBounded(ordered, IN_FLIGHT, async (path) => {
      const results: Result[] = [];
      try {
        results.push(await this.runOne(path, (result) => void results.push(result)));
        return { results };
      } catch (error) {
        return { results, error };
      }
    });
    for await (const { item: path, value } of runs) {
      if (this.context.signal.aborted) return;
      for (const result of value.results) await this.show(path, result);
      if ('error' in value) this.note(path, value.error);
      else this.done++;
    }
  }

  private runOne(path: string, emit: CommandContext['emit']): Promise<Result> {
    const context = deriveContext(this.context, { emit, readInput: () => this.readInput() });
    return this.command.run(context, this.many.callOf(path));
  }

  /** All runs share one standard input. */
  private readInput(): Promise<Buffer> {
    this.input ??= this.context.readInput();
    return this.input;
  }

  private async show(path: string, result: Result): Promise<void> {
    if (result.kind === 'deleted') {
      this.deleted = (this.deleted ?? 0) + result.count;
    } else if (result.kind === 'rows' && result.columns.some(({ key }) => key === 'path')) {
      this.columns ??= result.columns;
      for (const row of result.rows) this.rows.push(row);
    } else if (needsHeading(result)) {
      await this.context.emit({ kind: 'of-path', path, isFirst: this.shown++ === 0, result });
    } else {
      await this.context.emit(result);
    }
  }

  private note(path: string, error: unknown): void {
    if (!isAboutOne(error)) throw error;
    const isGone = error instanceof ZooKeeperError && error.code === 'NONODE';
    // The znode was deleted after the expansion of the pattern.
    if (isGone && (!this.isChange || this.command.name === 'delete')) return;
    this.failures.push({ path, error });
  }

  /** @throws the error itself for one znode, CommandError PARTIAL for several */
  private throwFailures(count: number): void {
    const [first] = this.failures;
    if (first === undefined) return;
    if (count === 1) throw first.error;
    const { name } = this.command;
    throw partialError(
      `${name}: failed on ${this.failures.length} of ${count} znodes`,
      this.failures,
    );
  }

  private summary(): Result {
    const { pattern } = this.many;
    if (this.deleted !== undefined) {
      return {
        kind: 'deleted',
        path: pattern,
        count: this.deleted,
        isDryRun: false,
        isMatched: true,
      };
    }
    const { name } = this.command;
    return {
      kind: 'message',
      text: `Changed ${counted(this.done, 'znode')}`,
      fields: { done: name, pattern, count: this.done },
    };
  }
}

/** Whether text output needs a heading with the path. */
function needsHeading(result: Result): boolean {
  switch (result.kind) {
    case 'data':
      return result.view !== 'raw';
    case 'changed':
      return true;
    case 'message':
      return result.isNameless === true;
    case 'children':
    case 'stat':
    case 'acl':
    case 'count':
    case 'rows':
      return true;
    default:
      return false;
  }
}

/** These errors would repeat for every other znode. */
const OF_SESSION: ReadonlySet<ZooKeeperErrorCode> = new Set<ZooKeeperErrorCode>([
  'ECLOSED',
  'CONNECTIONLOSS',
  'OPERATIONTIMEOUT',
  'ETIMEDOUT',
  'SESSIONEXPIRED',
  'SESSIONMOVED',
  'AUTHFAILED',
  'NOTREADONLY',
]);

function isAboutOne(error: unknown): boolean {
  if (error instanceof ZooKeeperError) return !OF_SESSION.has(error.code);
  if (error instanceof ConnectError || !(error instanceof CommandError)) return false;
  return error.code === 'PARTIAL' || error.path !== undefined;
}
