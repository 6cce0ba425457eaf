// The motions of vi on one line, as offsets that never split a grapheme.
import { nextBoundary, previousBoundary } from '../../commands/terminal/text-width.js';

export interface Target {
  readonly to: number;
  /** Whether an operator also takes the character at the target. */
  readonly isInclusive: boolean;
}

/** Undefined for a motion that does not exist or finds nothing. @param sought by f, F, t, and T */
export function viTarget(
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
export function lastStart(text: string): number {
  return previousBoundary(text, text.length);
}

function kindAt(text: string, at: number, kind: Kind): number {
  return kind(text.slice(at, nextBoundary(text, at)));
}

/** Whether the word of `w` or `W` that contains `at` ends there. */
export function endsWord(text: string, at: number, motion: string): boolean {
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
