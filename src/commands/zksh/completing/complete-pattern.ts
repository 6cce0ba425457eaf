// TAB after a pattern lists its matches and does not change it. A name begun after a pattern is
// completed from the children of all matches.

import type { ListChildren } from '../../znodes/complete-path.js';
import { type NamePattern, parsePathGlob } from '../../znodes/path-glob.js';
import type { Found } from './complete.js';

export const NOTHING: Found = { prefix: '', choices: [] };

const MAX_PARENTS = 64;

/** @param pattern `text` with a backslash before each quoted pattern character */
export async function completePattern(
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
