import { nextBoundary, previousBoundary } from '../../commands/terminal/text-width.js';
import type { Key } from '../terminal/key-decoder.js';
import { actionOf, type KeyAction } from './keymap.js';
import type { LineState } from './line-editor.js';
import { type Found, restartVi, type ViState } from './vi-state.js';

// The keys of vi as a pure reducer. The actions are those of the other keys; `put` is an edit that
// only vi makes.

export interface ViStep {
  readonly vi: ViState;
  readonly action: KeyAction | undefined;
}

const MAX_UNDO = 200;
const BEGUN = /^(?:[1-9]\d*)?(?:r|(?:[dcy](?:[1-9]\d*)?)?[fFtT]?)$/;
const COMMAND = /^([1-9]\d*)?(?:([dcy])([1-9]\d*)?)?(?:([fFtTr])(.+)|(.))$/su;
const CHANGE = /^\d*[dcrxXsSDCpPiaIA]/;

/** One key for each character of a text; a fast Escape and a key arrive as `alt-` and the key. */
export function viKeys(key: Key): readonly Key[] {
  if (key.type === 'paste') return [key];
  if (key.type === 'text') return [...key.text].map((text) => ({ type: 'text', text }));
  const [, text] = /^alt-(.)$/u.exec(key.name) ?? [];
  if (text === undefined) return [key];
  return [
    { type: 'key', name: 'escape' },
    { type: 'text', text },
  ];
}

export function pressVi(vi: ViState, line: LineState, key: Key): ViStep {
  if (key.type === 'key') return pressNamed(vi, line, key);
  if (vi.mode === 'insert' || key.type === 'paste') return { vi, action: actionOf(key, 'line') };
  const pending = vi.pending + key.text;
  if (BEGUN.test(pending)) return { vi: { ...vi, pending }, action: undefined };
  const idle = { ...vi, pending: '' };
  const [, count, isAgain] = /^(\d*)(\.)?/.exec(pending) ?? [];
  if (isAgain !== undefined) return repeat(idle, line, count ?? '');
  return recorded(run(idle, line, pending), pending);
}

function run(idle: ViState, line: LineState, keys: string): ViStep {
  const [, first, operator, second, finder, char = '', plain = ''] = COMMAND.exec(keys) ?? [];
  const count = Math.min(999, Number(first ?? 1) * Number(second ?? 1));
  if (finder === 'r') return replaceChars(idle, line, char, count);
  const found = finder === undefined ? repeatedFind(idle, plain) : { motion: finder, sought: char };
  const { motion, sought } = found ?? { motion: plain, sought: '' };
  const vi = finder === undefined ? idle : { ...idle, found };
  if (operator !== undefined) return operate(vi, line, operator, motion, sought, count);
  const target = viTarget(line.text, line.cursor, motion, sought, count);
  if (target !== undefined) return { vi, action: put(line, line.text, target.to) };
  return command(vi, line, plain, count);
}

function repeatedFind({ found }: ViState, key: string): Found | undefined {
  if (found === undefined || !/[;,]/.test(key)) return undefined;
  const { motion, sought } = found;
  if (key === ';') return found;
  const isUpper = motion === motion.toUpperCase();
  return { motion: isUpper ? motion.toLowerCase() : motion.toUpperCase(), sought };
}

function recorded({ vi, action }: ViStep, keys: string): ViStep {
  const made = CHANGE.test(keys) ? putOf(action) : undefined;
  if (made === undefined) return { vi, action };
  if (vi.mode === 'normal') return { vi: { ...vi, change: { keys, inserted: '' } }, action };
  const [prefix, suffix] = [made.text.slice(0, made.cursor), made.text.slice(made.cursor)];
  return { vi: { ...vi, insertion: { keys, prefix, suffix } }, action };
}

/** @param count replaces that of the change, unless empty */
function repeat(vi: ViState, line: LineState, count: string): ViStep {
  const { change } = vi;
  if (change === undefined) return { vi, action: undefined };
  const keys = count === '' ? change.keys : count + change.keys.replace(/^\d+/, '');
  const step = run({ ...vi, change: { ...change, keys } }, line, keys);
  const made = putOf(step.action);
  if (made === undefined || step.vi.mode === 'normal') return step;
  const text = made.text.slice(0, made.cursor) + change.inserted + made.text.slice(made.cursor);
  const cursor = previousBoundary(text, made.cursor + change.inserted.length);
  return { vi: { ...step.vi, mode: 'normal' }, action: put(line, text, cursor, made.killed) };
}

function putOf(action: KeyAction | undefined) {
  return action?.type === 'edit' && action.action.type === 'put' ? action.action : undefined;
}

/** Ends an insertion, which `.` can repeat if the rest of the line is the same. */
function inserted(vi: ViState, { text }: LineState): ViState {
  const { insertion } = vi;
  if (insertion === undefined) return vi;
  const { keys, prefix, suffix } = insertion;
  const idle = { ...vi, insertion: undefined };
  const isKnown =
    text.startsWith(prefix) && text.endsWith(suffix) && text.length >= (prefix + suffix).length;
  if (!isKnown) return idle;
  const added = text.slice(prefix.length, text.length - suffix.length);
  return { ...idle, change: { keys, inserted: added } };
}

