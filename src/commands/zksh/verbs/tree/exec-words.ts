// Where {} of find --exec may stand, and the words with the path of a znode in its place. A path
// comes from the server: it must never be parsed as a command, pattern, option, or name of a file.

import type { ArgumentSpec, OptionSpec } from '../../../machine/declaration.js';
import { rolesOf, type WordRole } from '../../../machine/word-role.js';
import { usageError } from '../../../program/command-error.js';
import { escapeGlob } from '../../../znodes/path-glob.js';
import type { CommandTable } from '../../engine/command.js';
import { findCall } from '../../engine/find-call.js';
import { innerWords } from '../../engine/inner-words.js';
import type { Statement, Token } from '../../language/parse-line.js';
import { quoteWord } from '../../language/quote-word.js';

const SIGN = '{}';
/** A kept escape, or {} with escapes as in a pattern. */
const SIGN_IN_PATTERN = /(\\[^{}])|\\?\{\\?\}/gs;

/**
 * The statement with the path as a part of its words.
 * @throws CommandError USAGE if {} stands where the path would be parsed
 */
export async function fillStatement(
  statement: Statement,
  path: string,
  commands: CommandTable,
): Promise<Statement> {
  if (statement.pipe?.text.includes(SIGN) === true) {
    throw misplaced('after |', 'sh would run the path as a part of its line');
  }
  if (!statement.tokens.some(({ text }) => text.includes(SIGN))) return statement;
  await checkPlaces(statement.tokens, commands);
  return { ...statement, tokens: statement.tokens.map((token) => fillToken(token, path)) };
}

/** The line as a user would type it for this path. */
export function fillLine(line: string, statements: readonly Statement[], path: string): string {
  let [filled, end] = ['', 0];
  for (const token of statements.flatMap(({ tokens }) => tokens)) {
    if (!token.text.includes(SIGN)) continue;
    filled += line.slice(end, token.start) + spell(fillToken(token, path));
    end = token.end;
  }
  return filled + line.slice(end);
}

function fillToken(token: Token, path: string): Token {
  const { pattern: template, ...word } = token;
  if (!word.text.includes(SIGN)) return token;
  const text = word.text.replaceAll(SIGN, () => path);
  const filled = { ...word, text, bytes: Buffer.from(text) };
  if (template === undefined) return filled;
  const pattern = template.replace(SIGN_IN_PATTERN, (_, kept?: string) => kept ?? escapeGlob(path));
  return /[*?[{]/.test(pattern.replace(/\\./gs, '')) ? { ...filled, pattern } : filled;
}

function spell({ text, pattern, isQuoted }: Token): string {
  if (pattern !== undefined) {
    const parts = pattern.match(/(?:\\.|[^*?[\]{},!^\\-])+|./gs) ?? [];
    return parts.map((part) => spellPart(part)).join('');
  }
  const isOption = !isQuoted && /^[-@]/.test(text);
  return isOption ? text.charAt(0) + quoteWord(text.slice(1)) : quoteWord(text);
}

function spellPart(part: string): string {
  return /^[*?[\]{},!^-]$/.test(part) ? part : quoteWord(part.replace(/\\(.)/gs, '$1'));
}

async function checkPlaces(tokens: readonly Token[], commands: CommandTable): Promise<void> {
  const call = await findCall(tokens, commands);
  const name = call?.name.find(({ text }) => text.includes(SIGN)) ?? tokens[0];
  if (call === undefined) {
    if (name?.text.includes(SIGN) === true) throw misplaced('in the name of a command');
    // Running it reports the unknown command.
    return;
  }
  const inner = innerWords(call.command, call.words);
  if (inner.length > 0) await checkPlaces(inner, commands);
  const { words: roles } = rolesOf(call.command, call.words);
  for (const [at, word] of call.words.entries()) {
    if (inner.includes(word) || !word.text.includes(SIGN)) continue;
    if (!word.isText) throw misplaced('in a word that is not UTF-8');
    checkPlace(word, roles[at], call.command);
  }
}

type Specs = Readonly<Record<string, OptionSpec>>;

function checkPlace(
  word: Token,
  role: WordRole | undefined,
  { name, options }: { readonly name: string; readonly options: Specs },
): void {
  if (role?.role === 'value') {
    checkValue(word.text, word.isQuoted, role.spec, `in ${role.name} of ${name}`);
    return;
  }
  const [, option = '', value] = /^--([^={}]+)=(.*)$/s.exec(word.text) ?? [];
  const spec = Object.hasOwn(options, option) ? options[option] : undefined;
  if (role?.role !== 'option' || spec === undefined || value === undefined) {
    throw misplaced(`in ${word.text}`);
  }
  checkValue(value, false, spec, `in --${option} of ${name}`);
}

function checkValue(
  text: string,
  isQuoted: boolean,
  { kind, ...spec }: OptionSpec | ArgumentSpec,
  place: string,
): void {
  if ('isProgram' in spec && spec.isProgram === true) {
    if (text === SIGN) return;
    throw misplaced('in a longer word of a program', 'pass it alone: sh -c \'cat "$1"\' sh {}');
  }
  if (kind !== 'path' && kind !== 'place' && kind !== 'data' && kind !== 'file') {
    throw misplaced(place, 'the path would be parsed there');
  }
  const isFile = kind === 'file' || (kind !== 'path' && !isQuoted && text.startsWith('@'));
  if (isFile && text.replace(/^@/, '').startsWith(SIGN)) {
    throw misplaced(place, 'a znode would choose the file; begin with the name of a folder');
  }
}

function misplaced(place: string, hint = 'use {} for a path, for data, or in the name of a file') {
  return usageError(`find: --exec: {} is not possible ${place}`, undefined, { hint });
}
