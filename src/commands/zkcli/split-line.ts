import { cliFault } from './cli-fault.js';

const WORD = /\s*([^"'\s]\S*|"[^"]*"|'[^']*')\s*/y;

/**
 * Splits a line like Apache's shell: at blanks, with quotes around a word, without escapes. An
 * unclosed quote is an error; Apache's shell drops it silently.
 * @throws CommandError
 */
export function splitLine(line: string): string[] {
  const words: string[] = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < line.trimEnd().length) {
    const at = WORD.lastIndex;
    const word = WORD.exec(line)?.[1];
    if (word === undefined) {
      throw cliFault(`unclosed quote at column ${at + 1}: nothing was done`);
    }
    words.push(/^(["']).*\1$/s.test(word) ? word.slice(1, -1) : word);
  }
  return words;
}
