import type { Token } from '../zksh/language/parse-line.js';
import type { ArgumentSpec, CommandDeclaration, OptionSpec } from './declaration.js';

/** By the position of the word alone. */
export type WordRole =
  | { readonly role: 'option' }
  | { readonly role: 'value'; readonly name: string; readonly spec: OptionSpec | ArgumentSpec }
  | { readonly role: 'surplus' };

export interface WordRoles {
  readonly words: readonly WordRole[];
  readonly next: WordRole;
  /** Whether the next word is the value of the option before it. */
  readonly isNextAwaited: boolean;
  /** False after `--`. */
  readonly mayBeOption: boolean;
}

type Specs = Pick<CommandDeclaration, 'options' | 'args'>;

/** Reads words like parse-arguments.ts, without validating them. */
export function rolesOf(command: Specs, words: readonly Token[]): WordRoles {
  const roles: WordRole[] = [];
  let args = Object.entries(command.args);
  let awaited: WordRole | undefined;
  let mayBeOption = true;
  const nextArgument = (): WordRole => {
    const [first] = args;
    const isTooEarly = first?.[1].isAfterDashes === true && mayBeOption;
    return first === undefined || isTooEarly
      ? { role: 'surplus' }
      : { role: 'value', name: first[0], spec: first[1] };
  };
  for (const word of words) {
    if (awaited !== undefined) {
      roles.push(awaited);
      awaited = undefined;
    } else if (mayBeOption && isOptionLike(word)) {
      roles.push({ role: 'option' });
      if (word.text === '--') mayBeOption = false;
      else awaited = valueAwaitedBy(word.text, command);
    } else {
      const role = nextArgument();
      roles.push(role);
      if (role.role === 'value' && role.spec.kind === 'word') mayBeOption = false;
      if (role.role === 'value' && args[0]?.[1].isVariadic !== true) args = args.slice(1);
    }
  }
  return {
    words: roles,
    next: awaited ?? nextArgument(),
    isNextAwaited: awaited !== undefined,
    mayBeOption,
  };
}

export const HELP_OPTION: OptionSpec = { summary: 'print the help of the command' };

/** Long forms first. */
export function flagsOf(command: Pick<CommandDeclaration, 'options'>): readonly string[] {
  const options = Object.entries({ ...command.options, help: HELP_OPTION });
  const letters = options.flatMap(([, { letter }]) => (letter === undefined ? [] : [`-${letter}`]));
  return [...options.map(([name]) => `--${name}`), ...letters];
}

/** Unquoted and starts with a dash, but not a single dash or a negative number. */
export function isOptionLike(word: Token): boolean {
  return !word.isQuoted && /^-[^\d.]/.test(word.text);
}

function valueAwaitedBy(flag: string, command: Specs): WordRole | undefined {
  const found = Object.entries(command.options).find(([name, { letter }]) =>
    flag.startsWith('--')
      ? flag === `--${name}`
      : letter !== undefined && flag.endsWith(letter) && areFlags(flag.slice(1, -1), command),
  );
  if (found === undefined || found[1].kind === undefined) return undefined;
  return { role: 'value', name: found[0], spec: found[1] };
}

/** Whether all letters are flags without a value, such as `sw` in `-swv 3`. */
function areFlags(letters: string, command: Specs): boolean {
  const flags = Object.values(command.options).filter(({ kind }) => kind === undefined);
  return [...letters].every((letter) => flags.some((spec) => spec.letter === letter));
}

/** Words that a shell has split, and whose quotes it has removed. */
export function tokensOf(words: readonly string[]): readonly Token[] {
  return words.map((text) => {
    const bytes = Buffer.from(text);
    return { text, bytes, isText: true, isQuoted: false, start: 0, end: text.length };
  });
}
