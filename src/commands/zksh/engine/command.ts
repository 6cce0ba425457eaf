import type { Op, ZooKeeperClient } from '../../../client/base/client.js';
import type { ACL } from '../../../protocol/data.js';
import type { ErrorReport } from '../../program/command-error.js';
import type { Progress } from '../../terminal/progress-line.js';
import type { Statement, Token } from '../language/parse-line.js';
import type { Result } from '../results/result.js';
import type { ShellSession } from '../session/shell-session.js';

/** The type of an argument's value, by the kind in its declaration. */
export interface ValueTypes {
  /** Absolute; relative paths are resolved against the working path. */
  path: string;
  data: DataValue;
  /** Validated: at least one entry and only known permissions. */
  acl: readonly ACL[];
  text: string;
  /** An integer between `min` and `max` of its declaration. */
  integer: number;
  /** In ms, between `min` and `max` of its declaration. */
  duration: number;
  /** A connect string. */
  target: string;
  /** The name of a local file. */
  file: string;
  /** A tree: a path, `zk://host:port/path`, or `@file` for a dump. */
  place: string;
  /** A word of a command's name. */
  command: Token;
  /** A word of a nested command; options after its first word belong to that command. */
  word: Token;
  /** Text that the history and error messages never contain. */
  secret: string;
}
export type ValueKind = keyof ValueTypes;

/** A value as typed: bytes, or a source to read (`@file`, `-`). */
export type DataValue =
  | { readonly from: 'line'; readonly bytes: Buffer }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'stdin' };

interface ValueSpec {
  readonly summary: string;
  /** The allowed words, for kind `text`. */
  readonly choices?: readonly string[];
  /** Other words for some choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly min?: number;
  readonly max?: number;
  /** For a text that starts like an ACL: completes ACL entries. */
  readonly isAclLike?: true;
}

/** A flag, or an option with a value when it has a `kind`. Its long form is `--` and its name. */
export interface OptionSpec extends ValueSpec {
  readonly letter?: string;
  readonly kind?: ValueKind;
  /** The name of the value in usage and help; default: the option's name. */
  readonly valueName?: string;
  /** The option may be repeated; its value is a list. */
  readonly isRepeatable?: boolean;
}

/** A positional argument, in the order of declaration. */
export interface ArgumentSpec extends ValueSpec {
  readonly kind: ValueKind;
  /** Accepts a pattern for a path; the order in which the command handles matches. */
  readonly glob?: GlobOrder;
  readonly isOptional?: boolean;
  /** Takes all remaining words; only for the last argument. */
  readonly isVariadic?: boolean;
  /** Must follow `--`, so that surplus words before it are still errors. */
  readonly isAfterDashes?: boolean;
}

/**
 * serial: one at a time, for long results; parallel: many at a time; deepest-first: many at a time,
 * children before parents.
 */
export type GlobOrder = 'serial' | 'parallel' | 'deepest-first';

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

export interface Example {
  readonly line: string;
  readonly summary: string;
}

/** The declaration of a verb: the only source of help, man page, completion, and usage. */
export interface CommandDeclaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** One imperative line without a period: "List the children of a znode". */
  readonly summary: string;
  /** Details in full sentences. */
  readonly description?: string;
  /** In the order of the usage line. */
  readonly options: OptionSpecs;
  readonly args: ArgumentSpecs;
  readonly examples: readonly Example[];
  /** Changes data: rejected in a read-only shell before anything is sent. */
  readonly isMutating?: boolean;
  /** The framework implements --dry-run: it prints the changes instead of sending them. */
  readonly hasGenericDryRun?: boolean;
  /** A hint for surplus arguments, if the usage line is not enough. */
  readonly surplusHint?: string;
  /** Cleans up after the context's signal is aborted, so the shell waits for it. */
  readonly isGraceful?: boolean;
  /** Needs no server and opens no connection. */
  readonly isLocal?: boolean;
  /** The subcommands of a family. */
  readonly subcommands?: readonly Command[];
  /** All subcommands of the same family. */
  readonly siblings?: readonly Command[];
}

export type CommandGroup = 'znode' | 'tree' | 'move' | 'acl' | 'session' | 'shell' | 'recipes';

/** A declaration with its implementation. */
export interface Command extends CommandDeclaration {
  readonly subcommands?: never;
  /** Rejects invalid combinations of values; runs before a connection is opened. */
  check?(parsed: ParsedArguments): void;
  /** Does this call of a mutating command only read? */
  isReading?(parsed: ParsedArguments): boolean;
  run(context: CommandContext, parsed: ParsedArguments): Promise<Result>;
  /** Runs on all paths that match a pattern; default: `run` for each path. */
  runMany?(
    context: CommandContext,
    parsed: ParsedArguments,
    paths: readonly string[],
  ): Promise<Result>;
  /** The call as an operation of a transaction; undefined if the command does not support it. */
  toOp?(context: CommandContext, parsed: ParsedArguments): Promise<Op>;
}

