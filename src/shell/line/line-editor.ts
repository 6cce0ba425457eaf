import { nextBoundary, previousBoundary } from '../../commands/terminal/text-width.js';

// A pure reducer of text and cursor. Offsets count UTF-16 units and never split a grapheme.

export interface LineState {
  readonly text: string;
  readonly cursor: number;
  /** The text for Ctrl-Y; consecutive kills are joined, as in readline. */
  readonly killed: string;
  readonly isKilling: boolean;
  /** The shown history entry, and the text typed before. */
  readonly recall: { readonly index: number; readonly draft: string } | undefined;
  readonly search: Search | undefined;
  /** The last accepted search, which n and N of vi repeat. */
  readonly lastSearch: Search | undefined;
}

export interface Search {
  readonly query: string;
  readonly index: number | undefined;
  readonly hasFailed: boolean;
  readonly before: { readonly text: string; readonly cursor: number };
}

export type LineAction =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'replace'; readonly from: number; readonly to: number; readonly text: string }
  | { readonly type: 'set-text'; readonly text: string }
  /** The whole line after a command of vi. */
  | ({ readonly type: 'put' } & Written)
  | { readonly type: LineMove }
  | { readonly type: LineKill }
  | { readonly type: 'yank' | 'transpose' }
  | { readonly type: 'line-up' | 'line-down' | 'history-previous' | 'history-next' }
  | { readonly type: 'search' | 'search-accept' | 'search-cancel' }
  | { readonly type: 'search-older' | 'search-newer' };

type Written = Pick<LineState, 'text' | 'cursor' | 'killed'>;
export type LineMove = 'left' | 'right' | 'word-left' | 'word-right' | 'line-start' | 'line-end';
export type LineKill =
  | 'delete-left'
  | 'delete-right'
  | 'kill-word-left'
  | 'kill-name-left'
  | 'kill-word-right'
  | 'kill-to-start'
  | 'kill-to-end';

export const EMPTY_LINE: LineState = {
  text: '',
  cursor: 0,
  killed: '',
  isKilling: false,
  recall: undefined,
  search: undefined,
  lastSearch: undefined,
};

export function editLine(
  line: LineState,
  action: LineAction,
  history: readonly string[],
): LineState {
  if (line.search !== undefined) return editSearch(line, line.search, action, history);
  switch (action.type) {
    case 'insert':
      return splice(line, line.cursor, line.cursor, action.text);
    case 'replace':
      return splice(line, action.from, action.to, action.text);
    case 'set-text':
      return { ...moveTo(line, action.text.length), text: action.text, recall: undefined };
    case 'put':
      return put(line, action);
    case 'yank':
      return splice(line, line.cursor, line.cursor, line.killed);
    case 'transpose':
      return transpose(line);
    case 'delete-left':
      return splice(line, previousBoundary(line.text, line.cursor), line.cursor, '');
    case 'delete-right':
      return splice(line, line.cursor, nextBoundary(line.text, line.cursor), '');
    case 'kill-word-left':
      return kill(line, wordStart(line.text, line.cursor, /\s/), line.cursor);
    case 'kill-name-left':
      return kill(line, wordStart(line.text, line.cursor, NOT_NAME), line.cursor);
    case 'kill-word-right':
      return kill(line, line.cursor, wordEnd(line.text, line.cursor));
    case 'kill-to-start':
      return kill(line, rowStart(line.text, line.cursor), line.cursor);
    case 'kill-to-end':
      return kill(line, line.cursor, killEnd(line.text, line.cursor));
    case 'line-up':
    case 'line-down':
    case 'history-previous':
    case 'history-next':
      return moveByRow(line, action.type, history);
    case 'search':
      return startSearch(line);
    case 'search-older':
    case 'search-newer':
      return searchAgain(line, action.type === 'search-older' ? -1 : 1, history);
    case 'search-accept':
    case 'search-cancel':
      return line;
    default:
      return moveTo(line, target(line, action.type));
  }
}

function put(line: LineState, { text, cursor, killed }: Written): LineState {
  const recall = text === line.text ? line.recall : undefined;
  return { ...moveTo(line, cursor), text, killed, recall };
}

const NOT_NAME = /[^\p{L}\p{N}\p{M}_]/u;

function target({ text, cursor }: LineState, move: LineMove): number {
  switch (move) {
    case 'left':
      return previousBoundary(text, cursor);
    case 'right':
      return nextBoundary(text, cursor);
    case 'word-left':
      return wordStart(text, cursor, NOT_NAME);
    case 'word-right':
      return wordEnd(text, cursor);
    case 'line-start':
      return rowStart(text, cursor);
    case 'line-end':
      return rowEnd(text, cursor);
  }
}

function moveTo(line: LineState, cursor: number): LineState {
  return { ...line, cursor, isKilling: false };
}

function splice(line: LineState, from: number, to: number, text: string): LineState {
  return {
    ...line,
    text: line.text.slice(0, from) + text + line.text.slice(to),
    cursor: from + text.length,
    isKilling: false,
    recall: undefined,
  };
}

