// TAB completion. Commands and flags come from the declarations, paths from the server, one listing
// at a time.

import { type CommandDeclaration, subcommandWords } from '../../machine/declaration.js';
import type { Call } from '../../machine/subcommands.js';
import { flagsOf, HELP_OPTION, rolesOf, type WordRole } from '../../machine/word-role.js';
import { completePath, type ListChildren } from '../../znodes/complete-path.js';
import { type NamePattern, parsePathGlob } from '../../znodes/path-glob.js';
import type { Verb } from '../engine/command.js';
import { innerWords } from '../engine/inner-words.js';
import { type ParsedLine, parseLine, type Token } from '../language/parse-line.js';
import { quoteWord, spellBare } from '../language/quote-word.js';
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

/** Candidates for the end of a line, each as the whole line. */
export async function completeLine(text: string, context: CompletionContext): Promise<Found> {
  const word = wordAt(text);
  if (word === undefined) return NOTHING;
  const found = await candidatesFor(word, context);
  const start = text.slice(0, word.start);
  const choices = found.choices.map((choice) => ({
    ...choice,
    name: start + spell(found.prefix + choice.name, choice.isOpen, word, found),
  }));
  return { ...found, prefix: '', choices };
}

/** Candidates for the last of words that another shell has split. */
export function completeWord(
  before: readonly Token[],
  text: string,
  context: CompletionContext,
): Promise<Found> {
  const word = { before, start: 0, text, isQuoted: false, quote: undefined, pattern: undefined };
  return candidatesFor(word, context);
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
  readonly about?: string | undefined;
}

export interface Found {
  readonly prefix: string;
  readonly choices: readonly Choice[];
  /** Whether it must start unquoted: a quoted word is not a flag or `@file`. */
  readonly isBare?: boolean;
  readonly isListOnly?: boolean;
  /** The choices are files of this machine. */
  readonly areFiles?: boolean;
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
  if (word.before.length === 0) return amongCommands(vocabulary, word.text);
  const call = vocabulary.callOf(word.before);
  if (call === undefined) return NOTHING;
  const { command, words } = call;
  const inner = innerWords(command, words);
  if (inner.length > 0) return candidatesFor({ ...word, before: inner }, context);
  const { next, isNextAwaited, mayBeOption } = rolesOf(command, words);
  if (mayBeOption && !isNextAwaited && !word.isQuoted && word.text.startsWith('-')) {
    const flags = among(unusedFlags(command, words), word.text, (flag) => aboutFlag(command, flag));
    return { ...flags, isBare: true };
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
      return amongCommands(vocabulary, word.text);
    case 'word':
      return amongCommands(vocabulary, word.text);
    case 'place':
      return completePlace(word, context);
    case 'file':
      return completeFile(word.text, context.listFiles);
    case 'acl':
      return completeAcl(word.text);
    default:
      return choices === undefined ? NOTHING : among(choices, word.text);
  }
}

function among(
  words: readonly string[],
  begun: string,
  about: (word: string) => string | undefined = () => undefined,
): Found {
  const fitting = words.filter((word) => word.startsWith(begun));
  const choices = fitting.map((name) => ({ name, isOpen: false, about: about(name) }));
  return { prefix: '', choices };
}

function amongCommands(vocabulary: Vocabulary, begun: string): Found {
  return among(vocabulary.words, begun, (word) => vocabulary.find(word)?.summary);
}

function aboutFlag({ options }: CommandDeclaration, flag: string): string | undefined {
  const specs = Object.entries({ ...options, help: HELP_OPTION });
  return specs.find(([name, { letter }]) => flag === `--${name}` || flag === `-${letter}`)?.[1]
    .summary;
}

