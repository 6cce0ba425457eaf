import type { Op, ZooKeeperClient } from '../../../client/client.js';
import type { ACL } from '../../../protocol/data.js';
import type { ErrorReport } from '../../program/command-error.js';
import type { Progress } from '../../terminal/progress-line.js';
import type { Statement, Token } from '../language/parse-line.js';
import type { Result } from '../results/result.js';
import type { ShellSession } from '../session/shell-session.js';

/** What a word of a line becomes before its command runs, by the kind its declaration names. */
export interface ValueTypes {
  /** Absolute: relative ones are resolved against the working path. */
  path: string;
  data: DataValue;
  /** Checked: at least one entry, every permission known. */
  acl: readonly ACL[];
  text: string;
  /** Whole, within the `min` and `max` of its declaration. */
  integer: number;
  /** A connect string. */
  target: string;
  /** The name of a local file. */
  file: string;
  /** Where a tree is: a path here, `zk://host:port/path`, or `@file` for a dump. */
  place: string;
  /** A word of a command's name. */
  command: Token;
  /** A word of another command, which begins with the first of them: nothing in it is an option. */
  word: Token;
  /** Text that no history keeps and no message repeats. */
  secret: string;
}
export type ValueKind = keyof ValueTypes;

/** A value as typed: the bytes themselves, or where to read them (`@file`, `-`). */
export type DataValue =
  | { readonly from: 'line'; readonly bytes: Buffer }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'stdin' };

interface ValueSpec {
  readonly summary: string;
  /** The only words allowed, for kind `text`. */
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Of a text that begins like an ACL: TAB offers what one may hold. */
  readonly isAclLike?: true;
}

/** A flag, or an option with a value when it has a `kind`. Its long form is `--` and its name. */
export interface OptionSpec extends ValueSpec {
  readonly letter?: string;
  readonly kind?: ValueKind;
  /** How usage and help call the value; default: the name. */
  readonly valueName?: string;
  /** May be given again and again; the value is a list, empty when it was never given. */
  readonly isRepeatable?: boolean;
}

/** A word behind the options; arguments come in the order they are declared in. */
export interface ArgumentSpec extends ValueSpec {
  readonly kind: ValueKind;
  /** Of a path: may be a pattern of several, and how the command is then run on them. */
  readonly glob?: GlobOrder;
  readonly isOptional?: boolean;
  /** Takes all words that are left; only the last argument may. */
  readonly isVariadic?: boolean;
  /** Begins behind `--` only, so that a word too many before it is still one. */
  readonly isBehindDashes?: boolean;
}

/**
 * One after the other, where a result may be long; many at a time; many at a time, and children
 * before their parents.
 */
export type GlobOrder = 'serial' | 'parallel' | 'deepest-first';

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;
export type ArgumentSpecs = Readonly<Record<string, ArgumentSpec>>;

export interface Example {
  readonly line: string;
  readonly summary: string;
}

/** What every verb declares; help, man page, completion and usage are made of nothing else. */
export interface CommandDeclaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** One line without a full stop, beginning with a verb: "list the children of a znode". */
  readonly summary: string;
  /** Whole sentences; what the summary leaves open. */
  readonly description?: string;
  /** In the order that usage shows. */
  readonly options: OptionSpecs;
  readonly args: ArgumentSpecs;
  readonly examples: readonly Example[];
  /** Refused in a read-only shell, before anything is sent. */
  readonly isMutating?: boolean;
  /** With --dry-run, what it would change is told and not sent, without its doing. */
  readonly isDryRunTold?: boolean;
  /** What to do about a word too many, where there is more to say than the usage. */
  readonly surplusHint?: string;
  /** Ends by itself, in order, once the context's signal is aborted: it is waited for. */
  readonly isGraceful?: boolean;
  /** Needs no server: it runs without a connection, and makes none. */
  readonly isLocal?: boolean;
  /** Of a family: the commands whose names begin with its own. */
  readonly subcommands?: readonly Command[];
  /** All subcommands of the family that this is one of. */
  readonly siblings?: readonly Command[];
}

export type CommandGroup = 'znode' | 'tree' | 'move' | 'acl' | 'session' | 'shell' | 'recipes';

