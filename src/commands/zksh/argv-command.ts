import type { OptionSpec } from '../machine/declaration.js';
import type { Statement, Token } from './language/parse-line.js';
import { GLOB_SIGNS } from './language/word-builder.js';
import { COMMAND_WORDS } from './running/registry.js';
import type { ScriptItem } from './script-source.js';

interface SplitWords {
  /** The options of zksh and the servers; `command` is empty without one. */
  readonly own: readonly string[];
  readonly command: readonly string[];
}

/** The second word beside the options is the command, or the first one with a command's name. */
export function splitCommand(
  argv: readonly string[],
  options: Readonly<Record<string, OptionSpec>>,
): SplitWords {
  let plain = 0;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word.startsWith('-') && word !== '-' && word !== '--') {
      if (takesNext(word, options)) at++;
      continue;
    }
    if (word === '--') continue;
    if (plain === 1 || COMMAND_WORDS.includes(word)) {
      return { own: argv.slice(0, at), command: argv.slice(at) };
    }
    plain++;
  }
  return { own: argv, command: [] };
}

function takesNext(word: string, options: Readonly<Record<string, OptionSpec>>): boolean {
  if (word.startsWith('--')) {
    const name = word.slice(2);
    return Object.hasOwn(options, name) && options[name]?.kind !== undefined;
  }
  const specs = Object.values(options);
  const letters = [...word.slice(1)];
  // The rest of the word after the first letter with a value is that value.
  const taking = letters.findIndex((letter) =>
    specs.some((spec) => spec.letter === letter && spec.kind !== undefined),
  );
  return taking !== -1 && taking === letters.length - 1;
}

/** The words as one statement, as at the prompt. */
export async function* commandScript(words: readonly string[]): AsyncGenerator<ScriptItem> {
  const text = words.join(' ');
  let end = -1;
  const tokens = words.map((word): Token => {
    const start = end + 1;
    end = start + word.length;
    const token = {
      text: word,
      bytes: Buffer.from(word),
      isText: true,
      isQuoted: false,
      start,
      end,
    };
    return [...word].some((sign) => GLOB_SIGNS.has(sign)) ? { ...token, pattern: word } : token;
  });
  const statement: Statement = { tokens, start: 0, end };
  yield { kind: 'statement', statement, source: { file: undefined, firstLine: 1, text } };
}