function subcommandsOf(call: Call<Verb> | undefined): readonly string[] {
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

/** Prefers names with this literal prefix to matches of the pattern. */
async function completePathOrPattern(word: Word, context: CompletionContext): Promise<Found> {
  const { text, pattern } = word;
  if (pattern === undefined) return completePath(text, context);
  const found = await completePath(text, context).catch(() => NOTHING);
  if (found.choices.length > 0) return found;
  return completePattern(text, pattern, context.cwd, context.listChildren);
}

/** A path of this session, or a dump after `@`. */
function completePlace(word: Word, context: CompletionContext): Promise<Found> {
  if (word.text.startsWith('@')) return completeData(word, context);
  return completePathOrPattern(word, context);
}

async function completeData(word: Word, context: CompletionContext): Promise<Found> {
  if (word.isQuoted || !word.text.startsWith('@')) return NOTHING;
  const { prefix, choices } = await completeFile(word.text.slice(1), context.listFiles);
  return { prefix: `@${prefix}`, choices, isBare: true };
}

function isFile({ name, spec }: Extract<WordRole, { role: 'value' }>): boolean {
  return /^(file|folder|dir)$/i.test(('valueName' in spec && spec.valueName) || name);
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
  if (found.isBare === true) return spellBare(text);
  const quoted = quoteWord(text);
  const isPlain = quoted === text;
  const begun = word.quote;
  if (!isOpen) return isPlain && begun !== undefined ? `${begun}${text}${begun}` : quoted;
  if (isPlain) return `${begun ?? ''}${text}`;
  return quoted.slice(0, -1);
}

/** Beginnings of ACL entries. The user types an id after the last four. */
const STARTS = ['world:anyone:', 'auth::', 'digest:', 'ip:', 'x509:', 'sasl:'];
/** Colons before the permissions: a digest id is `user:hash`. */
const COLONS: Readonly<Record<string, number>> = { digest: 3 };
const PERMISSIONS = ['cdrwa', 'cdrw', 'r', 'rw', 'c', 'd', 'w', 'a'];

function completeAcl(text: string): Found {
  const entryStart = text.lastIndexOf(',') + 1;
  const entry = text.slice(entryStart);
  const parts = entry.split(':');
  const colons = COLONS[parts[0] ?? ''] ?? 2;
  if (parts.length <= colons) return { prefix: text.slice(0, entryStart), choices: starts(entry) };
  const letters = parts.at(-1) ?? '';
  const choices = PERMISSIONS.filter((perms) => perms.startsWith(letters)).map(open);
  return { prefix: text.slice(0, text.length - letters.length), choices };
}

function starts(entry: string): readonly Choice[] {
  return STARTS.filter((start) => start.startsWith(entry)).map(open);
}

function open(name: string): Choice {
  return { name, isOpen: true };
}

/** Names of folders end in a slash. */
type ListFiles = (folder: string) => Promise<readonly string[]>;

/** Lists hidden files only if the prefix starts with a dot. */
async function completeFile(text: string, listFiles: ListFiles): Promise<Found> {
  const slash = text.lastIndexOf('/');
  const prefix = text.slice(0, slash + 1);
  const begun = text.slice(slash + 1);
  const names = await listFiles(prefix === '' ? '.' : prefix);
  const fitting = names
    .filter((name) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .sort();
  return {
    prefix,
    choices: fitting.map((name) => ({ name, isOpen: name.endsWith('/') })),
    areFiles: true,
  };
}

// TAB after a pattern lists its matches and does not change it. A name begun after a pattern is
// completed from the children of all matches.

const NOTHING: Found = { prefix: '', choices: [] };

const MAX_PARENTS = 64;

/** @param pattern `text` with a backslash before each quoted pattern character */
async function completePattern(
  text: string,
  pattern: string,
  cwd: string,
  listChildren: ListChildren,
): Promise<Found> {
  try {
    const slash = text.lastIndexOf('/');
    const begun = text.slice(slash + 1);
    const isBegun = isPlain(begun) && pattern.endsWith(`/${begun}`);
    const patterns = parsePathGlob(isBegun ? `${pattern}*` : pattern, cwd) ?? [];
    const found = new Set<string>();
    for (const { names } of patterns) {
      for (const path of await findAll(names, listChildren)) found.add(path);
    }
    const paths = [...found].sort();
    // A quoted part would have to keep its quotes.
    if (!isBegun || text !== pattern) return listing(paths);
    const ends = new Set(paths.map((path) => path.slice(path.lastIndexOf('/') + 1)));
    const choices = [...ends].filter(isPlain).map((name) => ({ name, isOpen: true }));
    return { prefix: text.slice(0, slash + 1), choices, isBare: true };
  } catch {
    // May become a pattern.
    return NOTHING;
  }
}

function isPlain(name: string): boolean {
  return !/[*?[{}\]\\\s;'"]/.test(name);
}

function listing(paths: readonly string[]): Found {
  return { prefix: '', choices: paths.map((name) => ({ name, isOpen: true })), isListOnly: true };
}

async function findAll(
  names: readonly NamePattern[],
  listChildren: ListChildren,
): Promise<readonly string[]> {
  let paths: readonly string[] = [''];
  for (const pattern of names) {
    if (pattern.kind === 'any-depth') return [];
    const next: string[] = [];
    for (const path of paths.slice(0, MAX_PARENTS)) {
      const children = await listChildren(path || '/').catch(() => []);
      for (const name of children) {
        const fits = pattern.kind === 'name' ? name === pattern.name : pattern.fits.test(name);
        if (fits && `${path}/${name}` !== '/zookeeper') next.push(`${path}/${name}`);
      }
    }
    paths = next;
  }
  return paths;
}
