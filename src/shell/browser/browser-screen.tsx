import { Box } from 'ink';
import type { ReactNode } from 'react';
import { counted } from '../../commands/program/counted.js';
import {
  graphemes,
  graphemeWidth,
  textWidth,
  truncate,
} from '../../commands/terminal/text-width.js';
import { isoTime } from '../../commands/znodes/iso-time.js';
import type { Stat } from '../../protocol/data.js';
import { safeLine } from '../../protocol/sanitize.js';
import { formatSessionId } from '../../protocol/session-id.js';
import type { ViewProps } from '../terminal/mount-ink.js';
import { Rows } from '../terminal/rows.js';
import type { TerminalSize } from '../terminal/terminal-size.js';
import type { Span, Tone } from '../terminal/theme.js';
import type { BrowserState } from './browser-state.js';
import { type TreeRow, treeRows } from './tree-rows.js';

/** One row stays free, because Ink clears a full terminal. */
export interface Layout {
  readonly isSideBySide: boolean;
  readonly treeWidth: number;
  readonly treeHeight: number;
  readonly valueWidth: number;
  readonly valueHeight: number;
  readonly hexColumns: number;
}

/** Offset, hex, and characters of sixteen bytes. */
const WIDE_HEX = 10 + 16 * 3 + 1 + 16;

const SIDE_BY_SIDE_COLUMNS = 60;
const MAX_TREE_WIDTH = 50;
const FRAME_ROWS = 2;
const STAT_ROWS = 2;
const GAP: Span = { text: ' │ ', tone: 'dim' };