/** In normal mode, the cursor is on a character. */
export function onCharacter(line: LineState): LineState {
  const last = lastStart(line.text);
  return line.cursor > last ? { ...line, cursor: last } : line;
}

function pressNamed(vi: ViState, line: LineState, key: Key & { type: 'key' }): ViStep {
  const { name } = key;
  if (name === 'escape') {
    if (vi.mode === 'normal') return { vi: { ...vi, pending: '' }, action: undefined };
    const cursor = previousBoundary(line.text, line.cursor);
    const ended = inserted(vi, line);
    return { vi: { ...ended, mode: 'normal', pending: '' }, action: put(line, line.text, cursor) };
  }
  const isNewLine = name === 'enter' || name === 'ctrl-c';
  const isBack = vi.mode === 'normal' && name === 'backspace';
  const action = actionOf(isBack ? { type: 'key', name: 'left' } : key, 'line');
  return { vi: isNewLine ? restartVi(vi) : { ...vi, pending: '' }, action };
}

function put(line: LineState, text: string, cursor: number, killed = line.killed): KeyAction {
  return { type: 'edit', action: { type: 'put', text, cursor, killed } };
}

function remember(vi: ViState, { text, cursor }: LineState): ViState {
  return { ...vi, undo: [...vi.undo, { text, cursor }].slice(-MAX_UNDO) };
}

/** Deletes from `from` to `to` into the register, and inserts afterwards if asked. */
function cut(vi: ViState, line: LineState, from: number, to: number, isChange: boolean): ViStep {
  const text = line.text.slice(0, from) + line.text.slice(to);
  const next = remember(vi, line);
  return {
    vi: isChange ? { ...next, mode: 'insert' } : next,
    action: put(line, text, from, line.text.slice(from, to)),
  };
}

function operate(
  vi: ViState,
  line: LineState,
  operator: string,
  motion: string,
  sought: string,
  count: number,
): ViStep {
  const { text, cursor } = line;
  const isChange = operator === 'c';
  const isWhole = motion === operator;
  // As in vi, cw keeps the blanks after the word.
  const isOnWord = /\S/.test(text[cursor] ?? '');
  const isWord = isChange && isOnWord && /[wW]/.test(motion);
  const [moved, steps] = isWord
    ? [motion.replace('w', 'e').replace('W', 'E'), count - Number(endsWord(text, cursor, motion))]
    : [motion, count];
  const target = isWhole
    ? { to: text.length, isInclusive: false }
    : viTarget(text, cursor, moved, sought, steps);
  if (target === undefined) return { vi, action: undefined };
  const start = isWhole ? 0 : cursor;
  const from = Math.min(start, target.to);
  const last = Math.max(start, target.to);
  const to = target.isInclusive ? nextBoundary(text, last) : last;
  if (operator === 'y') return { vi, action: put(line, text, from, text.slice(from, to)) };
  return cut(vi, line, from, to, isChange);
}

function replaceChars(vi: ViState, line: LineState, char: string, count: number): ViStep {
  const { text, cursor } = line;
  const to = forward(text, cursor, count);
  if (to === undefined) return { vi, action: undefined };
  const replaced = text.slice(0, cursor) + char.repeat(count) + text.slice(to);
  const at = cursor + char.length * (count - 1);
  return { vi: remember(vi, line), action: put(line, replaced, at) };
}

/** Undefined if there are fewer characters. */
function forward(text: string, cursor: number, count: number): number | undefined {
  let to = cursor;
  for (let n = 0; n < count; n++) {
    const next = nextBoundary(text, to);
    if (next === to) return undefined;
    to = next;
  }
  return to;
}

function command(vi: ViState, line: LineState, key: string, count: number): ViStep {
  const { text, cursor, killed } = line;
  const insertAt = (at: number): ViStep => ({
    vi: { ...remember(vi, line), mode: 'insert' },
    action: put(line, text, at),
  });
  const paste = (at: number): ViStep => {
    const added = killed.repeat(count);
    if (added === '') return { vi, action: undefined };
    const whole = text.slice(0, at) + added + text.slice(at);
    const last = at + lastStart(added);
    return { vi: remember(vi, line), action: put(line, whole, last) };
  };
  const end = forward(text, cursor, count) ?? text.length;
  switch (key) {
    case 'i':
      return insertAt(cursor);
    case 'a':
      return insertAt(nextBoundary(text, cursor));
    case 'I':
      return insertAt(/^\s*/.exec(text)?.[0].length ?? 0);
    case 'A':
      return insertAt(text.length);
    case 'x':
      return end === cursor ? { vi, action: undefined } : cut(vi, line, cursor, end, false);
    case 's':
      return cut(vi, line, cursor, end, true);
    case 'S':
      return cut(vi, line, 0, text.length, true);
    case 'D':
      return cut(vi, line, cursor, text.length, false);
    case 'C':
      return cut(vi, line, cursor, text.length, true);
    case 'X':
      return cut(vi, line, previousBoundary(text, cursor), cursor, false);
    case 'p':
      return paste(nextBoundary(text, cursor));
    case 'P':
      return paste(cursor);
    case 'u':
      return undo(vi, line);
    default:
      return { vi, action: HISTORY[key] };
  }
}

