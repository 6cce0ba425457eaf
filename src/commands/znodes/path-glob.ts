// Path patterns, as in Unix shells.
//
//   *  any characters of a name    ?  one character    [a-z] [!a-z]  a character in or not in a set
//   **  as a whole name: any number of names; at the end at least one, so /a/** excludes /a
//   {a,b}  alternatives; each is a separate pattern and may contain slashes
//
// A backslash escapes a pattern character. Names are never hidden, but a pattern as the first name
// does not match /zookeeper.

// Its time is linear in the name, where a regular expression of many `*` is exponential.
import { Matcher } from '@isaacs/nonrecursive-glob-match';
import { pathFault } from '../../protocol/path.js';
import { resolvePath } from './resolve-path.js';

export interface NameTest {
  test(name: string): boolean;
}

export type NamePattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'match'; readonly fits: NameTest }
  | { readonly kind: 'any-depth' };

/** One alternative of a pattern, after brace expansion. */
export interface PathPattern {
  readonly text: string;
  /** From the root down; empty for the root. */
  readonly names: readonly NamePattern[];
}

const MAX_ALTERNATIVES = 10_000;
/** Each is compared with all later characters, and nested ones need stack. */
const MAX_BRACES = 500;

/**
 * Undefined for a plain path such as `/a{b}`.
 * @param pattern with a backslash before each literal pattern character
 * @throws RangeError for more than 500 braces, or 10,000 patterns, and for a reversed range
 */
export function parsePathGlob(pattern: string, cwd: string): readonly PathPattern[] | undefined {
  const alternatives = expandBraces(pattern);
  const texts = alternatives
    .filter((text) => text !== '')
    .map((text) => resolvePath(text, escapeGlob(cwd)));
  const patterns = [...new Set(texts)].map(toPathPattern);
  const isPlain = patterns.every(({ names }) => names.every(({ kind }) => kind === 'name'));
  return isPlain && alternatives.length === 1 ? undefined : patterns;
}

/** Undefined for a valid pattern. */
export function patternFault(pattern: string): string | undefined {
  try {
    for (const { text } of parsePathGlob(pattern, '/') ?? []) {
      const fault = pathFault(text);
      if (fault !== undefined) return `invalid path: ${text}: ${fault}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** A pattern for names without slashes. @throws RangeError for an invalid pattern */
export function parseNameGlob(glob: string): NameTest {
  const tests = expandBraces(glob)
    .filter((name) => !name.includes('/'))
    .map(nameTest);
  return { test: (name) => !name.includes('/') && tests.some((each) => each.test(name)) };
}

/** The matcher itself would ignore a reversed range in brackets. */
const BRACKETS = /\\.|\[[!^]?((?:\\.|[^\\])(?:\\.|[^\\\]])*)\]/gsu;
const RANGE = /(\\.|[^\\])-(\\.|[^\\])/gsu;

function lastCode(text: string): number {
  return [...text].at(-1)?.codePointAt(0) ?? 0;
}

/** Linear in time: a regular expression could backtrack exponentially. */
function nameTest(glob: string): NameTest {
  for (const [, inside = ''] of glob.matchAll(BRACKETS)) {
    for (const [, from = '', to = ''] of inside.matchAll(RANGE)) {
      if (lastCode(from) <= lastCode(to)) continue;
      throw new RangeError(`invalid pattern: "${glob}": reversed range in brackets`);
    }
  }
  return new Matcher(glob, { dot: true, noext: true });
}

/** A pattern that matches only the text. */
export function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{},!^\\-]/g, '\\$&');
}

/** Braces without a comma or an end are literal. @throws RangeError for too many */
export function expandBraces(pattern: string): readonly string[] {
  if (pattern.replace(/\\./gs, '').split('{').length > MAX_BRACES + 1) {
    throw new RangeError(`the pattern has more than ${MAX_BRACES} braces`);
  }
  return expand(pattern);
}

function expand(pattern: string): readonly string[] {
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '\\') at++;
    const inside = char === '{' ? readBraces(pattern, at) : undefined;
    if (inside === undefined) continue;
    const before = pattern.slice(0, at);
    const starts = inside.alternatives.flatMap(expand);
    const ends = expand(pattern.slice(inside.end));
    if (starts.length * ends.length > MAX_ALTERNATIVES) {
      throw new RangeError(`braces expand to more than ${MAX_ALTERNATIVES} patterns`);
    }
    return starts.flatMap((start) => ends.map((end) => before + start + end));
  }
  return [pattern];
}

function readBraces(
  pattern: string,
  start: number,
): { readonly alternatives: readonly string[]; readonly end: number } | undefined {
  const alternatives: string[] = [];
  let depth = 0;
  let from = start + 1;
  for (let at = start; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '\\') at++;
    else if (char === '{') depth++;
    else if (char === ',' && depth === 1) {
      alternatives.push(pattern.slice(from, at));
      from = at + 1;
    } else if (char === '}' && --depth === 0) {
      if (alternatives.length === 0) return undefined;
      return { alternatives: [...alternatives, pattern.slice(from, at)], end: at + 1 };
    }
  }
  return undefined;
}

function toPathPattern(pattern: string): PathPattern {
  const names = pattern.split('/').slice(1);
  return {
    text: unescapeGlob(pattern),
    names: pattern === '/' ? [] : names.map(toNamePattern),
  };
}

function toNamePattern(text: string): NamePattern {
  if (text === '**') return { kind: 'any-depth' };
  return isPattern(text)
    ? { kind: 'match', fits: nameTest(text) }
    : { kind: 'name', name: unescapeGlob(text) };
}

function isPattern(name: string): boolean {
  const bare = name.replace(/\\./gs, '');
  const open = bare.indexOf('[');
  return /[*?]/.test(bare) || (open !== -1 && bare.lastIndexOf(']') > open + 1);
}

function unescapeGlob(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

export function escapeRegExp(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\/]/g, '\\$&');
}
