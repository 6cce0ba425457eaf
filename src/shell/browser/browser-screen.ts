// What the full-screen browser draws, as rows of spans: the tree, and the value of what is selected
// beside it, or below it where the terminal is narrow.

import {
  graphemes,
  graphemeWidth,
  textWidth,
  truncate,
} from '../../commands/terminal/text-width.js';
import type { Stat } from '../../protocol/data.js';
import { safeLine } from '../../protocol/sanitize.js';
import { formatSessionId } from '../../protocol/session-id.js';
import type { Span, Tone } from '../terminal/theme.js';
import type { BrowserState } from './browser-state.js';
import { type TreeRow, treeRows } from './tree-rows.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** How the screen is divided. One row stays free: Ink clears a terminal that it fills. */
export interface Layout {
  readonly isSideBySide: boolean;
  readonly treeWidth: number;
  readonly treeHeight: number;
  readonly valueWidth: number;
  /** Of the data, below the rows that tell of the znode. */
  readonly valueHeight: number;
  readonly hexColumns: number;
}

/** Offset, hex and characters of sixteen bytes. */
const WIDE_HEX = 10 + 16 * 3 + 1 + 16;

const SIDE_BY_SIDE_COLUMNS = 60;
const MAX_TREE_WIDTH = 50;
/** Title and keys. */
const FRAME_ROWS = 2;
const STAT_ROWS = 2;
const GAP = ' │ ';

export function layoutOf({ columns, rows }: Size): Layout {
  const width = Math.max(1, columns - 1);
  const height = Math.max(2, rows - 1 - FRAME_ROWS);
  const isSideBySide = columns >= SIDE_BY_SIDE_COLUMNS;
  const treeWidth = isSideBySide ? Math.min(MAX_TREE_WIDTH, Math.floor(width * 0.4)) : width;
  const treeHeight = isSideBySide ? height : Math.max(1, Math.floor(height / 2));
  const valueWidth = isSideBySide ? width - treeWidth - GAP.length : width;
  const valuePaneHeight = isSideBySide ? height : height - treeHeight;
  return {
    isSideBySide,
    treeWidth,
    treeHeight,
    valueWidth,
    valueHeight: Math.max(1, valuePaneHeight - STAT_ROWS),
    hexColumns: valueWidth < WIDE_HEX ? 8 : 16,
  };
}

type Row = readonly Span[];

export function browserRows(state: BrowserState, size: Size): readonly Row[] {
  const layout = layoutOf(size);
  const width = Math.max(1, size.columns - 1);
  const tree = treePane(state, layout);
  const value = valuePane(state, layout);
  const body = layout.isSideBySide
    ? tree.map((row, index): Row => [...row, { text: GAP, tone: 'dim' }, ...(value[index] ?? [])])
    : [...tree, ...value];
  const rows = [[titleOf(state, width)], ...body, [bottomOf(state, width)]];
  return rows.slice(0, Math.max(1, size.rows - 1));
}

function titleOf({ server, selected }: BrowserState, width: number): Span {
  return { text: fit(`${selected}  ${server}`, width), tone: 'selected' };
}

const TREE_KEYS =
  '↑↓ move  ←→ close, open  Tab value  v text, json, hex  / find  r read again  q leave';
const VALUE_KEYS = '↑↓←→ scroll  Tab tree  t text  s json  x hex  q leave';

function bottomOf({ search, note, hasValueFocus }: BrowserState, width: number): Span {
  if (note !== undefined) return { text: fit(note, width), tone: 'busy' };
  if (search?.isTyped === true) {
    return { text: fit(`/${search.text}▏ Enter keeps it, n finds the next`, width), tone: 'plain' };
  }
  return { text: fit(hasValueFocus ? VALUE_KEYS : TREE_KEYS, width), tone: 'dim' };
}

function treePane(state: BrowserState, { treeHeight, treeWidth }: Layout): readonly Row[] {
  const shown = treeRows(state.tree, state.root).slice(state.top, state.top + treeHeight);
  const rows = shown.map((row): Row => [treeLine(state, row, treeWidth)]);
  return filled(rows, treeHeight, treeWidth);
}

