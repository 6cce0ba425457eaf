import type { Stat } from '../../protocol/data.js';
import { type BrowsedTree, treeRows } from './tree-rows.js';
import type { ValueForm, ValueView } from './value-view.js';

export interface BrowserState {
  readonly root: string;
  readonly tree: BrowsedTree;
  readonly selected: string;
  readonly top: number;
  readonly hasValueFocus: boolean;
  readonly value: BrowsedValue;
  /** Undefined detects it. */
  readonly form: ValueForm | undefined;
  readonly valueTop: number;
  readonly valueLeft: number;
  readonly search: { readonly text: string; readonly isTyped: boolean } | undefined;
  readonly note: string | undefined;
  readonly server: string;
  readonly treeHeight: number;
  readonly valueHeight: number;
  readonly hexColumns: number;
}

export interface BrowsedValue {
  readonly path: string;
  readonly view?: ValueView;
  readonly data?: Buffer | null;
  readonly stat?: Stat;
  readonly fault?: string;
}

export type BrowserEvent =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'listed';
      readonly path: string;
      readonly children: readonly string[];
      readonly stat: Stat;
    }
  | { readonly type: 'unlisted'; readonly path: string; readonly reason: string }
  | {
      readonly type: 'read';
      readonly path: string;
      readonly data: Buffer | null;
      readonly stat: Stat;
    }
  | { readonly type: 'unread'; readonly path: string; readonly reason: string }
  | { readonly type: 'stats'; readonly stats: ReadonlyMap<string, Stat> }
  /** The next match below closed znodes; the driver has listed its ancestors. */
  | { readonly type: 'found'; readonly path: string }
  | { readonly type: 'not-found'; readonly text: string }
  /** A watch fired, or the client was disconnected and may have missed changes. */
  | { readonly type: 'stale'; readonly path: string }
  | { readonly type: 'server'; readonly server: string; readonly isBack: boolean }
  | {
      readonly type: 'resized';
      readonly treeHeight: number;
      readonly valueHeight: number;
      readonly hexColumns: number;
    };

export type BrowserEffect =
  | { readonly type: 'list'; readonly path: string }
  | { readonly type: 'read'; readonly path: string }
  /** Reads Stats for the marks of the names. */
  | { readonly type: 'read-stats'; readonly paths: readonly string[] }
  /** Searches closed znodes, too. */
  | { readonly type: 'find'; readonly text: string; readonly after: string }
  | { readonly type: 'leave'; readonly path: string };

export interface BrowserStep {
  readonly state: BrowserState;
  readonly effects: readonly BrowserEffect[];
}

export function openBrowser(root: string, server: string): BrowserStep {
  const state: BrowserState = {
    root,
    tree: new Map([[root, { isOpen: true }]]),
    selected: root,
    top: 0,
    hasValueFocus: false,
    value: { path: root },
    form: undefined,
    valueTop: 0,
    valueLeft: 0,
    search: undefined,
    note: undefined,
    server,
    treeHeight: 20,
    valueHeight: 20,
    hexColumns: 16,
  };
  return { state, effects: [list(root), read(root)] };
}

export function just(state: BrowserState): BrowserStep {
  return { state, effects: [] };
}

export function list(path: string): BrowserEffect {
  return { type: 'list', path };
}

export function read(path: string): BrowserEffect {
  return { type: 'read', path };
}

export function refreshAll(state: BrowserState): BrowserStep {
  const open = [...state.tree].filter(([, node]) => node.isOpen).map(([path]) => path);
  return { state, effects: [...open.map(list), read(state.selected)] };
}

export function select(state: BrowserState, path: string): BrowserStep {
  if (path === state.selected) return just(state);
  const selected = { ...state, selected: path, value: { path }, valueTop: 0, valueLeft: 0 };
  return { state: selected, effects: [read(path)] };
}

export function indexOfSelected({ tree, root, selected }: BrowserState): number {
  return Math.max(
    0,
    treeRows(tree, root).findIndex(({ path }) => path === selected),
  );
}
