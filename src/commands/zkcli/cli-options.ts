import type { CommandError } from '../program/command-error.js';
import { javaFault } from './cli-fault.js';

/** Letters or names; true if they take a value. */
export type CliOptions = Readonly<Record<string, boolean>>;

export interface CliWords {
  readonly options: ReadonlyMap<string, string>;
  /** Without options and without the verb. */
  readonly args: readonly string[];
}

/**
 * Reads options like DefaultParser of commons-cli, with its messages: anywhere before `--`,
 * combined letters, a value in the next word or right after its letter.
 * @throws CommandError
 */
export function readCliOptions(words: readonly string[], known: CliOptions): CliWords {
  const options = new Map<string, string>();
  const args: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      args.push(...rest);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      args.push(word);
      continue;
    }
    readOption(word, rest, known, options);
  }
  return { options, args };
}

function readOption(
  word: string,
  rest: string[],
  known: CliOptions,
  options: Map<string, string>,
): void {
  const [name = '', value] = splitOnce(word.replace(/^--?/, ''));
  if (Object.hasOwn(known, name)) {
    if (known[name] === false) {
      if (value !== undefined) throw unrecognized(word);
      options.set(name, '');
    } else options.set(name, value ?? takeValue(name, rest, known));
    return;
  }
  if (word.startsWith('--')) throw unrecognized(word);
  readLetters(word, rest, known, options);
}

function readLetters(
  word: string,
  rest: string[],
  known: CliOptions,
  options: Map<string, string>,
): void {
  const letters = word.slice(1);
  for (let at = 0; at < letters.length; at++) {
    const letter = letters.charAt(at);
    const takesValue = Object.hasOwn(known, letter) ? known[letter] : undefined;
    if (takesValue === undefined) throw unrecognized(word);
    if (!takesValue) {
      options.set(letter, '');
      continue;
    }
    const tail = letters.slice(at + 1);
    options.set(letter, tail === '' ? takeValue(letter, rest, known) : tail);
    return;
  }
}

function takeValue(name: string, rest: string[], known: CliOptions): string {
  const value = rest.shift();
  if (value === undefined || (isOption(value, known) && !/^-\d/.test(value))) {
    throw javaFault('org.apache.commons.cli.MissingArgumentException', [
      `Missing argument for option: ${name}`,
    ]);
  }
  return value;
}

function isOption(word: string, known: CliOptions): boolean {
  return word.startsWith('-') && Object.hasOwn(known, word.slice(1, 2));
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function unrecognized(word: string): CommandError {
  return javaFault('org.apache.commons.cli.UnrecognizedOptionException', [
    `Unrecognized option: ${word}`,
  ]);
}
