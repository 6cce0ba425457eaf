import { parentPath } from '../../protocol/path.js';
import {
  type BrowserState,
  type BrowserStep,
  indexOfSelected,
  just,
  list,
  refreshAll,
  select,
} from './browser-state.js';
import { isMatch, type TreeRow, treeRows, withNode } from './tree-rows.js';
import { nextForm, type ValueForm, viewOf } from './value-view.js';

export function pressKey(state: BrowserState, key: string): BrowserStep {
  if (state.search?.isTyped === true) return pressInSearch(state, state.search.text, key);
  const common = COMMON_KEYS[key];
  if (common !== undefined) return common(state);
  const keys = state.hasValueFocus ? VALUE_KEYS : TREE_KEYS;
  return keys[key]?.(state) ?? just(state);
}

type KeyStep = (state: BrowserState) => BrowserStep;

function leave(state: BrowserState): BrowserStep {
  return { state, effects: [{ type: 'leave', path: state.selected }] };
}

const COMMON_KEYS: Readonly<Record<string, KeyStep>> = {
  q: leave,
  'ctrl-c': leave,
  'ctrl-d': leave,
  tab: (state) => just({ ...state, hasValueFocus: !state.hasValueFocus }),
  v: (state) => showAs(state, nextForm(state.value.view?.form ?? 'text')),
  t: (state) => showAs(state, 'text'),
  s: (state) => showAs(state, 'json'),
  x: (state) => showAs(state, 'hex'),
  r: (state) => ({ ...refreshAll(state), state: { ...state, note: 'read again' } }),
  '/': (state) => just({ ...state, search: { text: '', isTyped: true } }),
  n: (state) => findNext(state, 1),
  'shift-n': (state) => findNext(state, -1),
};

const TREE_KEYS: Readonly<Record<string, KeyStep>> = {
  escape: leave,
  up: (state) => move(state, -1),
  k: (state) => move(state, -1),
  down: (state) => move(state, 1),
  j: (state) => move(state, 1),
  'page-up': (state) => move(state, 1 - state.treeHeight),
  'page-down': (state) => move(state, state.treeHeight - 1),
  home: (state) => move(state, Number.NEGATIVE_INFINITY),
  g: (state) => move(state, Number.NEGATIVE_INFINITY),
  end: (state) => move(state, Number.POSITIVE_INFINITY),
  'shift-g': (state) => move(state, Number.POSITIVE_INFINITY),
  right: openSelected,
  l: openSelected,
  enter: toggleSelected,
  left: closeSelected,
  h: closeSelected,
};

const VALUE_KEYS: Readonly<Record<string, KeyStep>> = {
  escape: (state) => just({ ...state, hasValueFocus: false }),
  up: (state) => scrollValue(state, -1),
  k: (state) => scrollValue(state, -1),
  down: (state) => scrollValue(state, 1),
  j: (state) => scrollValue(state, 1),
  'page-up': (state) => scrollValue(state, 1 - state.valueHeight),
  'page-down': (state) => scrollValue(state, state.valueHeight - 1),
  home: (state) => scrollValue(state, Number.NEGATIVE_INFINITY),
  end: (state) => scrollValue(state, Number.POSITIVE_INFINITY),
  left: (state) => just({ ...state, valueLeft: Math.max(0, state.valueLeft - 8) }),
  right: (state) => just({ ...state, valueLeft: state.valueLeft + 8 }),
};

function showAs(state: BrowserState, form: ValueForm): BrowserStep {
  const { value } = state;
  if (value.data === undefined) return just({ ...state, form });
  const view = viewOf(value.data, form, state.hexColumns);
  return just({ ...state, form, value: { ...value, view }, valueTop: 0, valueLeft: 0 });
}

function move(state: BrowserState, by: number): BrowserStep {
  const rows = treeRows(state.tree, state.root);
  const at = Math.max(0, Math.min(rows.length - 1, indexOfSelected(state) + by));
  return select(state, rows[at]?.path ?? state.root);
}

