// The state of the full-screen browser, and what its steps have in common. browser-step.ts takes
// keys and answers in, browser-driver.ts asks the server, browser-screen.ts says what is drawn.
import type { Stat } from '../../protocol/data.js';
import { type BrowsedTree, treeRows } from './tree-rows.js';
import type { ValueForm, ValueView } from './value-view.js';

export interface BrowserState {
  readonly root: string;
  readonly tree: BrowsedTree;
  readonly selected: string;
  /** The first row of the tree in view. */
  readonly top: number;
  readonly hasValueFocus: boolean;
  readonly value: BrowsedValue;
  /** What the value is to be shown as; undefined: what suits it. */
  readonly form: ValueForm | undefined;
  /** Where the view of the value begins: lines and columns. */
  readonly valueTop: number;
  readonly valueLeft: number;
  /** A name being looked for; `isTyped` while it is typed. */
  readonly search: { readonly text: string; readonly isTyped: boolean } | undefined;
  readonly note: string | undefined;
  /** "host:port (connected)". */
  readonly server: string;
  /** Rows of the tree and of the value that fit. */
  readonly treeHeight: number;
  readonly valueHeight: number;
  /** Bytes in a row of hex. */
  readonly hexColumns: number;
}

export interface BrowsedValue {
  readonly path: string;
  /** Undefined while it is read. */
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
  | { readonly type: 'looked'; readonly stats: ReadonlyMap<string, Stat> }
  /** A watch fired, or everything may be different after a reconnect. */
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
  /** Stats are wanted, for the marks beside the names. */
  | { readonly type: 'look'; readonly paths: readonly string[] }
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
