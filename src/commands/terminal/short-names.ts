import { graphemes, textWidth, truncate } from './text-width.js';

const ELLIPSIS = '…';

/**
 * Names of members for a table, in at most `limit` columns each: without the end that all share
 * (`zk-0.zk.prod.svc.cluster.local:2181`), then cut in the middle. Names that fit stay, and names
 * stay different.
 */
export function shortNames(names: readonly string[], limit: number): readonly string[] {
  if (names.every((name) => textWidth(name) <= limit)) return names;
  const end = names.length > 1 ? commonEnd(names) : 0;
  const bare = names.map((name) => name.slice(0, name.length - end));
  const cut = bare.map((name) => cutMiddle(name, limit));
  return new Set(cut).size === new Set(names).size ? cut : bare;
}

/** The length of the end that all names share, from a dot or a colon on. */
function commonEnd(names: readonly string[]): number {
  const [first = '', ...others] = names;
  // A name may not become empty.
  const most = Math.min(...names.map(({ length }) => length)) - 1;
  let found = 0;
  for (let length = 1; length <= most; length++) {
    const end = first.slice(first.length - length);
    if (!others.every((name) => name.endsWith(end))) break;
    if (end.startsWith('.') || end.startsWith(':')) found = length;
  }
  return found;
}

/** `zookeeper-0…local:2181` */
function cutMiddle(name: string, columns: number): string {
  if (textWidth(name) <= columns) return name;
  const tail = Math.floor((columns - 1) / 2);
  const end = [...graphemes(name)].reverse().join('');
  const last = truncate(end, tail + 1).slice(0, -ELLIPSIS.length);
  const reversed = [...graphemes(last)].reverse().join('');
  return `${truncate(name, columns - textWidth(reversed))}${reversed}`;
}