/** Expands a znode; an expanded one selects its first child. */
function openSelected(state: BrowserState): BrowserStep {
  const { selected, tree } = state;
  const node = tree.get(selected);
  if (node?.isOpen === true) return (node.children?.length ?? 0) > 0 ? move(state, 1) : just(state);
  if (node?.stat?.numChildren === 0) return just({ ...state, note: 'no children' });
  const opened = { ...state, tree: withNode(tree, selected, { isOpen: true }) };
  return { state: opened, effects: [list(selected)] };
}

function toggleSelected(state: BrowserState): BrowserStep {
  return state.tree.get(state.selected)?.isOpen === true ? close(state) : openSelected(state);
}

/** Collapses a znode; a collapsed one selects its parent. */
function closeSelected(state: BrowserState): BrowserStep {
  if (state.tree.get(state.selected)?.isOpen === true) return close(state);
  if (state.selected === state.root) return just(state);
  return select(state, parentPath(state.selected));
}

function close(state: BrowserState): BrowserStep {
  return just({ ...state, tree: withNode(state.tree, state.selected, { isOpen: false }) });
}

function scrollValue(state: BrowserState, by: number): BrowserStep {
  const last = Math.max(0, (state.value.view?.count ?? 0) - state.valueHeight);
  return just({ ...state, valueTop: Math.max(0, Math.min(last, state.valueTop + by)) });
}

export function typeText(state: BrowserState, text: string): BrowserStep {
  let last = just(state);
  for (const letter of text) {
    const next = typeLetter(last.state, letter);
    last = { state: next.state, effects: [...last.effects, ...next.effects] };
  }
  return last;
}

function typeLetter(state: BrowserState, letter: string): BrowserStep {
  const { search } = state;
  if (search?.isTyped === true) {
    return findFrom({ ...state, search: { ...search, text: search.text + letter } }, 0, 1);
  }
  // Terminals report Shift as a capital letter.
  const isCapital = letter !== letter.toLowerCase();
  return pressKey(state, isCapital ? `shift-${letter.toLowerCase()}` : letter);
}

function pressInSearch(state: BrowserState, text: string, key: string): BrowserStep {
  switch (key) {
    case 'enter':
      return accept(state, text);
    case 'escape':
    case 'ctrl-c':
      return just({ ...state, search: undefined });
    case 'backspace':
      return just({ ...state, search: { text: text.slice(0, -1), isTyped: true } });
    default:
      return just(state);
  }
}

/** Enter keeps the match that typing found; without one, it searches below closed znodes. */
function accept(state: BrowserState, text: string): BrowserStep {
  if (text === '') return just({ ...state, search: undefined });
  const accepted = { ...state, search: { text, isTyped: false } };
  return nextRow(accepted, 0, 1) === undefined ? findBelow(accepted, text) : just(accepted);
}

/** Forward, it searches below closed znodes, too, so that n reaches each match. */
function findNext(state: BrowserState, step: 1 | -1): BrowserStep {
  const { search } = state;
  if (search === undefined) return just(state);
  return step === 1 ? findBelow(state, search.text) : findFrom(state, step, step);
}

function findBelow(state: BrowserState, text: string): BrowserStep {
  const effect = { type: 'find', text, after: state.selected } as const;
  return { state: { ...state, note: `searching for "${text}" …` }, effects: [effect] };
}

/** Wraps around and ignores case. */
function findFrom(state: BrowserState, offset: number, step: 1 | -1): BrowserStep {
  const row = nextRow(state, offset, step);
  if (row !== undefined) return select(state, row.path);
  const note = `no match for "${state.search?.text}" in the open tree; Enter searches below it`;
  return just({ ...state, note });
}

function nextRow(state: BrowserState, offset: number, step: 1 | -1): TreeRow | undefined {
  const text = state.search?.text ?? '';
  const rows = treeRows(state.tree, state.root);
  const start = indexOfSelected(state) + offset;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[mod(start + i * step, rows.length)];
    if (row !== undefined && isMatch(row.name, text)) return row;
  }
  return undefined;
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by;
}
