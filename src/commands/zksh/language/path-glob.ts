// Patterns of paths, as shells have them. Pure.
//
//   *  any characters of a name    ?  one    [a-z] [!a-z]  one of these, none of these
//   **  as a whole name: any number of names; at the end at least one, so that /a/** is not /a
//   {a,b}  either; each of them is a pattern of its own, and may hold a slash
//
// A sign with a backslash before it stands for itself. There are no hidden names, but a pattern
// does not find the server's own /zookeeper where its first name is one.

import { pathFault } from '../../../protocol/path.js';
import { resolvePath } from './resolve-path.js';

/** What means something in a pattern, or inside of brackets and braces. */
export const GLOB_SIGNS: ReadonlySet<string> = new Set('*?[]{},!^-\\');

export type NamePattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'match'; readonly fits: RegExp }
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
export function globToRegExp(glob: string): RegExp {
  return regExpOf(expandBraces(glob).map(nameSource).join('|'), glob);
}

function regExpOf(source: string, glob: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`, 'u');
  } catch (cause) {
    throw new RangeError(`"${glob}" is no pattern: its brackets hold no range`, { cause });
  }
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
    ? { kind: 'match', fits: regExpOf(nameSource(text), text) }
    : { kind: 'name', name: unescapeGlob(text) };
}

function isPattern(name: string): boolean {
  const bare = name.replace(/\\./gs, '');
  return /[*?]/.test(bare) || /\[.+\]/s.test(bare);
}

function unescapeGlob(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}

/** Without braces: they stand for themselves here. */
function nameSource(glob: string): string {
  let source = '';
  for (let at = 0; at < glob.length; at++) {
    const char = glob.charAt(at);
    const bracket = char === '[' ? readBracket(glob, at) : undefined;
    if (bracket !== undefined) {
      source += bracket.source;
      at = bracket.end - 1;
    } else if (char === '*') {
      if (!source.endsWith('[^/]*')) source += '[^/]*';
    } else if (char === '?') source += '[^/]';
    else if (char === '\\' && at + 1 < glob.length) source += escapeRegExp(glob.charAt(++at));
    else source += escapeRegExp(char);
  }
  return source;
}

/** `[a-z]`, `[!a-z]`, `[]a]`; undefined where it does not end. */
function readBracket(
  glob: string,
  start: number,
): { readonly source: string; readonly end: number } | undefined {
  let at = start + 1;
  const isNegated = glob.charAt(at) === '!' || glob.charAt(at) === '^';
  if (isNegated) at++;
  let inside = '';
  for (const first = at; at < glob.length; at++) {
    const char = glob.charAt(at);
    if (char === ']' && at > first) {
      return { source: `[${isNegated ? '^/' : ''}${inside}]`, end: at + 1 };
    }
    if (char === '\\' && at + 1 < glob.length) inside += inClass(glob.charAt(++at), true);
    else inside += inClass(char, false);
  }
  return undefined;
}

/** A dash that is not quoted makes a range. */
function inClass(char: string, isQuoted: boolean): string {
  return /[\][\\^]/.test(char) || (isQuoted && char === '-') ? `\\${char}` : char;
}

/** An expression that fits the text itself. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.+*?^${}()|[\]\\/]/g, '\\$&');
}
