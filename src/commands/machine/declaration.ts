import type { ACL } from '../../protocol/data.js';
import type { Token } from '../zksh/language/parse-line.js';

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
  folder: string;
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
  /** For kind `text`: makes the value. @throws RangeError that says what it expected */
  readonly read?: (text: string) => unknown;
  /** Completes ACL entries. */
  readonly isAclLike?: true;
}

/** A flag, or with a `kind` an option with a value. Its long form is `--` and its name. */
export interface OptionSpec extends ValueSpec {
  readonly letter?: string;
  readonly kind?: ValueKind;
  /** In usage and help; by default the name of the option. */
  readonly valueName?: string;
  /** Without the option; help shows it. */
  readonly fallback?: string | number | undefined;
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

/**
 * The only source of help, man page, completion, and usage of a verb of zksh, zkops, or zkserver.
 */
export interface CommandDeclaration {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Help lists the commands of zksh by group. */
  readonly group?: CommandGroup;
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
  /** The members of a family such as `json`: `json get`, `json set`. */
  readonly subcommands?: readonly CommandDeclaration[] | undefined;
  readonly siblings?: readonly CommandDeclaration[];
}

export type CommandGroup = 'znode' | 'tree' | 'move' | 'acl' | 'session' | 'shell' | 'recipes';

/** An option whose value is a time. Two of them fit into a timer of Node.js. */
export const WAIT = { kind: 'duration', min: 1, max: 10 * 86_400_000 } as const;
export const COUNT = { kind: 'integer', min: 1, max: 1e9 } as const;

export function textOption(valueName: string, summary: string) {
  return { kind: 'text', valueName, summary } as const;
}

export function fileOption(summary: string) {
  return { kind: 'file', valueName: 'FILE', summary } as const;
}

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

/**
 * `create [-s] [-t TTL] path [data]`, or for a family `json get|set ...`.
 * @param most options; more are `[option]...`
 */
export function usageOf(command: CommandDeclaration, most = Number.POSITIVE_INFINITY): string {
  if (command.subcommands !== undefined) {
    return `${command.name} ${subcommandWords(command).join('|')} ...`;
  }
  const all = Object.entries(command.options);
  const named = all.map(([name, spec]) => {
    const flag = spec.letter === undefined ? `--${name}` : `-${spec.letter}`;
    const value = spec.kind === undefined ? '' : ` ${valueNameOf(name, spec)}`;
    return `[${flag}${value}]`;
  });
  const options = all.length > most ? ['[option]...'] : named;
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
