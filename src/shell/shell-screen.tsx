import { Box, useCursor } from 'ink';
import { memo, type ReactNode } from 'react';
import type { PathResolver } from '../commands/machine/parse-arguments.js';
import { drawable, graphemes, truncate } from '../commands/terminal/text-width.js';
import { analyzeLine } from './line/line-analysis.js';
import { menuRows } from './line/menu-rows.js';
import { promptSpans } from './line/prompt.js';
import { type ShellState, suggestion } from './shell-state.js';
import { type InputRows, layOutInput } from './terminal/input-rows.js';
import type { ViewProps } from './terminal/mount-ink.js';
import { Rows } from './terminal/rows.js';
import type { Span } from './terminal/theme.js';
import { type WatchPane as Pane, paneHeight, paneRows } from './watch-pane.js';

const IDLE_HINT = 'Tab completes, Ctrl-R searches, help lists the commands, Ctrl-D exits';
const NO_NAMES: readonly string[] = [];

interface ScreenProps extends ViewProps<ShellState> {
  readonly resolver: PathResolver;
}

/** A key press redraws only the line and the status. */
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

export const WatchPane = memo(({ pane, columns, height }: PaneProps) => (
  <Rows rows={paneRows(pane, columns, height)} />
));

interface PromptProps {
  readonly input: InputRows;
  readonly top: number;
}

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

export const Completions = memo(({ names, columns, maxRows }: CompletionsProps) => (
  <Rows rows={menuRows(names, columns, maxRows)} />
));

interface StatusProps {
  readonly status: Span;
  readonly columns: number;
}

export function StatusBar({ status, columns }: StatusProps): ReactNode {
  return <Rows rows={[[statusSpan(status, columns)]]} />;
}

function statusSpan({ text, tone }: Span, columns: number): Span {
  const drawn = graphemes(text.replaceAll('\n', ' ')).map(drawable).join('');
  return { text: truncate(drawn, columns), tone };
}

/** The view must be lower than the terminal: Ink clears a full terminal with its scrollback. */
function layOut({ state, resolver, size }: ScreenProps) {
  // Terminals differ in the cursor position after the last column: keep it free.
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
    // One row, with the cursor. Only a question with a list of its own has several.
    const room = state.question.includes('\n') ? columns * 2 : columns - ' [y/N] '.length - 1;
    return [{ text: `${truncate(state.question, room)} [y/N] `, tone: 'busy' }];
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
  return state.running?.isSlow === true
    ? []
    : promptSpans(state.connection, columns, state.vi?.mode === 'normal' ? ':' : '>');
}

function statusOf(
  state: ShellState,
  analysis: { readonly fault: string | undefined; readonly synopsis: string | undefined },
): Span {
  if (state.question !== undefined) return { text: 'y or n; Ctrl-C cancels', tone: 'dim' };
  if (state.secret?.question !== undefined) {
    return { text: 'input is hidden and not recorded; Ctrl-C cancels', tone: 'dim' };
  }
  if (state.running?.isSlow === true) return { text: runningStatus(state), tone: 'busy' };
  if (state.note !== undefined) return { text: state.note, tone: 'busy' };
  if (state.line.search !== undefined) {
    return {
      text: 'Ctrl-R searches further, Enter runs, Tab edits, Ctrl-G cancels',
      tone: 'dim',
    };
  }
  if (analysis.fault !== undefined) return { text: analysis.fault, tone: 'bad' };
  return { text: analysis.synopsis ?? (state.line.text === '' ? IDLE_HINT : ''), tone: 'dim' };
}

function runningStatus({ running, queue, isEnding }: ShellState): string {
  const queued = queue.length === 0 ? '' : `, ${queue.length} more in the queue`;
  const end = isEnding ? ', then exits' : '';
  return `running ${running?.line.trim() ?? ''}${queued}${end}; Ctrl-C interrupts`;
}
