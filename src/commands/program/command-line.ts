/**
 * The command line of zkops and zkserver: declarations, help and errors in one form. zksh reads its
 * own with the parser of its prompt, since commander costs time at every start of `zksh -c`
 * (docs/libraries.md has the figures).
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';

/** How a value is read: a function gets the earlier value, too, and throws what it expected. */
export type OptionKind =
  | 'text'
  | 'ms'
  | 'count'
  | readonly string[]
  | ((text: string, before: unknown) => unknown);

/** An option as data: `['--keep <n>', 'snapshots to keep', 'count', 3]`; no `<…>` is a flag. */
export type CallOption = readonly [
  flags: string,
  about: string,
  kind?: OptionKind,
  fallback?: string | number,
];

/** One verb: what its help, its reader and its manual page are made of. */
export interface Call<O> {
  readonly summary: string;
  /** As commander writes them: `<file>`, `[file]`, `<file...>`. */
  readonly args: readonly string[];
  readonly options: readonly CallOption[];
  readonly run: (given: readonly string[], options: O) => Promise<number>;
}

/** A program, but for its verbs. */
export interface Program {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly exitStatus: readonly (readonly [status: number, meaning: string])[];
  /** The exit status of a command line that cannot be carried out. */
  readonly usageStatus: number;
}

export interface ProgramOutput {
  writeOut(text: string): void;
  writeError(text: string): void;
}

/** Reads the command line of one program, and runs the verb that it names. */
export class CommandLine {
  readonly #program: Program;
  readonly #root: Command;
  #status = 0;

  /** @param version what --version prints */
  constructor(program: Program, version: string, { writeOut, writeError }: ProgramOutput) {
    const { name, examples, exitStatus } = program;
    const statuses = exitStatus.map(([status, text]) => `  ${String(status).padEnd(5)}${text}`);
    this.#program = program;
    this.#root = new Command(name)
      .description(program.summary)
      .version(version)
      .exitOverride()
      .configureOutput({
        writeOut,
        writeErr: writeError,
        outputError: (text, write) => write(`${name}: ${plainError(text)}; see ${name} --help\n`),
      })
      .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
      .addHelpText('afterAll', `\nExit status:\n${statuses.join('\n')}`);
  }

  /** @param name `snap`, or `snap top` of a verb with others below it */
  describe(name: string, summary: string): Command {
    let command = this.#root;
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
      this.#status = await run(values, command.opts<O>());
    });
  }

  /** Gives the exit status; what a verb throws is thrown on. */
  async run(args: readonly string[]): Promise<number> {
    try {
      await this.#root.parseAsync(args, { from: 'user' });
      return this.#status;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      return error.exitCode === 0 ? 0 : this.#program.usageStatus;
    }
  }
}

/** A reader of digits. */
export function wholeNumber(min: number, max: number, what = 'a whole number') {
  return (text: string): number => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : -1;
    if (value >= min && value <= max) return value;
    throw new RangeError(`expected ${what}, ${min} to ${max}`);
  };
}

/** On one line: `unknown command 'sart' (did you mean start?)`. */
function plainError(text: string): string {
  const sentence = text.trimEnd().replace(/^error: /, '');
  return sentence.replace(/\n\(Did /, ' (did ').replace(/\.$/, '');
}

function makeOption([flags, about, kind = 'text', fallback]: CallOption): Option {
  const option = new Option(flags, about).default(fallback);
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
  return kind === 'ms' ? wholeNumber(1, 86_400_000, 'milliseconds') : wholeNumber(1, 1e9);
}