const HISTORY: Readonly<Record<string, KeyAction>> = {
  j: { type: 'edit', action: { type: 'history-next' } },
  k: { type: 'edit', action: { type: 'history-previous' } },
  '/': { type: 'edit', action: { type: 'search' } },
  '?': { type: 'edit', action: { type: 'search' } },
  n: { type: 'edit', action: { type: 'search-older' } },
  N: { type: 'edit', action: { type: 'search-newer' } },
};

function undo(vi: ViState, line: LineState): ViStep {
  const before = vi.undo.at(-1);
  if (before === undefined) return { vi, action: undefined };
  const rest = { ...vi, undo: vi.undo.slice(0, -1) };
  // A change that an insertion took back on its own is not worth a step.
  if (before.text === line.text) return undo(rest, line);
  return { vi: rest, action: put(line, before.text, before.cursor) };
}

// The motions of vi on one line, as offsets that never split a grapheme.

export interface Target {
  readonly to: number;
  /** Whether an operator also takes the character at the target. */
  readonly isInclusive: boolean;
}

/** Undefined for a motion that does not exist or finds nothing. @param sought by f, F, t, and T */
function viTarget(
  text: string,
  cursor: number,
  motion: string,
  sought: string,
  count: number,
): Target | undefined {
  if (/[fFtT]/.test(motion)) return findChar(text, cursor, motion, sought, count);
  const step = STEPS[motion];
  if (step === undefined) return undefined;
  let to = cursor;
  for (let n = 0; n < count; n++) to = step(text, to);
  return { to, isInclusive: /[eE$]/.test(motion) };
}

type Step = (text: string, at: number) => number;
type Kind = (char: string) => number;

const small: Kind = (char) => (/\s/.test(char) ? 0 : /[\p{L}\p{N}\p{M}_]/u.test(char) ? 1 : 2);
const big: Kind = (char) => (/\s/.test(char) ? 0 : 1);

const STEPS: Readonly<Record<string, Step>> = {
  h: previousBoundary,
  l: nextBoundary,
  ' ': nextBoundary,
  '0': () => 0,
  '^': (text) => /^\s*/.exec(text)?.[0].length ?? 0,
  $: (text) => lastStart(text),
  w: (text, at) => nextWord(text, at, small),
  W: (text, at) => nextWord(text, at, big),
  b: (text, at) => previousWord(text, at, small),
  B: (text, at) => previousWord(text, at, big),
  e: (text, at) => wordEnd(text, at, small),
  E: (text, at) => wordEnd(text, at, big),
};

/** Where the last character begins. */
function lastStart(text: string): number {
  return previousBoundary(text, text.length);
}

function kindAt(text: string, at: number, kind: Kind): number {
  return kind(text.slice(at, nextBoundary(text, at)));
}

/** Whether the word of `w` or `W` that contains `at` ends there. */
function endsWord(text: string, at: number, motion: string): boolean {
  const kind = motion === 'W' ? big : small;
  return kindAt(text, at, kind) !== kindAt(text, nextBoundary(text, at), kind);
}

function nextWord(text: string, start: number, kind: Kind): number {
  let at = start;
  const first = kindAt(text, at, kind);
  while (at < text.length && kindAt(text, at, kind) === first) at = nextBoundary(text, at);
  while (at < text.length && kindAt(text, at, kind) === 0) at = nextBoundary(text, at);
  return at;
}

function previousWord(text: string, start: number, kind: Kind): number {
  let at = previousBoundary(text, start);
  while (at > 0 && kindAt(text, at, kind) === 0) at = previousBoundary(text, at);
  const first = kindAt(text, at, kind);
  for (;;) {
    const before = previousBoundary(text, at);
    if (before === at || kindAt(text, before, kind) !== first) return at;
    at = before;
  }
}

function wordEnd(text: string, start: number, kind: Kind): number {
  let at = nextBoundary(text, start);
  while (at < text.length && kindAt(text, at, kind) === 0) at = nextBoundary(text, at);
  if (at >= text.length) return lastStart(text);
  const first = kindAt(text, at, kind);
  for (;;) {
    const after = nextBoundary(text, at);
    if (after >= text.length || kindAt(text, after, kind) !== first) return at;
    at = after;
  }
}

function findChar(
  text: string,
  cursor: number,
  motion: string,
  sought: string,
  count: number,
): Target | undefined {
  const isBack = /[FT]/.test(motion);
  let at = cursor;
  for (let n = 0; n < count; n++) {
    at = isBack ? (at === 0 ? -1 : text.lastIndexOf(sought, at - 1)) : text.indexOf(sought, at + 1);
    if (at === -1) return undefined;
  }
  if (motion === 't') at = previousBoundary(text, at);
  if (motion === 'T') at = nextBoundary(text, at);
  return { to: at, isInclusive: !isBack };
}
