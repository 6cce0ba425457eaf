// A pure reducer: keys and answers of the server in, requests out.

import type { Stat } from '../../protocol/data.js';
import { compareNames, isWithin } from '../../protocol/path.js';
import { pressKey, typeText } from './browser-keys.js';
import {
  type BrowserEffect,
  type BrowserEvent,
  type BrowserState,
  type BrowserStep,
  indexOfSelected,
  just,
  list,
  read,
  refreshAll,
  select,
} from './browser-state.js';
import { ancestorsOf, type BrowsedTree, treeRows, withNode } from './tree-rows.js';
import { viewOf } from './value-view.js';

export function stepBrowser(before: BrowserState, event: BrowserEvent): BrowserStep {
  const { state, effects } = step(before, event);
  const scrolled = scrollToSelected(state);
  return { state: scrolled, effects: [...effects, ...unreadStats(before, scrolled)] };
}

function step(state: BrowserState, event: BrowserEvent): BrowserStep {
  switch (event.type) {
    case 'key':
      return pressKey({ ...state, note: undefined }, event.key);
    case 'text':
      return typeText({ ...state, note: undefined }, event.text);
    case 'listed':
      return takeChildren(state, event);
    case 'unlisted': {
      const change = { children: [], fault: event.reason };
      return just({ ...state, tree: withNode(state.tree, event.path, change) });
    }
    case 'read': {
      const { path, data, stat } = event;
      const tree = withNode(state.tree, path, { stat });
      if (path !== state.selected) return just({ ...state, tree });
      const view = viewOf(data, state.form, state.hexColumns);
      const valueTop = Math.min(state.valueTop, Math.max(0, view.count - state.valueHeight));
      return just({ ...state, tree, valueTop, value: { path, data, stat, view } });
    }
    case 'unread': {
      const { path, reason } = event;
      if (path !== state.selected) return just(state);
      return just({ ...state, value: { path, fault: reason } });
    }
    case 'stats':
      return just({ ...state, tree: withStats(state.tree, event.stats) });
    case 'found':
      return reveal(state, event.path);
    case 'not-found':
      return just({ ...state, note: `no match for "${event.text}"` });
    case 'stale':
      return refresh(state, event.path);
    case 'server': {
      const updated = { ...state, server: event.server };
      return event.isBack ? refreshAll(updated) : just(updated);
    }
    case 'resized': {
      const { treeHeight, valueHeight, hexColumns } = event;
      const { data } = state.value;
      const view = data === undefined ? {} : { view: viewOf(data, state.form, hexColumns) };
      const value = { ...state.value, ...view };
      return just({ ...state, treeHeight, valueHeight, hexColumns, value });
    }
  }
}

function scrollToSelected(state: BrowserState): BrowserState {
  const at = indexOfSelected(state);
  const lowest = Math.max(0, at - state.treeHeight + 1);
  const top = Math.max(lowest, Math.min(state.top, at));
  return top === state.top ? state : { ...state, top };
}

function unreadStats(before: BrowserState, after: BrowserState): readonly BrowserEffect[] {
  const isSame =
    before.tree === after.tree &&
    before.top === after.top &&
    before.treeHeight === after.treeHeight;
  if (isSame) return [];
  const paths = treeRows(after.tree, after.root)
    .slice(after.top, after.top + after.treeHeight)
    .map(({ path }) => path)
    .filter((path) => after.tree.get(path)?.stat === undefined);
  return paths.length === 0 ? [] : [{ type: 'read-stats', paths }];
}

function takeChildren(
  state: BrowserState,
  { path, stat, ...listed }: Extract<BrowserEvent, { type: 'listed' }>,
): BrowserStep {
  const children = [...listed.children].sort(compareNames);
  const tree = withNode(withoutFault(state.tree, path), path, { children, stat });
  const next = { ...state, tree };
  const isThere = treeRows(tree, state.root).some((row) => row.path === state.selected);
  // Deleted: select the parent.
  return isThere ? just(next) : select(next, path);
}

function reveal(state: BrowserState, path: string): BrowserStep {
  const ancestors = ancestorsOf(path).filter((one) => isWithin(one, state.root));
  const tree = ancestors.reduce(
    (before, ancestor) => withNode(before, ancestor, { isOpen: true }),
    state.tree,
  );
  return select({ ...state, tree, note: undefined }, path);
}

function withoutFault(tree: BrowsedTree, path: string): BrowsedTree {
  const node = tree.get(path);
  if (node?.fault === undefined) return tree;
  const { fault: _, ...rest } = node;
  return new Map(tree).set(path, rest);
}

function withStats(tree: BrowsedTree, stats: ReadonlyMap<string, Stat>): BrowsedTree {
  const next = new Map(tree);
  for (const [path, stat] of stats) next.set(path, { isOpen: false, ...next.get(path), stat });
  return next;
}

function refresh(state: BrowserState, path: string): BrowserStep {
  const node = state.tree.get(path);
  const effects: BrowserEffect[] = [];
  if (node?.isOpen === true) effects.push(list(path));
  if (path === state.selected) effects.push(read(path));
  return { state, effects };
}
