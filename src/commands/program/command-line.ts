/** zksh does not use commander, which costs time at every start (docs/libraries.md has figures). */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { CompleteValue } from './complete-call.js';
import { COMPLETION_SHELLS, type CompletionShell } from './completion-shells.js';
import { DURATION_FORM, formatDuration, parseDuration } from './duration.js';
import { ExitCode, type ExitStatuses } from './exit-status.js';

/** A function also gets the earlier value, and throws what it expected. */
export type OptionKind =
  | 'text'
  | 'ms'
  | 'count'
  | readonly string[]
  | ((text: string, before: unknown) => unknown);

/**
 * Such as `['--keep <n>', 'snapshots to keep', 'count', 3]`. Without `<…>`, it is a flag.
 */
export type CallOption = readonly [
  flags: string,
  about: string,
  kind?: OptionKind,
  fallback?: string | number | undefined,
];

/** One verb: its help, its options, and its manual page come from these fields. */
export interface Call<O> {
  readonly summary: string;
  /** In commander's form: `<file>`, `[file]`, `<file...>`. */
  readonly args: readonly string[];
  readonly options: readonly CallOption[];
  readonly run: (given: readonly string[], options: O) => Promise<number>;
}

export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly exitStatus: ExitStatuses;
  /** If the command line has one of these options, the environment sets none of them. */
  readonly exclusive?: readonly string[];
  /** What to suggest for an option of other tools, such as `-o json` for `--json`. */
  readonly suggestions?: Readonly<Record<string, string>>;
}

export interface ProgramOutput {
  writeOut(text: string): void;
  writeError(text: string): void;
  /** Where ZKOPS_TIMEOUT is the default of --timeout; undefined reads no variables. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

export class CommandLine {
  private readonly program: Program;
  private readonly root: Command;
  private readonly env: ProgramOutput['env'];
  private status = 0;

  constructor(program: Program, version: string, { writeOut, writeError, env }: ProgramOutput) {
    const { name, examples, exitStatus } = program;
    const statuses = exitStatus.map(([status, text]) => `  ${String(status).padEnd(5)}${text}`);
    this.program = program;
    this.env = env;
    this.root = new Command(name)
      .description(program.summary)
      .version(`${name} ${version}`, '-V, --version', 'show the version')
      .helpOption('-h, --help', 'show this help')
      .helpCommand('help [command]', 'Show the help of a command')
      .exitOverride()
      .configureOutput({
        writeOut,
        writeErr: writeError,
        outputError: (text, write) =>
          write(`${name}: ${plainError(text, program)}; see ${name} --help\n`),
      })
      .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
      .addHelpText('afterAll', `\nExit status:\n${statuses.join('\n')}`);
  }

  /** @param name `snap`, or `snap top` for a subcommand */
  describe(name: string, summary: string): Command {
    let command = this.root;
    for (const word of name.split(' ')) {
      command = command.commands.find((known) => known.name() === word) ?? command.command(word);
    }
    return command.description(summary);
  }

  declare<O extends object>(name: string, { summary, args, options, run }: Call<O>): void {
    const command = this.describe(name, summary);
    for (const arg of args) command.argument(arg);
    for (const option of options) command.addOption(makeOption(option));
    command.action(async (...given: unknown[]) => {
      const values = given.flat().filter((value) => typeof value === 'string');
      if (this.env !== undefined) fillFromEnvironment(command, this.program, this.env);
      this.status = await run(values, command.opts<O>());
    });
  }

  /** Declares a verb that prints a completion script. */
  declareCompletion(print: (text: string) => void): void {
    this.describe('completion', 'Print a completion script for a shell')
      .addArgument(new Argument('<shell>').choices(COMPLETION_SHELLS))
      .action(async (shell: CompletionShell) => {
        const { completionScript } = await import('./completion-script.js');
        print(completionScript(this.program.name, shell));
      });
  }

  /** The answer to `__complete -- WORDS…`. @param completeValue completes values without choices */
  async complete(args: readonly string[], completeValue: CompleteValue): Promise<string> {
    const { answerCompletion } = await import('./completion-answer.js');
    const { completeCall } = await import('./complete-call.js');
    return answerCompletion(args, (before, word) =>
      completeCall(this.root, before, word, completeValue),
    );
  }

  /** Returns the exit status, and throws the error of the verb. */
  async run(args: readonly string[]): Promise<number> {
    try {
      await this.root.parseAsync(args, { from: 'user' });
      return this.status;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      return error.exitCode === 0 ? 0 : ExitCode.usage;
    }
  }
}

/** Sets missing options from variables such as ZKOPS_TIMEOUT. */
function fillFromEnvironment(
  command: Command,
  { name, exclusive = [] }: Program,
  env: NonNullable<ProgramOutput['env']>,
): void {
  const isTyped = (option: string) => command.getOptionValueSource(option) === 'cli';
  const isChosen = exclusive.some(isTyped);
  for (const option of command.options) {
    const attribute = option.attributeName();
    const variable = `${name}_${option.name()}`.replaceAll('-', '_').toUpperCase();
    const text = env[variable];
    const isLess = isChosen && exclusive.includes(attribute);
    if (text === undefined || text === '' || isTyped(attribute) || isLess) continue;
    try {
      command.setOptionValueWithSource(attribute, valueFrom(option, text), 'env');
    } catch (error) {
      command.error(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const SWITCH: Readonly<Record<string, boolean>> = { 1: true, true: true, 0: false, false: false };

function valueFrom(option: Option, text: string): unknown {
  if (!option.isBoolean()) return option.parseArg?.(text, undefined) ?? text;
  const isOn = SWITCH[text.toLowerCase()];
  if (isOn === undefined)
    throw new RangeError(`invalid value: "${text}" (expected 1, 0, true, or false)`);
  return isOn;
}

export function wholeNumber(min: number, max: number, what = 'a whole number') {
  return (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw new RangeError(`expected ${what}, ${min} to ${max}`);
  };
}

/** Two of them fit into a timer of Node.js. */
const LONGEST_MS = 10 * 86_400_000;

/** A number without a unit is in ms. */
function readDuration(text: string): number {
  const ms = parseDuration(text, 1) ?? 0;
  if (ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new RangeError(`expected ${DURATION_FORM}, 1 ms to 10 d`);
}

/** Puts the error on one line: `unknown command 'sart' (did you mean start?)`. */
function plainError(text: string, { suggestions = {} }: Program): string {
  const sentence = text.trimEnd().replace(/^error: /, '');
  const form = sentence.replace(/ is invalid\. (expected .*)$/s, ' is invalid ($1)');
  const [, option = ''] = /^unknown option '([^']+)'$/.exec(form) ?? [];
  const instead = Object.hasOwn(suggestions, option) ? suggestions[option] : undefined;
  if (instead !== undefined) return `${form} (did you mean ${instead}?)`;
  return form.replace(/\n\(Did /, ' (did ').replace(/\.$/, '');
}

function makeOption([flags, about, kind = 'text', fallback]: CallOption): Option {
  const isTime = kind === 'ms' && typeof fallback === 'number';
  const shown = isTime ? formatDuration(fallback) : undefined;
  const option = new Option(flags, about).default(fallback, shown);
  if (Array.isArray(kind)) return option.choices(kind);
  if (!flags.includes('<') || kind === 'text') return option;
  return option.argParser((text, before) => {
    try {
      return readerOf(kind)(text, before);
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
    }
  });
}

function readerOf(kind: OptionKind): (text: string, before: unknown) => unknown {
  if (typeof kind === 'function') return kind;
  return kind === 'ms' ? readDuration : wholeNumber(1, 1e9);
}
