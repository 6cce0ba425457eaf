// TAB completion. Commands and flags come from the declarations, paths from the server, one listing
// at a time.
import { type CommandDeclaration, subcommandWords } from '../../commands/zksh/engine/command.js';
import { innerWords } from '../../commands/zksh/engine/inner-words.js';
import type { Call } from '../../commands/zksh/engine/subcommands.js';
import { flagsOf, rolesOf } from '../../commands/zksh/engine/word-role.js';
import { type ParsedLine, parseLine, type Token } from '../../commands/zksh/language/parse-line.js';
import { quoteWord } from '../../commands/zksh/language/quote-word.js';
import { resolvePath } from '../../commands/zksh/language/resolve-path.js';
import { completeAcl } from './complete-acl.js';
import { completeFile, type ListFiles } from './complete-file.js';
import { completePattern, NOTHING } from './complete-pattern.js';
import type { Vocabulary } from './vocabulary.js';

export interface Completion {
  /** In UTF-16 units. */
  readonly from: number;
  readonly to: number;
  /** The common prefix of the candidates, quoted as needed. */
  readonly text: string;
  /** Without the path before them. */
  readonly candidates: readonly string[];
  readonly fault?: string;
}

export type ListChildren = (path: string) => Promise<readonly string[]>;

export interface CompletionContext {
  readonly vocabulary: Vocabulary;
  readonly cwd: string;
  readonly listChildren: ListChildren;
  readonly listFiles: ListFiles;
}

/** A failed listing becomes the `fault`. */
export async function complete(
  text: string,
  cursor: number,
  context: CompletionContext,
): Promise<Completion> {
  const word = wordAt(text.slice(0, cursor));
  if (word === undefined) return { from: cursor, to: cursor, text: '', candidates: [] };
  const found = await candidatesFor(word, context).catch((error: unknown) => error);
  const here = { from: word.start, to: cursor };
  if (!isFound(found)) {
    const fault = found instanceof Error ? found.message : String(found);
    return { ...here, text: text.slice(word.start, cursor), candidates: [], fault };
  }
  const { prefix, choices } = found;
  const [first] = choices;
  if (first === undefined) {
    return { ...here, text: text.slice(word.start, cursor), candidates: [] };
  }
  const names = choices.map(({ name }) => name);
  if (found.isListOnly === true) {
    return { ...here, text: text.slice(word.start, cursor), candidates: names };
  }
  if (choices.length === 1) {
    const end = first.isOpen ? '' : ' ';
    const whole = prefix + first.name;
    const spelt = spell(whole, first.isOpen, word, found);
    return { ...here, text: spelt + end, candidates: names };
  }
  const shared = prefix + commonPrefix(names);
  const isLonger = shared.length > word.text.length;
  if (!isLonger) return { ...here, text: text.slice(word.start, cursor), candidates: names };
  const spelt = spell(shared, true, word, found);
  return { ...here, text: spelt, candidates: names };
}

interface Word {
  readonly before: readonly Token[];
  readonly start: number;
  /** Without quotes. */
  readonly text: string;
  readonly isQuoted: boolean;
  readonly quote: '"' | "'" | undefined;
  /** Undefined without unquoted pattern characters. */
  readonly pattern: string | undefined;
}

export interface Choice {
  readonly name: string;
  /** Whether the word may continue: no blank is added then. */
  readonly isOpen: boolean;
}

export interface Found {
  readonly prefix: string;
  readonly choices: readonly Choice[];
  /** Whether it must start unquoted: a quoted word is not a flag or `@file`. */
  readonly isBare?: boolean;
  readonly isListOnly?: boolean;
}

function isFound(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && 'choices' in value;
}

/** The last token, or an empty word after a blank; undefined in a shell command after a pipe. */
function wordAt(text: string): Word | undefined {
  const parsed = parseLine(text);
  if (parsed.statements.at(-1)?.pipe?.end === text.length) return undefined;
  const tokens = currentStatement(parsed, text);
  const last = tokens.at(-1);
  if (last !== undefined && last.end === text.length) {
    return {
      before: tokens.slice(0, -1),
      start: last.start,
      text: last.text,
      isQuoted: last.isQuoted,
      quote: last.openQuote,
      pattern: last.pattern,
    };
  }
  return {
    before: tokens,
    start: text.length,
    text: '',
    isQuoted: false,
    quote: undefined,
    pattern: undefined,
  };
}

function currentStatement({ statements }: ParsedLine, text: string): readonly Token[] {
  const last = statements.at(-1);
  if (last === undefined || /[;\n]/.test(text.slice(last.end))) return [];
  return last.tokens;
}

