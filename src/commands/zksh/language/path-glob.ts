// Patterns of paths, as shells have them. Pure.
//
//   *  any characters of a name    ?  one    [a-z] [!a-z]  one of these, none of these
//   **  as a whole name: any number of names; at the end at least one, so that /a/** is not /a
//   {a,b}  either; each of them is a pattern of its own, and may hold a slash
//
// A sign with a backslash before it stands for itself. There are no hidden names, but a pattern
// does not find the server's own /zookeeper where its first name is one.

import { Matcher } from '@isaacs/nonrecursive-glob-match';
import { pathFault } from '../../../protocol/path.js';
import { resolvePath } from './resolve-path.js';

/** What means something in a pattern, or inside of brackets and braces. */
export const GLOB_SIGNS: ReadonlySet<string> = new Set('*?[]{},!^-\\');

export interface NameTest {
  test(name: string): boolean;
}

export type NamePattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'match'; readonly fits: NameTest }
  | { readonly kind: 'any-depth' };

/** One path of a pattern whose braces were taken apart. */
export interface PathPattern {
  /** As it can be shown. */
  readonly text: string;
  /** From the root down; empty for the root itself. */
  readonly names: readonly NamePattern[];
}

const MAX_ALTERNATIVES = 10_000;

/**
 * What a pattern stands for; undefined when it is a plain path, as `/a{b}` is.
 * @param pattern with a backslash before each sign that means itself
 * @throws RangeError when its braces come to more than 10,000 patterns, or brackets hold
 *   a range from a later to an earlier character
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

/** Why a word can be no pattern of paths, as a clause; undefined when it can. */
export function patternFault(pattern: string): string | undefined {
  try {
    for (const { text } of parsePathGlob(pattern, '/') ?? []) {
      const fault = pathFault(text);
      if (fault !== undefined) return `${text} is not a path: ${fault}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/**
 * Fits names, or whole texts, that hold no slash.
 * @throws RangeError for what is no pattern
 */
export function parseNameGlob(glob: string): NameTest {
  const tests = expandBraces(glob)
    .filter((name) => !name.includes('/'))
    .map(nameTest);
  return { test: (name) => !name.includes('/') && tests.some((each) => each.test(name)) };
}

/** Their inside; the matcher itself would pass over ranges from a later to an earlier character. */
const BRACKETS = /\\.|\[[!^]?((?:\\.|[^\\])(?:\\.|[^\\\]])*)\]/gsu;
const RANGE = /(\\.|[^\\])-(\\.|[^\\])/gsu;

function lastCode(text: string): number {
  return [...text].at(-1)?.codePointAt(0) ?? 0;
}

/** Its time is linear in the name: a regular expression would try all ways to share it out. */
function nameTest(glob: string): NameTest {
  for (const [, inside = ''] of glob.matchAll(BRACKETS)) {
    for (const [, from = '', to = ''] of inside.matchAll(RANGE)) {
      if (lastCode(from) <= lastCode(to)) continue;
      throw new RangeError(`"${glob}" is no pattern: its brackets hold no range`);
    }
  }
  return new Matcher(glob, { dot: true, noext: true });
}

export function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{},!^\\-]/g, '\\$&');
}

/** The alternatives of all braces, in order; braces without a comma or an end are no braces. */
export function expandBraces(pattern: string): readonly string[] {
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === '\\') at++;
    const inside = char === '{' ? readBraces(pattern, at) : undefined;
    if (inside === undefined) continue;
    const before = pattern.slice(0, at);
    const starts = inside.alternatives.flatMap((alternative) => expandBraces(alternative));
    const ends = expandBraces(pattern.slice(inside.end));
    if (starts.length * ends.length > MAX_ALTERNATIVES) {
      throw new RangeError(`its braces come to more than ${MAX_ALTERNATIVES} patterns`);
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
  return /[*?]/.test(bare) || /\[.+\]/s.test(bare);
}

function unescapeGlob(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

/** An expression that fits the text itself. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\/]/g, '\\$&');
}
