import type { KeyAction } from './line/keymap.js';
import { EMPTY_LINE } from './line/line-editor.js';
import { onCharacter, pressVi, viKeys } from './line/vi-keys.js';
import { restartVi } from './line/vi-state.js';
import type { ShellState, ShellStep } from './shell-state.js';
import type { Key } from './terminal/key-decoder.js';

/** @param step performs an action as if another key had made it */
export function stepVi(
  before: ShellState,
  key: Key,
  step: (state: ShellState, action: KeyAction) => ShellStep,
): ShellStep {
  let state = before;
  const effects: ShellStep['effects'][number][] = [];
  for (const each of viKeys(key)) {
    if (state.vi === undefined) break;
    // A search that began with `/` takes the rest of the text.
    const isSearch = state.line.search !== undefined && each.type === 'text';
    const { vi, action }: ReturnType<typeof pressVi> = isSearch
      ? { vi: state.vi, action: { type: 'edit', action: { type: 'insert', text: each.text } } }
      : pressVi(state.vi, state.line, each);
    state = { ...state, vi };
    if (action !== undefined) {
      const next = step(state, action);
      state = next.state;
      effects.push(...next.effects);
    }
    const isNormal = vi.mode === 'normal' && state.line.search === undefined;
    if (isNormal) state = { ...state, line: onCharacter(state.line) };
  }
  return { state, effects };
}

/** A new line begins in insert mode. */
export function emptyLine(state: ShellState): ShellState {
  const line = { ...EMPTY_LINE, killed: state.line.killed };
  return { ...state, line, vi: state.vi && restartVi(state.vi) };
}