/** Commands under one name: `json get`, `json set`. */
export interface CommandFamily extends CommandDeclaration {
  readonly subcommands: readonly Command[];
}

/** A command or family, selected by the first word of a line. */
export type Verb = Command | CommandFamily;

/** The erased form of {@link Parsed}. */
export interface ParsedArguments {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  /** The words of the values, by name, for errors that point at a word. */
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

/** The values of one call, typed by the declaration. */
export interface Parsed<O extends OptionSpecs, A extends ArgumentSpecs> {
  readonly options: { readonly [K in keyof O]: OptionValue<O[K]> };
  readonly args: { readonly [K in keyof A]: ArgumentValue<A[K]> };
  readonly tokens: Readonly<Partial<Record<keyof O | keyof A, Token>>>;
}

/** Types `run` by the options and arguments declared beside it. */
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
  // parse-arguments.ts makes exactly the values that the declaration asks for.
  return command as unknown as Command;
}

/** Access to all commands. */
export interface CommandTable {
  all(): Promise<readonly Verb[]>;
  find(word: string): Promise<Verb | undefined>;
  /** Suggests a command for an unknown word. */
  suggest(word: string): string | undefined;
}

/** The environment of a running command, created by the prompt or the script runner. */
export interface CommandContext {
  readonly session: ShellSession;
  /** The connected client; throws a CommandError NOTCONNECTED without a connection. */
  readonly client: ZooKeeperClient;
  readonly commands: CommandTable;
  /** Aborted by Ctrl-C; long commands must check it. */
  readonly signal: AbortSignal;
  /** Is there a user who can answer prompts? */
  readonly isInteractive: boolean;
  /** Emits a part of a long result before the result itself. Await it: output may be slow. */
  emit(result: Result): Promise<void> | void;
  /** Reports an event independent of the running command, such as a watch event. */
  notify(result: Result): void;
  /** Undefined without a screen. */
  clearScreen?(): void;
  /** Shows the browser until the user leaves it; undefined without a screen. */
  browse?(path: string): Promise<void>;
  /** Asks a yes-or-no question; in scripts the answer is always yes. */
  confirm(question: string): Promise<boolean>;
  /** Prompts for a secret, without echo and history; undefined without a terminal. */
  askSecret?(question: string): Promise<string>;
  /** The streams that a child process inherits; undefined at the prompt, which uses them. */
  readonly child?: {
    readonly stdin: 'inherit' | 'ignore';
    /** Flushes the output before the program prints. */
    flush(): Promise<void>;
  };
  /**
   * Renders a result for the program of a pipe; undefined where pipes are not allowed.
   */
  renderForPipe?(result: Result): string | Buffer;
  /** Does the client record its changes for `undo`? */
  readonly isRecorded?: boolean;
  /** Does all output go to the program of a pipe? */
  readonly isPiped?: boolean;
  /** Lends the terminal to another program; undefined where zksh draws nothing. */
  lendTerminal?(use: () => Promise<void>): Promise<void>;
  /** Reports the progress of a long command; undefined clears it. */
  progress?(state: Progress | undefined): void;
  /** Runs a line as if it were typed; the caller shows the outcomes. */
  runLine(line: string): AsyncIterable<Outcome>;
  /** Runs the words of a command, optionally with a wrapped client. */
  runWords(
    words: readonly Token[],
    wrap?: (client: ZooKeeperClient) => ZooKeeperClient,
  ): AsyncIterable<Outcome>;
  /** Reads all of standard input, for the value `-`; throws if it is not available. */
  readInput(): Promise<Buffer>;
}

/** The outcome of one statement. */
export type Outcome =
  | { readonly kind: 'result'; readonly statement: Statement; readonly result: Result }
  | { readonly kind: 'error'; readonly statement?: Statement; readonly error: ErrorReport };

/** The synopsis: `create [-s] [-t TTL] path [data]`; of a family `json get|set ...`. */
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

/** The placeholder of an option's value in usage and help. */
export function valueNameOf(name: string, spec: OptionSpec): string {
  return spec.valueName ?? name.toUpperCase();
}

/** The subcommand names of a family. */
export function subcommandWords({
  name,
  subcommands = [],
}: Pick<CommandDeclaration, 'name' | 'subcommands'>): readonly string[] {
  return subcommands.map((command) => command.name.slice(name.length + 1));
}
