import type { Op, ZooKeeperClient } from '../../../client/base/client.js';
import type { ACL } from '../../../protocol/data.js';
import type { ErrorReport } from '../../program/command-error.js';
import type { Progress } from '../../terminal/progress-line.js';
import type { Statement, Token } from '../language/parse-line.js';
import type { Result } from '../results/result.js';
import type { ShellSession } from '../session/shell-session.js';

export interface ValueTypes {
  /** Absolute: relative paths start at the working path. */
  path: string;
  data: DataValue;
  /** Has at least one entry, and only known permissions. */
  acl: readonly ACL[];
  text: string;
  /** Between `min` and `max` of its declaration. */
  integer: number;
  /** In ms, between `min` and `max` of its declaration. */
  duration: number;
  target: string;
  file: string;
  /** A tree: a path, `zk://host:port/path`, or `@file` for a dump. */
  place: string;
  command: Token;
  /** A word of a nested command. Options after its first word belong to that command. */
  word: Token;
  /** Text that never appears in the history and in errors. */
  secret: string;
}
export type ValueKind = keyof ValueTypes;

/** The bytes as typed, or a source to read (`@file`, `-`). */
export type DataValue =
  | { readonly from: 'line'; readonly bytes: Buffer }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'stdin' };

interface ValueSpec {
  readonly summary: string;
  /** For kind `text`. */
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Completes ACL entries. */
  readonly isAclLike?: true;
}

/** A flag, or with a `kind` an option with a value. Its long form is `--` and its name. */
export interface OptionSpec extends ValueSpec {
  readonly letter?: string;
  readonly kind?: ValueKind;
  /** In usage and help; by default the name of the option. */
  readonly valueName?: string;
  /** Its value is a list. */
  readonly isRepeatable?: boolean;
}

export interface ArgumentSpec extends ValueSpec {
  readonly kind: ValueKind;
  /** Accepts a pattern for a path; the order in which the command handles matches. */
  readonly glob?: GlobOrder;
  readonly isOptional?: boolean;
  /** Takes all remaining words; only for the last argument. */
  readonly isVariadic?: boolean;
  /** A program and its arguments, which runs without a shell. */
  readonly isProgram?: true;
  /** Must follow `--`, so that surplus words before it are still errors. */
  readonly isAfterDashes?: boolean;
}

/** serial: in turn, for long results. parallel: many at a time. deepest-first: children first. */
export type GlobOrder = 'serial' | 'parallel' | 'deepest-first';

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

export interface Example {
  readonly line: string;
  readonly summary: string;
}

/** The only source of help, man page, completion, and usage of a verb. */
export interface CommandDeclaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** One imperative line without a period: "List the children of a znode". */
  readonly summary: string;
  readonly description?: string;
  /** In the order of the usage line. */
  readonly options: OptionSpecs;
  readonly args: ArgumentSpecs;
  readonly examples: readonly Example[];
  /** A read-only shell refuses it before it sends anything. */
  readonly isMutating?: boolean;
  /** --dry-run needs no code of the command: a wrapped client prints the changes. */
  readonly hasGenericDryRun?: boolean;
  /** For surplus arguments, if the usage line is not enough. */
  readonly surplusHint?: string;
  /** Cleans up after the signal of the context aborts, so the shell waits for it. */
  readonly isGraceful?: boolean;
  /** Needs no server and opens no connection. */
  readonly isLocal?: boolean;
  readonly subcommands?: readonly Command[];
  readonly siblings?: readonly Command[];
}

export type CommandGroup = 'znode' | 'tree' | 'move' | 'acl' | 'session' | 'shell' | 'recipes';

export interface Command extends CommandDeclaration {
  readonly subcommands?: never;
  /** Rejects invalid combinations of values, before the shell connects. */
  check?(parsed: ParsedArguments): void;
  /** Whether this call of a mutating command only reads. */
  isReading?(parsed: ParsedArguments): boolean;
  run(context: CommandContext, parsed: ParsedArguments): Promise<Result>;
  /** Runs on all paths of a pattern. The default is `run` for each path. */
  runMany?(
    context: CommandContext,
    parsed: ParsedArguments,
    paths: readonly string[],
  ): Promise<Result>;
  /** The call as an operation of a transaction; undefined if that is impossible. */
  toOp?(context: CommandContext, parsed: ParsedArguments): Promise<Op>;
}

/** Commands under one name: `json get`, `json set`. */
export interface CommandFamily extends CommandDeclaration {
  readonly subcommands: readonly Command[];
}

export type Verb = Command | CommandFamily;

/** The erased form of {@link Parsed}. */
export interface ParsedArguments {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  /** By the name of the value, for errors that point at a word. */
  readonly tokens: Readonly<Record<string, Token>>;
}

type OptionValue<S> = S extends { kind: infer K extends ValueKind }
  ? S extends { isRepeatable: true }
    ? readonly ValueTypes[K][]
    : ValueTypes[K] | undefined
  : boolean;

type ArgumentValue<S> = S extends { kind: infer K extends ValueKind }
  ? S extends { isVariadic: true }
    ? readonly ValueTypes[K][]
    : S extends { isOptional: true }
      ? ValueTypes[K] | undefined
      : ValueTypes[K]
  : never;

