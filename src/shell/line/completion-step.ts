import type { Completion } from '../../commands/zksh/completing/complete.js';
import { editLine, type LineState } from './line-editor.js';

export interface CompletedEvent {
  readonly type: 'completed';
  /** When TAB was pressed. */
  readonly text: string;
  readonly cursor: number;
  readonly completion: Completion;
}

interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** The line after a completion, and before it. */
export interface CompletedLine extends Line {
  readonly before: Line;
}

interface CompletionState {
  readonly line: LineState;
  readonly history: readonly string[];
  readonly menu: readonly string[] | undefined;
  readonly completed: CompletedLine | undefined;
  readonly note: string | undefined;
}

interface CompletionStep<S> {
  readonly state: S;
  readonly effects: readonly ReturnType<typeof completeHere>[];
}

export function completeHere({ text, cursor }: Line) {
  return { type: 'complete', text, cursor } as const;
}

/** The first TAB inserts the common prefix, the second lists the candidates. */
export function takeCompletion<S extends CompletionState>(
  state: S,
  event: CompletedEvent,
): CompletionStep<S> {
  const { line, completed } = state;
  // TAB was pressed again before the first completion arrived.
  const isLate = completed !== undefined && isSame(completed, line);
  if (isLate && !isSame(line, event) && isSame(completed.before, event)) {
    return { state, effects: [completeHere(line)] };
  }
  return { state: isSame(line, event) ? complete(state, event) : state, effects: [] };
}

function isSame(one: Line, other: Line): boolean {
  return one.text === other.text && one.cursor === other.cursor;
}

function complete<S extends CompletionState>(state: S, { completion }: CompletedEvent): S {
  const { line, completed } = state;
  if (completion.fault !== undefined) return { ...state, note: completion.fault };
  const { from, to, text, candidates } = completion;
  if (line.text.slice(from, to) !== text) {
    const next = editLine(line, { type: 'replace', from, to, text }, state.history);
    const before = { text: line.text, cursor: line.cursor };
    return { ...state, line: next, completed: { text: next.text, cursor: next.cursor, before } };
  }
  const place = { text: line.text, cursor: line.cursor };
  const here = { ...place, before: place };
  const isSecond = completed !== undefined && isSame(completed, line);
  if (isSecond && candidates.length > 0) return { ...state, menu: candidates };
  return {
    ...state,
    completed: here,
    note: candidates.length === 0 ? 'no completions' : undefined,
  };
}
