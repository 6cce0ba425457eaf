// What stands below the scrollback: the watches' pane, the line, what completes it, the status.
import { Box, useCursor } from 'ink';
import { memo, type ReactNode } from 'react';
import { drawable, graphemes, truncate } from '../commands/terminal/text-width.js';
import type { PathResolver } from '../commands/zksh/engine/parse-arguments.js';
import { analyzeLine } from './line/line-analysis.js';
import { menuRows } from './line/menu-rows.js';
import { promptSpans } from './line/prompt.js';
import { type ShellState, suggestion } from './shell-state.js';
import { type InputRows, layOutInput } from './terminal/input-rows.js';
import type { ViewProps } from './terminal/mount-ink.js';
import { Rows } from './terminal/rows.js';
import type { Span } from './terminal/theme.js';
import { type WatchPane as Pane, paneHeight, paneRows } from './watch-pane.js';

const IDLE_HINT = 'Tab completes, Ctrl-R searches, help lists the commands, Ctrl-D leaves';
const NO_NAMES: readonly string[] = [];

interface ScreenProps extends ViewProps<ShellState> {
  readonly resolver: PathResolver;
}

/** All of it; a key lays out the line and the status alone. Nothing when the shell is left. */
export function ShellScreen(props: ScreenProps): ReactNode {
  const { pane, menu = NO_NAMES, isLeaving } = props.state;
  if (isLeaving) return null;
  const { columns, top, input, room, status } = layOut(props);
  return (
    <Box flexDirection="column">
      <WatchPane pane={pane} columns={columns} height={top} />
      <Prompt input={input} top={top} />
      <Completions names={menu} columns={columns} maxRows={room} />
      <StatusBar status={status} columns={columns} />
    </Box>
  );
}

/** The rows that ShellScreen draws. */
export function frameOf(props: ScreenProps): InputRows {
  const { pane, menu = NO_NAMES, isLeaving } = props.state;
  if (isLeaving) return { rows: [], cursor: { x: 0, y: 0 } };
  const { columns, top, input, room, status } = layOut(props);
  const above = paneRows(pane, columns, top);
  const below = [...menuRows(menu, columns, room), [statusSpan(status, columns)]];
  const cursor = { x: input.cursor.x, y: top + input.cursor.y };
  return { rows: [...above, ...input.rows, ...below], cursor };
}

interface PaneProps {
  readonly pane: Pane;
  readonly columns: number;
  readonly height: number;
}

/** The latest that watches told, under their title. */
export const WatchPane = memo(({ pane, columns, height }: PaneProps) => (
  <Rows rows={paneRows(pane, columns, height)} />
));

interface PromptProps {
  readonly input: InputRows;
  /** The rows above it: the cursor counts them too. */
  readonly top: number;
}

/** The line being typed, with the terminal's own cursor. */
export function Prompt({ input: { rows, cursor }, top }: PromptProps): ReactNode {
  const { setCursorPosition } = useCursor();
  setCursorPosition({ x: cursor.x, y: top + cursor.y });
  return <Rows rows={rows} />;
}

interface CompletionsProps {
  readonly names: readonly string[];
  readonly columns: number;
  readonly maxRows: number;
}

/** What Tab found, in columns, as ls shows files. */
export const Completions = memo(({ names, columns, maxRows }: CompletionsProps) => (
  <Rows rows={menuRows(names, columns, maxRows)} />
));

interface StatusProps {
  readonly status: Span;
  readonly columns: number;
}

/** The bottom line: what is wrong with the line, or how its command is used. */
export function StatusBar({ status, columns }: StatusProps): ReactNode {
  return <Rows rows={[[statusSpan(status, columns)]]} />;
}

/** In one row, whatever it holds. */
function statusSpan({ text, tone }: Span, columns: number): Span {
  const drawn = graphemes(text.replaceAll('\n', ' ')).map(drawable).join('');
  return { text: truncate(drawn, columns), tone };
}

/**
 * The line as it is laid out, and the rows that it leaves. All of it stays below the height of the
 * terminal: Ink clears what it fills, scrollback and all.
 */
function layOut({ state, resolver, size }: ScreenProps) {
  // The last column stays free: terminals differ in where the cursor goes behind it.
  const columns = Math.max(1, size.columns - 1);
  const { line, vocabulary } = state;
  const analysis = analyzeLine(line.text, line.cursor, vocabulary, resolver);
  const isAnswering = state.question !== undefined || state.secret !== undefined;
  const input = layOutInput(
    {
      prompt: promptOf(state, columns),
      text: isAnswering ? [] : analysis.spans,
      cursor: isAnswering ? 0 : line.cursor,
      ghost: isAnswering ? '' : suggestion(state),
    },
    columns,
    Math.max(1, Math.floor((size.rows - 2) / 2)),
  );
  const top = paneHeight(state.pane, Math.floor((size.rows - 2) / 3));
  const room = size.rows - input.rows.length - top - 2;
  return { columns, top, input, room, status: statusOf(state, analysis) };
}

function promptOf(state: ShellState, columns: number): readonly Span[] {
  if (state.question !== undefined) {
    return [{ text: `${truncate(state.question, columns * 2)} [y/N] `, tone: 'busy' }];
  }
  if (state.secret !== undefined) return [{ text: state.secret.question ?? '', tone: 'busy' }];
  const { search } = state.line;
  if (search !== undefined) {
    const failure = search.hasFailed ? 'nothing found, ' : '';
    return [
      { text: `(${failure}search `, tone: search.hasFailed ? 'bad' : 'dim' },
      { text: `'${search.query}'`, tone: 'plain' },
      { text: ') ', tone: 'dim' },
    ];
  }
  return state.running?.isSlow === true ? [] : promptSpans(state.connection, columns);
}

function statusOf(
  state: ShellState,
  analysis: { readonly fault: string | undefined; readonly synopsis: string | undefined },
): Span {
  if (state.question !== undefined) return { text: 'y or n; Ctrl-C interrupts', tone: 'dim' };
  if (state.secret?.question !== undefined) {
    return { text: 'not shown, and kept in no history; Ctrl-C interrupts', tone: 'dim' };
  }
  if (state.running?.isSlow === true) return { text: runningStatus(state), tone: 'busy' };
  if (state.note !== undefined) return { text: state.note, tone: 'busy' };
  if (state.line.search !== undefined) {
    return {
      text: 'Ctrl-R goes further back, Enter runs, Tab edits, Ctrl-G gives up',
      tone: 'dim',
    };
  }
  if (analysis.fault !== undefined) return { text: analysis.fault, tone: 'bad' };
  return { text: analysis.synopsis ?? (state.line.text === '' ? IDLE_HINT : ''), tone: 'dim' };
}

function runningStatus({ running, queue, isEnding }: ShellState): string {
  const behind = queue.length === 0 ? '' : `, ${queue.length} more to run`;
  const end = isEnding ? ', then the shell ends' : '';
  return `running ${running?.line.trim() ?? ''}${behind}${end}; Ctrl-C interrupts`;
}