function kill(line: LineState, from: number, to: number): LineState {
  const cut = line.text.slice(from, to);
  if (cut === '') return line;
  const earlier = line.isKilling ? line.killed : '';
  const killed = to === line.cursor ? cut + earlier : earlier + cut;
  return { ...splice(line, from, to, ''), killed, isKilling: true };
}

/** At the end of the line, swaps the last two. */
function transpose(line: LineState): LineState {
  const { text, cursor } = line;
  const end = nextBoundary(text, cursor);
  const middle = end === cursor ? previousBoundary(text, cursor) : cursor;
  const start = previousBoundary(text, middle);
  if (start === middle) return line;
  return splice(line, start, end, text.slice(middle, end) + text.slice(start, middle));
}

function rowStart(text: string, cursor: number): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function rowEnd(text: string, cursor: number): number {
  const found = text.indexOf('\n', cursor);
  return found === -1 ? text.length : found;
}

/** At the end of a row, deletes the line break. */
function killEnd(text: string, cursor: number): number {
  const end = rowEnd(text, cursor);
  return end === cursor ? Math.min(end + 1, text.length) : end;
}

function wordStart(text: string, cursor: number, separator: RegExp): number {
  let at = cursor;
  let hasWord = false;
  while (at > 0) {
    const before = previousBoundary(text, at);
    const isSeparator = separator.test(text.slice(before, at));
    if (isSeparator && hasWord) break;
    hasWord ||= !isSeparator;
    at = before;
  }
  return at;
}

function wordEnd(text: string, cursor: number): number {
  let at = cursor;
  let hasWord = false;
  while (at < text.length) {
    const after = nextBoundary(text, at);
    const isSeparator = NOT_NAME.test(text.slice(at, after));
    if (isSeparator && hasWord) break;
    hasWord ||= !isSeparator;
    at = after;
  }
  return at;
}

/** Moves between the rows of a text, then through the history. */
function moveByRow(
  line: LineState,
  type: 'line-up' | 'line-down' | 'history-previous' | 'history-next',
  history: readonly string[],
): LineState {
  const { text, cursor } = line;
  const start = rowStart(text, cursor);
  const end = rowEnd(text, cursor);
  if (type === 'line-up' && start > 0) {
    const above = rowStart(text, start - 1);
    return moveTo(line, snap(text, Math.min(above + cursor - start, start - 1)));
  }
  if (type === 'line-down' && end < text.length) {
    return moveTo(line, snap(text, Math.min(end + 1 + cursor - start, rowEnd(text, end + 1))));
  }
  const isPrefixed = type === 'line-up' || type === 'line-down';
  const step = type === 'line-up' || type === 'history-previous' ? -1 : 1;
  return recall(line, step, isPrefixed, history);
}

function snap(text: string, offset: number): number {
  return offset >= text.length ? text.length : previousBoundary(text, offset + 1);
}

/** Up and Down visit entries with the typed prefix; Ctrl-P and Ctrl-N visit all. */
function recall(
  line: LineState,
  step: number,
  isPrefixed: boolean,
  history: readonly string[],
): LineState {
  const from = line.recall ?? { index: history.length, draft: line.text };
  const prefix = isPrefixed ? from.draft : '';
  let index = from.index + step;
  while (history[index]?.startsWith(prefix) === false) index += step;
  if (index < 0 || index > history.length) return line;
  const text = history[index] ?? from.draft;
  const isBack = index === history.length;
  return {
    ...moveTo(line, text.length),
    text,
    recall: isBack ? undefined : { index, draft: from.draft },
  };
}

/** Typing narrows the search, Ctrl-R continues it, and other edits accept the match. */
function editSearch(
  line: LineState,
  search: Search,
  action: LineAction,
  history: readonly string[],
): LineState {
  switch (action.type) {
    case 'insert':
      return find(line, search, search.query + action.text, history.length - 1, history);
    case 'delete-left': {
      const query = search.query.slice(0, previousBoundary(search.query, search.query.length));
      return find(line, search, query, history.length - 1, history);
    }
    case 'search':
      return findFurther(line, search, history);
    case 'search-cancel':
      return { ...line, ...search.before, search: undefined };
    case 'search-accept':
      return { ...line, search: undefined, lastSearch: search };
    default:
      return editLine({ ...line, search: undefined, lastSearch: search }, action, history);
  }
}

// The search of the history: shows a match, and remembers where it is.

function startSearch(line: LineState): LineState {
  const before = { text: line.text, cursor: line.cursor };
  return { ...line, search: { query: '', index: undefined, hasFailed: false, before } };
}

function findFurther(line: LineState, search: Search, history: readonly string[]): LineState {
  let from = (search.index ?? history.length) - 1;
  // Skip equal entries: the key would seem to do nothing.
  if (search.index !== undefined) while (from >= 0 && history[from] === line.text) from--;
  return find(line, search, search.query, from, history);
}

/** Without another match, the line stays. */
function searchAgain(line: LineState, step: 1 | -1, history: readonly string[]): LineState {
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

function find(
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
