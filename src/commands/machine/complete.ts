// What may come next on the command line of a program: its verbs, options, and choices, or a value
// that the program completes.
import {
  type Answer,
  type Candidate,
  FILES,
  FOLDERS,
  fitting,
  NO_ANSWER,
} from './completion-answer.js';
import type { ArgumentSpec, CommandDeclaration, OptionSpec } from './declaration.js';
import { COMPLETION, findCall, type Program } from './program.js';
import { HELP_OPTION, rolesOf } from './word-role.js';

/** A value that the declarations do not list. */
export interface ExpectedValue {
  /** The name of the option, such as `profile`; undefined for an argument. */
  readonly option: string | undefined;
  readonly kind: OptionSpec['kind'];
  /** So far. */
  readonly text: string;
  /** `snap top` */
  readonly verb: string;
  /** Texts of options, by name. */
  readonly given: ReadonlyMap<string, string>;
  /** Names of all options of the verb. */
  readonly options: readonly string[];
}

type Spec = OptionSpec | ArgumentSpec;

export type CompleteValue = (expected: ExpectedValue) => Promise<Answer>;

/** Files and folders by kind; no other values. */
export async function completeByKind({ kind }: Pick<ExpectedValue, 'kind'>): Promise<Answer> {
  return kind === 'file' ? FILES : kind === 'folder' ? FOLDERS : NO_ANSWER;
}

/** @param before the words of the line after the name of the program */
export async function completeProgram(
  program: Program,
  before: readonly string[],
  word: string,
  completeValue: CompleteValue,
): Promise<Answer> {
  const words = before[0] === 'help' ? before.slice(1) : before;
  if (words.length === 0) {
    const help = { name: 'help', summary: 'Show the help of a command' };
    const verbs = [...program.entries, COMPLETION, ...(before.length === 0 ? [help] : [])];
    const names = verbs.map(({ name, summary }) => ({ value: name, about: summary }));
    return { candidates: fitting(names, word) };
  }
  const { command, words: after } = await findCall(program, words);
  const { next, isNextAwaited, mayBeOption, words: roles } = rolesOf(command, after);
  const given = new Map<string, string>();
  for (const [at, role] of roles.entries()) {
    const { text } = after[at] ?? { text: '' };
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(text) ?? [];
    if (role.role === 'value' && role.name in command.options) given.set(role.name, text);
    else if (role.role === 'option' && name !== undefined) given.set(name, value ?? '');
  }
  const asked = { verb: command.name, given, options: Object.keys(command.options) };
  const complete = async (
    option: string | undefined,
    spec: Spec,
    text: string,
  ): Promise<Answer> => {
    const { choices, kind } = spec;
    if (choices === undefined) return completeValue({ ...asked, option, kind, text });
    return { candidates: fitting(valuesOf(choices), text) };
  };
  if (mayBeOption && !isNextAwaited && word.startsWith('-')) {
    const typed = after.map(({ text }) => text);
    return completeFlag(command, typed, word, complete);
  }
  if (next.role !== 'value') return NO_ANSWER;
  if (command.subcommands !== undefined && next.name === 'subcommand') {
    const names = command.subcommands.map(({ name, summary }) => {
      return { value: name.slice(command.name.length + 1), about: summary };
    });
    return { candidates: fitting(names, word) };
  }
  return complete(isNextAwaited ? next.name : undefined, next.spec, word);
}

/** `--outp`, or the value in `--output=js`. Options on the line are not offered again. */
export async function completeFlag(
  declaration: Pick<CommandDeclaration, 'options'>,
  typed: readonly string[],
  word: string,
  completeValue: (name: string, spec: OptionSpec, text: string) => Promise<Answer>,
): Promise<Answer> {
  const { options } = declaration;
  const [, name = '', text] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
  if (text === undefined) return { candidates: fitting(flagCandidates(declaration, typed), word) };
  const spec = Object.hasOwn(options, name) ? options[name] : undefined;
  if (spec?.kind === undefined) return NO_ANSWER;
  const answer = await completeValue(name, spec, text);
  const candidates = answer.candidates.map((each) => ({
    ...each,
    value: `--${name}=${each.value}`,
  }));
  return { ...answer, candidates };
}

function flagCandidates(
  { options }: Pick<CommandDeclaration, 'options'>,
  typed: readonly string[],
): readonly Candidate[] {
  const specs = Object.entries<OptionSpec>({ ...options, help: HELP_OPTION });
  const flags = specs.flatMap(([name, spec]) => {
    const forms = [`--${name}`, ...(spec.letter === undefined ? [] : [`-${spec.letter}`])];
    const isUsed = typed.some((word) => forms.includes(word.split('=', 1)[0] ?? ''));
    if (isUsed && spec.isRepeatable !== true) return [];
    return forms.map((value) => ({ value, about: spec.summary }));
  });
  // Long forms first.
  return [...flags].sort(
    (a, b) => Number(b.value.startsWith('--')) - Number(a.value.startsWith('--')),
  );
}

function valuesOf(choices: readonly string[]): readonly Candidate[] {
  return choices.map((value) => ({ value }));
}