/** A declaration and what it does. */
export interface Command extends CommandDeclaration {
  readonly subcommands?: never;
  /** Refuses what no single value shows to be wrong; runs before a connection is made. */
  check?(parsed: ParsedArguments): void;
  /** Of a mutating command: does this call of it change nothing? */
  isReading?(parsed: ParsedArguments): boolean;
  run(context: CommandContext, parsed: ParsedArguments): Promise<Result>;
  /** On all paths that a pattern fits, where that is more than `run` on one after the other. */
  runMany?(
    context: CommandContext,
    parsed: ParsedArguments,
    paths: readonly string[],
  ): Promise<Result>;
  /** The same as an operation of a transaction; a command without it cannot be part of one. */
  toOp?(context: CommandContext, parsed: ParsedArguments): Promise<Op>;
}

/** Commands under one name: `json get`, `json set`. */
export interface CommandFamily extends CommandDeclaration {
  readonly subcommands: readonly Command[];
}

/** What the first word of a line names. */
export type Verb = Command | CommandFamily;

/** The erased form of {@link Parsed}. */
export interface ParsedArguments {
  readonly options: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  /** The words that gave the values, by name, for errors that point at one. */
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

/** All commands, for those that are about commands. */
export interface CommandTable {
  all(): Promise<readonly Verb[]>;
  find(word: string): Promise<Verb | undefined>;
  /** What a word that names none was meant to be. */
  suggest(word: string): string | undefined;
}

/** What a running command may use of the world; the REPL and the script runner each make one. */
export interface CommandContext {
  readonly session: ShellSession;
  /** The connected client; throws a CommandError NOTCONNECTED when there is none. */
  readonly client: ZooKeeperClient;
  readonly commands: CommandTable;
  /** Aborted by Ctrl-C; a command that is long must look. */
  readonly signal: AbortSignal;
  /** Is a person there, who can be asked and who goes on typing while watches are armed? */
  readonly isInteractive: boolean;
  /** A part of a long result, in order, before the result itself. Wait for it: it may be slow. */
  emit(result: Result): Promise<void> | void;
  /** Something that happens beside the command running, if any: a watch that fired. */
  notify(result: Result): void;
  /** Gives the whole screen to the browser until it is left; only where there is a screen. */
  browse?(path: string): Promise<void>;
  /** Asks yes or no; without a person the answer is yes, as a script has said what it wants. */
  confirm(question: string): Promise<boolean>;
  /** Asks for what must not be seen, nor kept by a history; absent where there is no terminal. */
  askSecret?(question: string): Promise<string>;
  /** How a program may share zksh's own streams; undefined where a prompt has them. */
  readonly child?: {
    readonly stdin: 'inherit' | 'ignore';
    /** Writes what was printed before the program prints. */
    flush(): Promise<void>;
  };
  /**
   * A result as a program reads it, which a line gives it to by `|`; absent where a line may not
   * name a program.
   */
  renderForPipe?(result: Result): string | Buffer;
  /** Is what the client changes written down for `undo`? */
  readonly isRecorded?: boolean;
  /** Does all that is emitted go to a program? */
  readonly isPiped?: boolean;
  /** Gives the whole terminal to another program meanwhile; absent where nothing is drawn there. */
  lendTerminal?(use: () => Promise<void>): Promise<void>;
  /** How far a long command is; undefined when it is over. Shown where somebody looks. */
  progress?(state: Progress | undefined): void;
  /** Runs a line as if it were typed; the outcomes are the caller's to show. */
  runLine(line: string): AsyncIterable<Outcome>;
  /** Runs the words of a command, with a client that stands before the session's. */
  runWords(
    words: readonly Token[],
    wrap?: (client: ZooKeeperClient) => ZooKeeperClient,
  ): AsyncIterable<Outcome>;
  /** All of standard input, for a value given as `-`; throws when it is not to be had. */
  readInput(): Promise<Buffer>;
}

/** How one statement of a line ended. */
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
    const word = spec.isBehindDashes === true ? `-- ${plain}` : plain;
    return spec.isOptional === true ? `[${word}]` : word;
  });
  return [command.name, ...options, ...args].join(' ');
}

/** What stands for an option's value in usage and help. */
export function valueNameOf(name: string, spec: OptionSpec): string {
  return spec.valueName ?? name.toUpperCase();
}

/** The words that follow the name of a family. */
export function subcommandWords({
  name,
  subcommands = [],
}: Pick<CommandDeclaration, 'name' | 'subcommands'>): readonly string[] {
  return subcommands.map((command) => command.name.slice(name.length + 1));
}
