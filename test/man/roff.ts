/** Text for manual pages, and the places in their prose where declarations go. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';

/** Escapes backslashes, dashes, quotes, and a dot that would begin a request. */
export function escapeRoff(plain: string): string {
  return plain
    .replace(/\\/g, '\\e')
    .replace(/-/g, '\\-')
    .replace(/'/g, '\\(aq')
    .replace(/"/g, '\\(dq')
    .replace(/^(?=\.)/, '\\&');
}

export function sentence(text: string): string {
  const full = /[.?]$/.test(text) ? text : `${text}.`;
  return escapeRoff(`${full.charAt(0).toUpperCase()}${full.slice(1)}`);
}

/** A tagged paragraph of man(7). */
export function item(font: 'B' | 'I', term: string, meaning: string): string {
  return `.TP\n.${font} ${escapeRoff(term)}\n${sentence(meaning)}`;
}

/** The text that replaces a line `.\" @name words` of the prose, by name. */
export type Directives = Readonly<Record<string, (words: string) => string>>;

/** A page made of `man/prose/<name>`. @throws Error for a directive of another name */
export function expand(name: string, directives: Directives): string {
  const prose = readFileSync(join(repositoryRoot(), 'man', 'prose', name), 'utf8');
  const page = prose.replace(/^\.\\" @(\S+) ?(.*)$/gm, (line, directive: string, words: string) => {
    const render = directives[directive];
    if (render === undefined) throw new Error(`man/prose/${name}: ${line}: unknown directive`);
    return render(words);
  });
  return `.\\" Made of man/prose/${name} and the declarations: npm run man.\n${page}`;
}

/** Something declared that a list of a page has a term for. */
export interface Declared {
  /** As the prose calls it: `--keep`, `snap top`, `64`. */
  readonly name: string;
  /** Ready for a macro. */
  readonly term: string;
  readonly summary: string;
}

/**
 * `@<kind> a, b` is the line of the term of both, with the prose after it; `@other-<kind>s` stands
 * for all that have no prose, with their summaries.
 * @param lineOf makes the line of the terms
 */
export function listDirectives(
  kind: string,
  declared: readonly Declared[],
  lineOf: (terms: readonly string[]) => string,
): { readonly directives: Directives; readonly left: ReadonlySet<Declared> } {
  const left = new Set(declared);
  const take = (name: string): string => {
    const found = [...left].find((each) => each.name === name);
    if (found === undefined) throw new Error(`${kind} ${name}: not declared, or given twice`);
    left.delete(found);
    return found.term;
  };
  const directives: Directives = {
    [kind]: (words) => lineOf(words.split(', ').map(take)),
    [`other-${kind}s`]: () => {
      const rest = [...left].map(({ term, summary }) => `${lineOf([term])}\n${sentence(summary)}`);
      left.clear();
      return rest.join('\n');
    },
  };
  return { directives, left };
}

/** @throws Error for a declaration that has no place on the page */
export function expectAll(page: string, ...lists: readonly { left: ReadonlySet<Declared> }[]) {
  const names = lists.flatMap(({ left }) => [...left].map(({ name }) => name));
  if (names.length > 0) throw new Error(`${page}: no place for ${names.join(', ')}`);
}
