import { linesOf } from './lines.js';

/** Headings with their entries, in the order of the answer. */
export type Groups = readonly (readonly [heading: string, entries: readonly string[]])[];

/** Each heading on a line, then its entries after a tab. */
export function formatGroups(groups: Groups): string {
  return groups
    .map(([heading, entries]) => `${heading}\n${entries.map((entry) => `\t${entry}\n`).join('')}`)
    .join('');
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
