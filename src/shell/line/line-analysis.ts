// Analyzes a line before Enter: the roles and errors of its words, and the usage of the command at
// the cursor. It never runs the line.

import { type CommandDeclaration, usageOf } from '../../commands/machine/declaration.js';
import { type PathResolver, parseArguments } from '../../commands/machine/parse-arguments.js';
import { commandOf } from '../../commands/machine/subcommands.js';
import { flagsOf, isOptionLike, rolesOf, type WordRole } from '../../commands/machine/word-role.js';
import type { Place } from '../../commands/program/command-error.js';
import { CommandError } from '../../commands/program/command-error.js';
import type { Vocabulary } from '../../commands/zksh/completing/vocabulary.js';
import { innerWords } from '../../commands/zksh/engine/inner-words.js';
import { isHistoryReference } from '../../commands/zksh/language/history-reference.js';
import { parseLine, type Statement, type Token } from '../../commands/zksh/language/parse-line.js';
import { suggestCommand } from '../../commands/zksh/running/registry.js';
import type { Span, Tone } from '../terminal/theme.js';

export interface LineAnalysis {
  /** The whole text, with dots for the characters of secrets. */
  readonly spans: readonly Span[];
  readonly fault: string | undefined;
  readonly synopsis: string | undefined;
}

/** Longer lines are not colored. */
const MAX_ANALYZED_LENGTH = 20_000;

export function analyzeLine(
  text: string,
  cursor: number,
  vocabulary: Vocabulary,
  resolver: PathResolver,
): LineAnalysis {
  if (text.length > MAX_ANALYZED_LENGTH || isHistoryReference(text)) {
    return { spans: [{ text, tone: 'plain' }], fault: undefined, synopsis: undefined };
  }
  const { statements, fault } = parseLine(text);
  const marks: Mark[] = [];
  let message = fault === undefined ? undefined : withHint(fault.message, fault.hint);
  for (const statement of statements) {
    const wrong = faultOf(statement, text, vocabulary, resolver);
    marks.push(...marksOf(statement, vocabulary));
    if (wrong === undefined) continue;
    marks.push({ ...wrong.place, tone: 'bad' });
    message ??= wrong.message;
  }
  if (fault !== undefined) marks.push({ start: fault.start, end: fault.end, tone: 'bad' });
  return {
    spans: spansOf(text, marks),
    fault: message,
    synopsis: synopsisAt(cursor, statements, vocabulary),
  };
}

interface Mark extends Place {
  readonly tone: Tone;
  readonly isSecret?: boolean;
}

interface Fault {
  readonly place: Place;
  readonly message: string;
}

function faultOf(
  statement: Statement,
  text: string,
  vocabulary: Vocabulary,
  resolver: PathResolver,
): Fault | undefined {
  const [name, ...others] = statement.tokens;
  if (name === undefined) return undefined;
  const call = vocabulary.callOf(statement.tokens);
  const isUnderWay = statement.end === text.length;
  if (call === undefined) {
    const isBegun = isUnderWay && others.length === 0 && startsOne(name.text, vocabulary.words);
    if (isBegun) return undefined;
    const meant = suggestCommand(name.text);
    const hint = meant === undefined ? undefined : `did you mean ${meant}?`;
    return { place: name, message: withHint(`unknown command: "${name.text}"`, hint) };
  }
  const { words } = call;
  let isParsed = false;
  try {
    const command = commandOf(call, statement);
    const parsed = parseArguments(command, words, statement, resolver);
    isParsed = true;
    command.check?.(parsed);
    const inner = innerWords(command, words);
    const [start] = inner;
    if (start === undefined) return undefined;
    return faultOf({ ...statement, tokens: inner, start: start.start }, text, vocabulary, resolver);
  } catch (error) {
    if (!(error instanceof CommandError) || error.place === undefined) return undefined;
    const { place, message, hint } = error;
    // Further words may supply missing arguments.
    const isOpen = !/[;\n]/.test(text.slice(statement.end));
    if (isOpen && mayFix(place, call.command, words, isUnderWay)) return undefined;
    // An unfinished value may become valid.
    if (isParsed && isUnderWay && place.end === text.length) return undefined;
    return { place, message: withHint(message, hint) };
  }
}

/** Whether further typing at the end of the statement can fix this error. */
function mayFix(
  place: Place,
  command: CommandDeclaration,
  words: readonly Token[],
  isUnderWay: boolean,
): boolean {
  const last = words.at(-1);
  if (last === undefined || place.start >= last.end) return true;
  if (place.start < last.start) return false;
  const roles = rolesOf(command, words);
  const role = roles.words.at(-1);
  if (role?.role === 'option') {
    return roles.isNextAwaited || (isUnderWay && startsOne(last.text, flagsOf(command)));
  }
  if (!isUnderWay || role?.role !== 'value') return false;
  const { choices, kind } = role.spec;
  return kind === 'acl' || last.text === '-' || startsOne(last.text, choices ?? []);
}

function marksOf(statement: Statement, vocabulary: Vocabulary): Mark[] {
  const call = vocabulary.callOf(statement.tokens);
  if (call === undefined) return [];
  const { command, name, words } = call;
  const roles = rolesOf(command, words).words;
  return [
    // The words of an alias have the position of its name.
    ...words.map((word, index) => markOf(word, roles[index])),
    ...name.map(({ start, end }): Mark => ({ start, end, tone: 'command' })),
    ...marksOf({ ...statement, tokens: innerWords(command, words) }, vocabulary),
  ];
}

function markOf(word: Token, role: WordRole | undefined): Mark {
  const place = { start: word.start, end: word.end };
  if (role?.role === 'value') {
    const { kind } = role.spec;
    if (kind === 'secret') return { ...place, tone: 'plain', isSecret: true };
    return { ...place, tone: kind === 'path' ? 'path' : kind === 'data' ? 'value' : 'plain' };
  }
  return { ...place, tone: isOptionLike(word) ? 'option' : 'plain' };
}

/** Later marks override earlier ones, except secrets. */
function spansOf(text: string, marks: readonly Mark[]): readonly Span[] {
  const edges = new Set([0, text.length]);
  for (const { start, end } of marks) edges.add(start).add(Math.min(end, text.length));
  const cuts = [...edges].sort((a, b) => a - b);
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? text.length;
    const covering = marks.filter((mark) => mark.start <= start && mark.end >= end);
    const piece = text.slice(start, end);
    const isSecret = covering.some((mark) => mark.isSecret === true);
    return {
      text: isSecret ? '•'.repeat(piece.length) : piece,
      tone: covering.at(-1)?.tone ?? 'plain',
    };
  });
}

function synopsisAt(
  cursor: number,
  statements: readonly Statement[],
  vocabulary: Vocabulary,
): string | undefined {
  const current = statements.findLast(({ start }) => start <= cursor);
  const command = vocabulary.callOf(current?.tokens ?? [])?.command;
  return command === undefined ? undefined : `${usageOf(command)}   ${command.summary}`;
}

function startsOne(text: string, words: readonly string[]): boolean {
  return words.some((word) => word.startsWith(text));
}

function withHint(message: string, hint: string | undefined): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}