function treeLine(state: BrowserState, { path, name, depth }: TreeRow, width: number): Span {
  const node = state.tree.get(path);
  const count = node?.children?.length ?? node?.stat?.numChildren;
  const mark = node?.isOpen === true ? '▾' : count === undefined || count > 0 ? '▸' : ' ';
  const isEphemeral = (node?.stat?.ephemeralOwner ?? 0n) !== 0n;
  const fault = node?.fault === undefined ? '' : `  ${node.fault}`;
  const listing = node?.isOpen === true && node.children === undefined ? '  …' : '';
  const notes = [isEphemeral ? ' *' : '', count ? ` ${count}` : '', listing, fault].join('');
  // Deep down, the name counts for more than its depth.
  const indent = ' '.repeat(Math.min(depth * 2, Math.floor(width / 2)));
  const text = fit(`${indent}${mark} ${name}${notes}`, width);
  return { text, tone: toneOf(state, path, node?.fault) };
}

function toneOf(state: BrowserState, path: string, fault: string | undefined): Tone {
  if (path === state.selected) return state.hasValueFocus ? 'command' : 'selected';
  return fault === undefined ? 'plain' : 'bad';
}

function valuePane(state: BrowserState, layout: Layout): readonly Row[] {
  const { value, valueTop, valueLeft } = state;
  const { valueWidth: width, valueHeight: height } = layout;
  const facts = value.fault === undefined ? statLines(value.stat, value.view?.form) : ['', ''];
  const rows: Row[] = facts.map((text): Row => [{ text: fit(text, width), tone: 'dim' }]);
  if (value.fault !== undefined) rows.push([{ text: fit(value.fault, width), tone: 'bad' }]);
  const { view } = value;
  if (view !== undefined) {
    const end = Math.min(view.count, valueTop + height);
    for (let at = valueTop; at < end; at++) {
      rows.push([{ text: fit(cutLeft(view.line(at), valueLeft, width), width), tone: 'plain' }]);
    }
  }
  return filled(rows, height + STAT_ROWS, width);
}

function statLines(stat: Stat | undefined, form: string | undefined): readonly string[] {
  if (stat === undefined) return ['reading …', ''];
  const owner = stat.ephemeralOwner;
  const facts = [
    `version ${stat.version}`,
    stat.dataLength === 1 ? '1 byte' : `${stat.dataLength} bytes`,
    stat.numChildren === 1 ? '1 child' : `${stat.numChildren} children`,
    ...(owner === 0n ? [] : [`of session ${formatSessionId(owner)}`]),
    ...(form === undefined ? [] : [`as ${form}`]),
  ];
  const changed = new Date(Number(stat.mtime)).toISOString().replace('T', ' ').slice(0, 19);
  return [facts.join(', '), `changed ${changed} UTC`];
}

function filled(rows: readonly Row[], height: number, width: number): readonly Row[] {
  const blank: Row = [{ text: ' '.repeat(width), tone: 'plain' }];
  const missing = Math.max(0, height - rows.length);
  return [...rows, ...Array.from({ length: missing }, () => blank)].slice(0, height);
}

/** Without its first columns; far more than is seen need not be measured. */
function cutLeft(line: string, columns: number, width: number): string {
  const drawn = drawnText(line.slice(0, (columns + width) * 4));
  let left = columns;
  let at = 0;
  for (const grapheme of graphemes(drawn)) {
    if (left <= 0) break;
    left -= graphemeWidth(grapheme);
    at += grapheme.length;
  }
  return drawn.slice(at);
}

/** In exactly so many columns. */
function fit(text: string, width: number): string {
  const cut = truncate(drawnText(text), width);
  return cut + ' '.repeat(Math.max(0, width - textWidth(cut)));
}

function drawnText(text: string): string {
  return safeLine(text.replaceAll('\t', '  '));
}
