import type { Op, ZooKeeperClient } from '../../../client/base/client.js';
import type {
  ArgumentSpecs,
  CommandDeclaration,
  CommandGroup,
  OptionSpecs,
  Parsed,
  ParsedArguments,
} from '../../machine/declaration.js';
import type { ErrorReport } from '../../program/command-error.js';
import type { Result } from '../../results/result.js';
import type { Progress } from '../../terminal/progress-line.js';
import type { Statement, Token } from '../language/parse-line.js';
import type { ShellSession } from '../session/shell-session.js';

export interface Command extends CommandDeclaration {
  readonly group: CommandGroup;
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
  readonly group: CommandGroup;
  readonly subcommands: readonly Command[];
}

export type Verb = Command | CommandFamily;

export function defineCommand<const O extends OptionSpecs, const A extends ArgumentSpecs>(
  command: CommandDeclaration & {
    readonly group: CommandGroup;
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