export interface Parsed<O extends OptionSpecs, A extends ArgumentSpecs> {
  readonly options: { readonly [K in keyof O]: OptionValue<O[K]> };
  readonly args: { readonly [K in keyof A]: ArgumentValue<A[K]> };
  readonly tokens: Readonly<Partial<Record<keyof O | keyof A, Token>>>;
}

export function defineCommand<const O extends OptionSpecs, const A extends ArgumentSpecs>(
  command: CommandDeclaration & {
    readonly options: O;
    readonly args: A;
    check?(parsed: Parsed<O, A>): void;
    isReading?(parsed: Parsed<O, A>): boolean;
    run(context: CommandContext, parsed: Parsed<O, A>): Promise<Result>;
    runMany?(
      context: CommandContext,
      parsed: Parsed<O, A>,
      paths: readonly string[],
    ): Promise<Result>;
    toOp?(context: CommandContext, parsed: Parsed<O, A>): Promise<Op>;
  },
): Command {
  // parse-arguments.ts makes exactly the values of the declaration.
  return command as unknown as Command;
}

export interface CommandTable {
  all(): Promise<readonly Verb[]>;
  find(word: string): Promise<Verb | undefined>;
  suggest(word: string): string | undefined;
}

/** The environment of a running command, from the prompt or the script runner. */
export interface CommandContext {
  readonly session: ShellSession;
  /** Throws a CommandError NOTCONNECTED without a connection. */
  readonly client: ZooKeeperClient;
  readonly commands: CommandTable;
  /** Aborts at Ctrl-C. Long commands must check it. */
  readonly signal: AbortSignal;
  /** Whether a user can answer questions. */
  readonly isInteractive: boolean;
  /** Prints a part of a long result. Await it, because output may be slow. */
  emit(result: Result): Promise<void> | void;
  /** Reports an event that is independent of the running command, such as a watch event. */
  notify(result: Result): void;
  clearScreen?(): void;
  /** Shows the browser until the user leaves it; undefined without a screen. */
  browse?(path: string): Promise<void>;
  /** Asks a yes-or-no question. In scripts the answer is always yes. */
  confirm(question: string): Promise<boolean>;
  /** Asks for a secret, without echo and history; undefined without a terminal. */
  askSecret?(question: string): Promise<string>;
  /** The streams that a child process inherits; undefined at the prompt, which uses them. */
  readonly child?: {
    readonly stdin: 'inherit' | 'ignore';
    /** Flushes the output before the program prints. */
    flush(): Promise<void>;
  };
  /** Renders a result for the program of a pipe; undefined if pipes are not allowed. */
  renderForPipe?(result: Result): string | Buffer;
  /** Whether the client records its changes for `undo`. */
  readonly isRecorded?: boolean;
  readonly isPiped?: boolean;
  /** Lends the terminal to another program; undefined if zksh draws nothing. */
  lendTerminal?(use: () => Promise<void>): Promise<void>;
  /** Undefined clears the progress. */
  progress?(state: Progress | undefined): void;
  /** Runs a line as if it were typed. The caller shows the outcomes. */
  runLine(line: string): AsyncIterable<Outcome>;
  /** Runs a parsed statement, without aliases. */
  runStatement(statement: Statement): AsyncIterable<Outcome>;
  /** Runs the words of a command, optionally with a wrapped client. */
  runWords(
    words: readonly Token[],
    wrap?: (client: ZooKeeperClient) => ZooKeeperClient,
  ): AsyncIterable<Outcome>;
  /** Reads all of standard input, for the value `-`. Throws if it is not available. */
  readInput(): Promise<Buffer>;
}

export type Outcome =
  | { readonly kind: 'result'; readonly statement: Statement; readonly result: Result }
  | { readonly kind: 'error'; readonly statement?: Statement; readonly error: ErrorReport };

/** `create [-s] [-t TTL] path [data]`, or for a family `json get|set ...`. */
export function usageOf(command: CommandDeclaration): string {
  if (command.subcommands !== undefined) {
    return `${command.name} ${subcommandWords(command).join('|')} ...`;
  }
  const options = Object.entries(command.options).map(([name, spec]) => {
    const flag = spec.letter === undefined ? `--${name}` : `-${spec.letter}`;
    const value = spec.kind === undefined ? '' : ` ${valueNameOf(name, spec)}`;
    return `[${flag}${value}]`;
  });
  const args = Object.entries(command.args).map(([name, spec]) => {
    const plain = spec.isVariadic === true ? `${name}...` : name;
    const word = spec.isAfterDashes === true ? `-- ${plain}` : plain;
    return spec.isOptional === true ? `[${word}]` : word;
  });
  return [command.name, ...options, ...args].join(' ');
}

export function valueNameOf(name: string, spec: OptionSpec): string {
  return spec.valueName ?? name.toUpperCase();
}

export function subcommandWords({
  name,
  subcommands = [],
}: Pick<CommandDeclaration, 'name' | 'subcommands'>): readonly string[] {
  return subcommands.map((command) => command.name.slice(name.length + 1));
}
