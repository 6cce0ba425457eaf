// What an answer to TAB does to the shell's state. Pure, a part of shell-state.ts.
import type { Completion } from './complete.js';
import { editLine, type LineState } from './line-editor.js';

export interface CompletedEvent {
  readonly type: 'completed';
  /** The line as it was when TAB was pressed. */
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

/** The first TAB writes what all candidates share; the second, where there is no more, lists. */
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
    note: candidates.length === 0 ? 'nothing completes this' : undefined,
  };
}
