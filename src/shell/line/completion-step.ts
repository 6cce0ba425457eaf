// Applies a completion to the shell's state; a part of the reducer in shell-state.ts.
import type { Completion } from './complete.js';
import { editLine, type LineState } from './line-editor.js';

export interface CompletedEvent {
  readonly type: 'completed';
  /** The line when TAB was pressed. */
  readonly text: string;
  readonly cursor: number;
  readonly completion: Completion;
}

interface CompletionState {
  readonly line: LineState;
  readonly history: readonly string[];
  readonly menu: readonly string[] | undefined;
  readonly completed: { readonly text: string; readonly cursor: number } | undefined;
  readonly note: string | undefined;
}

/** The first TAB inserts the common prefix; the second lists the candidates. */
export function takeCompletion<S extends CompletionState>(state: S, event: CompletedEvent): S {
  const { line, completed } = state;
  const { completion } = event;
  if (line.text !== event.text || line.cursor !== event.cursor) return state;
  if (completion.fault !== undefined) return { ...state, note: completion.fault };
  const { from, to, text, candidates } = completion;
  if (line.text.slice(from, to) !== text) {
    const next = editLine(line, { type: 'replace', from, to, text }, state.history);
    return { ...state, line: next, completed: { text: next.text, cursor: next.cursor } };
  }
  const here = { text: line.text, cursor: line.cursor };
  const isSecond = completed?.text === here.text && completed.cursor === here.cursor;
  if (isSecond && candidates.length > 0) return { ...state, menu: candidates };
  return {
    ...state,
    completed: here,
    note: candidates.length === 0 ? 'no completions' : undefined,
  };
}
