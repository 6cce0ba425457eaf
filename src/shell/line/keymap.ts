// Key names are those of key-decoder.ts; Emacs keys follow readline.
import type { Key } from '../terminal/key-decoder.js';
import type { LineAction } from './line-editor.js';

export type KeyAction =
  | { readonly type: 'edit'; readonly action: LineAction }
  | { readonly type: 'enter' }
  | { readonly type: 'newline' }
  | { readonly type: 'complete' }
  | { readonly type: 'interrupt' }
  | { readonly type: 'end-of-input' }
  | { readonly type: 'clear-screen' }
  | { readonly type: 'scroll'; readonly step: 1 | -1 }
  | { readonly type: 'escape' }
  /** vi-keys.ts reads it. */
  | { readonly type: 'vi'; readonly key: Key }
  | { readonly type: 'answer'; readonly isYes: boolean };

/** The receiver of the keys: the line, a history search, or a question of a command. */
export type KeyMode = 'line' | 'vi' | 'search' | 'question';

const edit = (
  type: Exclude<LineAction['type'], 'insert' | 'replace' | 'set-text' | 'put'>,
): KeyAction => ({
  type: 'edit',
  action: { type },
});

const ANYWHERE: Readonly<Record<string, KeyAction>> = {
  'ctrl-c': { type: 'interrupt' },
  'ctrl-l': { type: 'clear-screen' },
  'page-up': { type: 'scroll', step: 1 },
  'page-down': { type: 'scroll', step: -1 },
};

const LINE: Readonly<Record<string, KeyAction>> = {
  ...ANYWHERE,
  enter: { type: 'enter' },
  'alt-enter': { type: 'newline' },
  tab: { type: 'complete' },
  escape: { type: 'escape' },
  'ctrl-d': { type: 'end-of-input' },
  left: edit('left'),
  'ctrl-b': edit('left'),
  right: edit('right'),
  'ctrl-f': edit('right'),
  'ctrl-left': edit('word-left'),
  'alt-left': edit('word-left'),
  'alt-b': edit('word-left'),
  'ctrl-right': edit('word-right'),
  'alt-right': edit('word-right'),
  'alt-f': edit('word-right'),
  home: edit('line-start'),
  'ctrl-a': edit('line-start'),
  end: edit('line-end'),
  'ctrl-e': edit('line-end'),
  up: edit('line-up'),
  down: edit('line-down'),
  'ctrl-p': edit('history-previous'),
  'ctrl-n': edit('history-next'),
  backspace: edit('delete-left'),
  delete: edit('delete-right'),
  'ctrl-w': edit('kill-word-left'),
  'alt-backspace': edit('kill-name-left'),
  'alt-d': edit('kill-word-right'),
  'ctrl-delete': edit('kill-word-right'),
  'ctrl-u': edit('kill-to-start'),
  'ctrl-k': edit('kill-to-end'),
  'ctrl-y': edit('yank'),
  'ctrl-t': edit('transpose'),
  'ctrl-r': edit('search'),
};

const SEARCH: Readonly<Record<string, KeyAction>> = {
  ...LINE,
  // Tab and Escape keep the match for editing; Ctrl-G cancels, as in readline.
  tab: edit('search-accept'),
  escape: edit('search-accept'),
  'ctrl-g': edit('search-cancel'),
};

const QUESTION: Readonly<Record<string, KeyAction>> = {
  ...ANYWHERE,
  enter: { type: 'answer', isYes: false },
  escape: { type: 'answer', isYes: false },
  'ctrl-d': { type: 'answer', isYes: false },
};

const MAPS: Readonly<Record<Exclude<KeyMode, 'vi'>, Readonly<Record<string, KeyAction>>>> = {
  line: LINE,
  search: SEARCH,
  question: QUESTION,
};

export function actionOf(key: Key, mode: KeyMode): KeyAction | undefined {
  if (mode === 'vi') return { type: 'vi', key };
  if (key.type === 'key')
    return Object.hasOwn(MAPS[mode], key.name) ? MAPS[mode][key.name] : undefined;
  if (mode !== 'question') return { type: 'edit', action: { type: 'insert', text: key.text } };
  // A paste is never an answer.
  if (key.type === 'paste' || !/^[yn]$/i.test(key.text)) return undefined;
  return { type: 'answer', isYes: key.text.toLowerCase() === 'y' };
}

export function isTab(action: KeyAction): boolean {
  if (action.type !== 'vi') return action.type === 'complete';
  return action.key.type === 'key' && action.key.name === 'tab';
}
