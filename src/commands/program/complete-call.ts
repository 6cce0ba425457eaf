// What may come next on a command line of commander: its verbs, options, and choices, or the name
// of an expected value.
import type { Argument, Command, Option } from 'commander';
import { type Answer, type Candidate, fitting, NO_ANSWER } from './completion-answer.js';

/** A value that the declarations do not list. */
export interface ExpectedValue {
  /** Of the option, such as `profile`; undefined for an operand. */
  readonly option: string | undefined;
  /** `file` of `--out <file>`, `log` of `<log>`. */
  readonly valueName: string;
  /** So far. */
  readonly text: string;
  /** `snap top` */
  readonly verb: string;
  /** Texts of options, by long name. */
  readonly given: ReadonlyMap<string, string>;
  /** Long names of all options of the verb. */
  readonly options: readonly string[];
}

export type CompleteValue = (expected: ExpectedValue) => Promise<Answer>;

export async function completeCall(
  root: Command,
  before: readonly string[],
  word: string,
  completeValue: CompleteValue,
): Promise<Answer> {
  const line = new Line(root, before);
  const { command, awaiting, mayBeOption } = line;
  if (awaiting !== undefined) return completeOption(line, awaiting, word, completeValue);
  if (mayBeOption && word.startsWith('-')) {
    const [, flag, text] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (flag === undefined || text === undefined) {
      return { candidates: fitting(flagsOf(line), word) };
    }
    const option = command.options.find(({ long }) => long === flag);
    if (option === undefined || !option.required) return NO_ANSWER;
    const answer = await completeOption(line, option, text, completeValue);
    const candidates = answer.candidates.map((each) => ({
      ...each,
      value: `${flag}=${each.value}`,
    }));
    return { ...answer, candidates };
  }
  if (command.commands.length > 0) return { candidates: fitting(verbsOf(command), word) };
  return completeOperand(line, word, completeValue);
}

/** The words before the word to complete. */
class Line {
  command: Command;
  readonly path: string[] = [];
  /** After the verb. */
  typed: string[] = [];
  readonly given = new Map<string, string>();
  readonly operands: string[] = [];
  awaiting: Option | undefined;
  mayBeOption = true;

  constructor(root: Command, before: readonly string[]) {
    this.command = root;
    for (const word of before) this.read(word);
  }

  private read(word: string): void {
    this.typed.push(word);
    if (this.awaiting !== undefined) {
      this.given.set(this.awaiting.name(), word);
      this.awaiting = undefined;
    } else if (this.mayBeOption && word === '--') {
      this.mayBeOption = false;
    } else if (this.mayBeOption && /^-./.test(word)) {
      this.readOption(word);
    } else this.readOperand(word);
  }

  private readOption(word: string): void {
    const [, flag = word, text] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const { options } = this.command;
    const option = options.find(({ long, short }) => flag === long || flag === short);
    if (option?.required !== true) return;
    if (text === undefined) this.awaiting = option;
    else this.given.set(option.name(), text);
  }

  private readOperand(word: string): void {
    const verb = this.command.commands.find((each) => each.name() === word);
    if (verb !== undefined) {
      this.command = verb;
      this.path.push(word);
      this.typed = [];
      // `help snap v` continues like `snap v`.
    } else if (word !== 'help') this.operands.push(word);
  }
}

async function completeOption(
  line: Line,
  option: Option,
  text: string,
  completeValue: CompleteValue,
): Promise<Answer> {
  const choices = option.argChoices;
  if (choices !== undefined) return { candidates: fitting(valuesOf(choices), text) };
  const valueName = /<(.*?)>/.exec(option.flags)?.[1] ?? '';
  return completeValue({ ...asked(line), option: option.name(), valueName, text });
}

async function completeOperand(
  line: Line,
  text: string,
  completeValue: CompleteValue,
): Promise<Answer> {
  const { registeredArguments: args } = line.command;
  const last = args.at(-1);
  const arg: Argument | undefined =
    args[line.operands.length] ?? (last?.variadic === true ? last : undefined);
  if (arg === undefined) return NO_ANSWER;
  const choices = arg.argChoices;
  if (choices !== undefined) return { candidates: fitting(valuesOf(choices), text) };
  return completeValue({ ...asked(line), option: undefined, valueName: arg.name(), text });
}

function asked({ command, path, given }: Line) {
  const options = command.options.map((option) => option.name());
  return { verb: path.join(' '), given, options };
}

function valuesOf(choices: readonly string[]): readonly Candidate[] {
  return choices.map((value) => ({ value }));
}

function verbsOf(command: Command): readonly Candidate[] {
  const verbs = command.commands.map((each) => ({
    value: each.name(),
    about: each.description(),
  }));
  const help = { value: 'help', about: 'Show the help of a command' };
  return command.parent === null ? [...verbs, help] : verbs;
}

/** Without the switches on the line: an option with a value may replace an earlier one. */
function flagsOf({ command, typed }: Line): readonly Candidate[] {
  const isUsed = ({ long, short, required }: Option) =>
    !required && typed.some((word) => word === short || word === long);
  const left = command.options.filter((option) => !option.hidden && !isUsed(option));
  const flags = left.map(({ long, short, description }) => ({
    value: long ?? short ?? '',
    about: description,
  }));
  return [...flags, { value: '--help', about: 'show this help' }];
}