export function layoutOf({ columns, rows }: TerminalSize): Layout {
  const width = Math.max(1, columns - 1);
  const height = Math.max(2, rows - 1 - FRAME_ROWS);
  const isSideBySide = columns >= SIDE_BY_SIDE_COLUMNS;
  const treeWidth = isSideBySide ? Math.min(MAX_TREE_WIDTH, Math.floor(width * 0.4)) : width;
  const treeHeight = isSideBySide ? height : Math.max(1, Math.floor(height / 2));
  const valueWidth = isSideBySide ? width - treeWidth - GAP.text.length : width;
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

export function BrowserScreen({ state, size }: ViewProps<BrowserState>): ReactNode {
  const { isSideBySide, treeWidth, treeHeight, valueWidth, valueHeight } = layoutOf(size);
  const width = Math.max(1, size.columns - 1);
  const title = fit(`${state.selected}  ${state.server}`, width);
  return (
    <Box flexDirection="column" height={Math.max(1, size.rows - 1)} overflow="hidden">
      <Rows rows={[[{ text: title, tone: 'selected' }]]} />
      <Box flexDirection={isSideBySide ? 'row' : 'column'} flexShrink={0}>
        <TreePane {...state} width={treeWidth} height={treeHeight} />
        {isSideBySide && <Rows rows={Array.from({ length: treeHeight }, () => [GAP])} />}
        <ValuePane {...state} width={valueWidth} height={valueHeight} />
      </Box>
      <Rows rows={[[bottomOf(state, width)]]} />
    </Box>
  );
}

const TREE_KEYS = '↑↓ move  ←→ close, open  Tab value  v text, json, hex  / find  r reload  q quit';
const VALUE_KEYS = '↑↓←→ scroll  Tab tree  t text  s json  x hex  q quit';

function bottomOf({ search, note, hasValueFocus }: BrowserState, width: number): Span {
  if (note !== undefined) return { text: cut(note, width), tone: 'busy' };
  if (search?.isTyped === true) {
    return { text: cut(`/${search.text}▏ Enter accepts, n finds the next`, width), tone: 'plain' };
  }
  return { text: cut(hasValueFocus ? VALUE_KEYS : TREE_KEYS, width), tone: 'dim' };
}

interface PaneSize {
  readonly width: number;
  readonly height: number;
}

type Tree = Pick<BrowserState, 'tree' | 'root' | 'selected' | 'top' | 'hasValueFocus'>;

export function TreePane({ width, height, ...state }: Tree & PaneSize): ReactNode {
  const shown = treeRows(state.tree, state.root).slice(state.top, state.top + height);
  return (
    <Box width={width} height={height} flexShrink={0}>
      <Rows rows={shown.map((row) => [treeLine(state, row, width)])} />
    </Box>
  );
}

function treeLine(state: Tree, { path, name, depth }: TreeRow, width: number): Span {
  const node = state.tree.get(path);
  const count = node?.children?.length ?? node?.stat?.numChildren;
  const mark = node?.isOpen === true ? '▾' : count === undefined || count > 0 ? '▸' : ' ';
  const isEphemeral = (node?.stat?.ephemeralOwner ?? 0n) !== 0n;
  const fault = node?.fault === undefined ? '' : `  ${node.fault}`;
  const listing = node?.isOpen === true && node.children === undefined ? '  …' : '';
  const notes = [isEphemeral ? ' *' : '', count ? ` ${count}` : '', listing, fault].join('');
  // Limit the indentation, so that deep names stay visible.
  const indent = ' '.repeat(Math.min(depth * 2, Math.floor(width / 2)));
  const text = fit(`${indent}${mark} ${name}${notes}`, width);
  return { text, tone: toneOf(state, path, node?.fault) };
}

function toneOf(state: Tree, path: string, fault: string | undefined): Tone {
  if (path === state.selected) return state.hasValueFocus ? 'command' : 'selected';
  return fault === undefined ? 'plain' : 'bad';
}

type Value = Pick<BrowserState, 'value' | 'valueTop' | 'valueLeft'>;

export function ValuePane({ width, height, ...state }: Value & PaneSize): ReactNode {
  const { value, valueTop, valueLeft } = state;
  const { view, fault } = value;
  const facts = fault === undefined ? statLines(value.stat, view?.form) : ['', ''];
  const rows: Span[] = facts.map((text) => ({ text: cut(text, width), tone: 'dim' }));
  if (fault !== undefined) rows.push({ text: cut(fault, width), tone: 'bad' });
  if (view !== undefined) {
    const end = Math.min(view.count, valueTop + height);
    for (let at = valueTop; at < end; at++) {
      const text = truncate(cutLeft(view.line(at), valueLeft, width), width);
      rows.push({ text, tone: 'plain' });
    }
  }
  return (
    <Box width={width} height={height + STAT_ROWS} flexShrink={0}>
      <Rows rows={rows.map((row) => [row])} />
    </Box>
  );
}

function statLines(stat: Stat | undefined, form: string | undefined): readonly string[] {
  if (stat === undefined) return ['reading …', ''];
  const owner = stat.ephemeralOwner;
  const facts = [
    `version ${stat.version}`,
    counted(stat.dataLength, 'byte'),
    counted(stat.numChildren, 'child', 'children'),
    ...(owner === 0n ? [] : [`of session ${formatSessionId(owner)}`]),
    ...(form === undefined ? [] : [`as ${form}`]),
  ];
  const time = isoTime(stat.mtime);
  const [, day, clock] = /^([^\sT]+)T([^\s.]+)\.\d+Z$/.exec(time ?? '') ?? [];
  // The root of a new ensemble has no time.
  const changed = day === undefined ? (time ?? 'never') : `${day} ${clock} UTC`;
  return [facts.join(', '), `changed ${changed}`];
}

/** Ignores text far beyond the visible part. */
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

function fit(text: string, width: number): string {
  const shown = cut(text, width);
  return shown + ' '.repeat(Math.max(0, width - textWidth(shown)));
}

function cut(text: string, width: number): string {
  return truncate(drawnText(text), width);
}

function drawnText(text: string): string {
  return safeLine(text.replaceAll('\t', '  '));
}
