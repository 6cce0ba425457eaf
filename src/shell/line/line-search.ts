// The search of the history: shows a match, and remembers where it is.
import type { LineState, Search } from './line-editor.js';

export function startSearch(line: LineState): LineState {
  const before = { text: line.text, cursor: line.cursor };
  return { ...line, search: { query: '', index: undefined, hasFailed: false, before } };
}

export function findFurther(
  line: LineState,
  search: Search,
  history: readonly string[],
): LineState {
  let from = (search.index ?? history.length) - 1;
  // Skip equal entries: the key would seem to do nothing.
  if (search.index !== undefined) while (from >= 0 && history[from] === line.text) from--;
  return find(line, search, search.query, from, history);
}

/** Without another match, the line stays. */
export function searchAgain(line: LineState, step: 1 | -1, history: readonly string[]): LineState {
  const { lastSearch: last } = line;
  if (last === undefined || last.query === '') return line;
  for (let index = (last.index ?? history.length) + step; ; index += step) {
    const text = history[index];
    if (text === undefined) return line;
    const at = text.lastIndexOf(last.query);
    if (at === -1 || text === line.text) continue;
    return { ...line, text, cursor: at, lastSearch: { ...last, index, hasFailed: false } };
  }
}

export function find(
  line: LineState,
  search: Search,
  query: string,
  from: number,
  history: readonly string[],
): LineState {
  if (query === '') {
    const reset = { ...search, query, index: undefined, hasFailed: false };
    return { ...line, ...search.before, search: reset };
  }
  for (let index = from; index >= 0; index--) {
    const text = history[index] ?? '';
    const at = text.lastIndexOf(query);
    if (at === -1) continue;
    return { ...line, text, cursor: at, search: { ...search, query, index, hasFailed: false } };
  }
  return { ...line, search: { ...search, query, hasFailed: true } };
}
