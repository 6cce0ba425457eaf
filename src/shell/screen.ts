// What stands below the scrollback, as data: chosen from the state, drawn by components/.

import { drawable, graphemes, truncate } from '../commands/terminal/text-width.js';
import type { PathResolver } from '../commands/zksh/engine/parse-arguments.js';
import { analyzeLine } from './line/line-analysis.js';
import { menuRows } from './line/menu-rows.js';
import { promptSpans } from './line/prompt.js';
import { type ShellState, suggestion } from './shell-state.js';
import { type InputRows, layOutInput } from './terminal/input-rows.js';
import type { Span } from './terminal/theme.js';
import { paneRows } from './watch-pane.js';

export interface Screen {
  /** What watches told, above the line. */
  readonly pane: readonly Span[];
  readonly input: InputRows;
  /** What TAB found, in columns, as ls shows files. */
  readonly menu: readonly (readonly Span[])[];
  /** The bottom line: what is wrong with the line, or how its command is used. */
  readonly status: Span;
}

const IDLE_HINT = 'Tab completes, Ctrl-R searches, help lists the commands, Ctrl-D leaves';

/**
 * @param size of the terminal; what is drawn stays below its height, since Ink clears the whole
 *   terminal, scrollback and all, when its output does not fit
 */
export function screenOf(
  state: ShellState,
  resolver: PathResolver,
  size: { readonly columns: number; readonly rows: number },
): Screen {
  // The last column stays free: terminals differ in where the cursor goes behind it.
  const columns = Math.max(1, size.columns - 1);
  const maxInputRows = Math.max(1, Math.floor((size.rows - 2) / 2));
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
    maxInputRows,
  );
  const pane = paneRows(state.pane, columns, Math.floor((size.rows - 2) / 3));
  const room = size.rows - input.rows.length - pane.length - 2;
  const menu = menuRows(state.menu ?? [], columns, room);
  const status = statusOf(state, analysis);
  return {
    pane,
    input,
    menu: menu.map((text): readonly Span[] => [{ text, tone: 'plain' }]),
    status: { text: truncate(drawn(status.text), columns), tone: status.tone },
  };
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

/** In one row, whatever it holds. */
function drawn(text: string): string {
  return graphemes(text.replaceAll('\n', ' ')).map(drawable).join('');
}