async function candidatesFor(word: Word, context: CompletionContext): Promise<Found> {
  const { vocabulary } = context;
  if (word.before.length === 0) return among(vocabulary.words, word.text);
  const call = vocabulary.callOf(word.before);
  if (call === undefined) return NOTHING;
  const { command, words } = call;
  const inner = innerWords(command, words);
  if (inner.length > 0) return candidatesFor({ ...word, before: inner }, context);
  const { next, isNextAwaited, mayBeOption } = rolesOf(command, words);
  if (mayBeOption && !isNextAwaited && !word.isQuoted && word.text.startsWith('-')) {
    return { ...among(unusedFlags(command, words), word.text), isBare: true };
  }
  if (next.role !== 'value') return NOTHING;
  const { kind, choices } = next.spec;
  if (kind === 'data') return completeData(word, context);
  if (next.spec.isAclLike === true) return completeAcl(word.text);
  if (kind === 'text' && isFile(next)) return completeFile(word.text, context.listFiles);
  switch (kind) {
    case 'path':
      return completePathOrPattern(word, context);
    case 'command':
      if (words.length > 0) return among(subcommandsOf(vocabulary.callOf(words)), word.text);
      return among(vocabulary.words, word.text);
    case 'word':
      return among(vocabulary.words, word.text);
    case 'acl':
      return completeAcl(word.text);
    default:
      return choices === undefined ? NOTHING : among(choices, word.text);
  }
}

function among(words: readonly string[], begun: string): Found {
  const fitting = words.filter((word) => word.startsWith(begun));
  return { prefix: '', choices: fitting.map((name) => ({ name, isOpen: false })) };
}

function subcommandsOf(call: Call | undefined): readonly string[] {
  return call === undefined ? [] : subcommandWords(call.command);
}

function unusedFlags(command: CommandDeclaration, words: readonly Token[]): readonly string[] {
  const used = new Set(words.map(({ text }) => text));
  const isUsed = ([name, { letter }]: [string, { letter?: string }]) =>
    used.has(`--${name}`) || (letter !== undefined && used.has(`-${letter}`));
  const left = Object.fromEntries(Object.entries(command.options).filter((o) => !isUsed(o)));
  // Show only the options of the subcommand.
  return flagsOf({ ...command, options: command.subcommands === undefined ? left : {} });
}

/** A relative path stays relative; a znode with children gets a slash. */
async function completePath(text: string, context: CompletionContext): Promise<Found> {
  const slash = text.lastIndexOf('/');
  const prefix = text.slice(0, slash + 1);
  const begun = text.slice(slash + 1);
  // `..` is a complete name; only a slash can follow.
  if (begun === '..') return { prefix, choices: [{ name: '../', isOpen: true }] };
  const folder = resolvePath(prefix === '' ? '.' : prefix, context.cwd);
  const children = await context.listChildren(folder);
  const names = children.filter((name) => name.startsWith(begun)).sort(byCodePoint);
  const [only] = names;
  if (only === undefined || names.length > 1) {
    return { prefix, choices: names.map((name) => ({ name, isOpen: true })) };
  }
  const path = folder === '/' ? `/${only}` : `${folder}/${only}`;
  const hasChildren = await context.listChildren(path).then(
    (grandchildren) => grandchildren.length > 0,
    // Unreadable or deleted: the name is complete.
    () => false,
  );
  const choice = hasChildren ? { name: `${only}/`, isOpen: true } : { name: only, isOpen: false };
  return { prefix, choices: [choice] };
}

/** Prefers names with this literal prefix to matches of the pattern. */
async function completePathOrPattern(word: Word, context: CompletionContext): Promise<Found> {
  const { text, pattern } = word;
  if (pattern === undefined) return completePath(text, context);
  const found = await completePath(text, context).catch(() => NOTHING);
  if (found.choices.length > 0) return found;
  return completePattern(text, pattern, context.cwd, context.listChildren);
}

async function completeData(word: Word, context: CompletionContext): Promise<Found> {
  if (word.isQuoted || !word.text.startsWith('@')) return NOTHING;
  const { prefix, choices } = await completeFile(word.text.slice(1), context.listFiles);
  return { prefix: `@${prefix}`, choices, isBare: true };
}

function isFile({ name, spec }: { readonly name: string; readonly spec: object }): boolean {
  return /^(file|folder|dir)$/i.test('valueName' in spec ? String(spec.valueName) : name);
}

/** The order of ls: UTF-16 units, independent of the locale. */
function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function commonPrefix(names: readonly string[]): string {
  const [first = '', ...others] = names;
  let length = first.length;
  for (const other of others) {
    let same = 0;
    while (same < length && first[same] === other[same]) same++;
    length = same;
  }
  // Never split a surrogate pair.
  const last = first.charCodeAt(length - 1);
  return first.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

/** A word that may continue keeps the user's open quote. */
function spell(text: string, isOpen: boolean, word: Word, found: Found): string {
  if (found.isBare === true) return text.replace(/[\s;'"\\]/g, '\\$&');
  const quoted = quoteWord(text);
  const isPlain = quoted === text;
  const begun = word.quote;
  if (!isOpen) return isPlain && begun !== undefined ? `${begun}${text}${begun}` : quoted;
  if (isPlain) return `${begun ?? ''}${text}`;
  return quoted.slice(0, -1);
}
