import { linesOf } from './lines.js';

/** Headings with their entries, in the order of the answer. */
export type Groups = readonly (readonly [heading: string, entries: readonly string[]])[];

/** A heading on a line, then its entries after a tab. */
export function* formatGroup<T>(
  heading: string,
  entries: Iterable<T>,
  shown: (entry: T) => string,
): Generator<string> {
  yield `${heading}\n`;
  for (const entry of entries) yield `\t${shown(entry)}\n`;
}

/** Entries start with a tab (or blanks); an entry without a heading is kept as unknown. */
export function parseGroups(text: string): { groups: Groups; unknown: readonly string[] } {
  const groups: [string, string[]][] = [];
  const unknown: string[] = [];
  for (const line of linesOf(text)) {
    const group = groups.at(-1);
    if (!/^\s/.test(line)) groups.push([line.replace(/:$/, ''), []]);
    else if (group === undefined) unknown.push(line);
    else group[1].push(line.trim());
  }
  return { groups, unknown };
}
