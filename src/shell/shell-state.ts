import { isStorable, type Vocabulary } from '../commands/zksh/completing/vocabulary.js';
import { parseLine } from '../commands/zksh/language/parse-line.js';
import {
  type CompletedEvent,
  type CompletedLine,
  completeHere,
  takeCompletion,
} from './line/completion-step.js';
import { remember } from './line/history.js';
import { isTab, type KeyAction } from './line/keymap.js';
import { EMPTY_LINE, editLine, type LineAction, type LineState } from './line/line-editor.js';
import { type Connection, describeChange } from './line/prompt.js';
import {
  askSecret,
  beginSecret,
  type SecretEntry,
  type SecretStep,
  typeSecret,
} from './line/secret-entry.js';
import { acceptSuggestion, suggestionFor } from './line/suggestion.js';
import { onCharacter, pressVi, viKeys } from './line/vi-keys.js';
import { restartVi, VI_START, type ViState } from './line/vi-state.js';
import type { Key } from './terminal/key-decoder.js';
import type { Span } from './terminal/theme.js';
import {
  addWatchRows,
  beginWatch,
  endWatch,
  leftovers,
  NO_PANE,
  scrollPane,
  type WatchPane,
} from './watch-pane.js';

// The interactive shell as a pure reducer: an event in, the next state and effects out.
// shell-driver.ts performs the effects and returns their results as events.

export interface ShellState {
  readonly vocabulary: Vocabulary;
  readonly connection: Connection;
  readonly line: LineState;
  /** Undefined with the keys of Emacs. */
  readonly vi: ViState | undefined;
  readonly history: readonly string[];
  /** `isSlow` shows its status. */
  readonly running: { readonly line: string; readonly isSlow: boolean } | undefined;
  /** Lines entered while another was running. */
  readonly queue: readonly string[];
  readonly question: string | undefined;
  /** Neither shown nor recorded. */
  readonly secret: SecretEntry | undefined;
  readonly pane: WatchPane;
  /** The candidates of TAB, below the line. */
  readonly menu: readonly string[] | undefined;
  /** The line after the last TAB: a second TAB on it lists the candidates. */
  readonly completed: CompletedLine | undefined;
  readonly note: string | undefined;
  /** Ctrl-D was pressed while a command was running. */
  readonly isEnding: boolean;
  readonly isLeaving: boolean;
}

export type ShellEvent =
  | { readonly type: 'key'; readonly action: KeyAction }
  | { readonly type: 'connection'; readonly connection: Connection; readonly reason?: string }
  | { readonly type: 'history'; readonly entries: readonly string[] }
  | { readonly type: 'output'; readonly spans: readonly Span[] }
  | { readonly type: 'watch-started'; readonly name: string }
  | { readonly type: 'watch-output'; readonly rows: readonly Span[]; readonly changes: number }
  | { readonly type: 'watch-ended'; readonly name: string; readonly text: string }
  | { readonly type: 'asked'; readonly question: string }
  | { readonly type: 'secret-asked'; readonly question: string }
  | { readonly type: 'slow' }
  | { readonly type: 'finished'; readonly isExit: boolean }
  | CompletedEvent
  | { readonly type: 'leave' };

export type ShellEffect =
  | { readonly type: 'print'; readonly spans: readonly Span[]; readonly answer?: string }
  | { readonly type: 'echo'; readonly connection: Connection; readonly line: string }
  | { readonly type: 'run'; readonly line: string }
  | { readonly type: 'interrupt' }
  /** `text` if the answer is more than yes or no. */
  | { readonly type: 'answer'; readonly isYes: boolean; readonly text?: string }
  | { readonly type: 'complete'; readonly text: string; readonly cursor: number }
  | { readonly type: 'store'; readonly line: string }
  | { readonly type: 'clear-screen' }
  | { readonly type: 'leave' };

export interface ShellStep {
  readonly state: ShellState;
  readonly effects: readonly ShellEffect[];
}

const UNASKED = { question: undefined, secret: undefined } as const;

export function initialState(
  vocabulary: Vocabulary,
  connection: Connection,
  isVi = false,
): ShellState {
  return {
    vocabulary,
    connection,
    line: EMPTY_LINE,
    vi: isVi ? VI_START : undefined,
    history: [],
    running: undefined,
    queue: [],
    question: undefined,
    secret: undefined,
    pane: NO_PANE,
    menu: undefined,
    completed: undefined,
    note: undefined,
    isEnding: false,
    isLeaving: false,
  };
}

export function stepShell(state: ShellState, event: ShellEvent): ShellStep {
  if (state.isLeaving) return just(state);
  switch (event.type) {
    case 'key':
      return stepKey(dismiss(state, event.action), event.action);
    case 'connection': {
      const change = describeChange(state.connection, event.connection, event.reason);
      return {
        state: { ...state, connection: event.connection },
        effects: change === undefined ? [] : [{ type: 'print', spans: [change] }],
      };
    }
    case 'history':
      return just({ ...state, history: [...event.entries, ...state.history] });
    case 'output':
      return { state, effects: [{ type: 'print', spans: event.spans }] };
    case 'watch-started':
      return just({ ...state, pane: beginWatch(state.pane, event.name) });
    case 'watch-output':
      return just({ ...state, pane: addWatchRows(state.pane, event.rows, event.changes) });
    case 'watch-ended':
      return endOneWatch(state, event.name, event.text);
    case 'asked':
      return just({ ...state, question: event.question });
    case 'secret-asked':
      return takeSecret(state, askSecret(state.secret, event.question));
    case 'slow': {
      if (state.running === undefined) return just(state);
      return just({ ...state, running: { ...state.running, isSlow: true } });
    }
    case 'finished':
      return finish({ ...state, ...UNASKED, running: undefined }, event.isExit);
    case 'completed':
      return takeCompletion(state, event);
    case 'leave':
      return leave(state);
  }
}

export function suggestion({ line, history, running }: ShellState): string {
  return running === undefined ? suggestionFor(line, history) : '';
}

function just(state: ShellState): ShellStep {
  return { state, effects: [] };
}

function takeSecret(state: ShellState, { secret, entered }: SecretStep): ShellStep {
  const next = { ...state, secret };
  if (entered === undefined) return just(next);
  return {
    state: next,
    effects: [
      { type: 'print', spans: [{ text: entered.question.trimEnd(), tone: 'plain' }] },
      { type: 'answer', isYes: true, text: entered.text },
    ],
  };
}

function stepKey(state: ShellState, action: KeyAction): ShellStep {
  const isEnd = action.type === 'interrupt' || action.type === 'end-of-input';
  if (state.secret !== undefined) {
    return isEnd ? interrupt(state) : takeSecret(state, typeSecret(state.secret, action));
  }
  switch (action.type) {
    case 'edit':
      return just(edit(state, action.action));
    case 'vi':
      return stepVi(state, action.key, (next, own) => stepKey(dismiss(next, own), own));
    case 'newline':
      return just(edit(state, { type: 'insert', text: '\n' }));
    case 'enter':
      return enter(state);
    case 'complete':
      return { state, effects: [completeHere(state.line)] };
    case 'interrupt':
      return interrupt(state);
    case 'end-of-input':
      return endOfInput(state);
    case 'clear-screen':
      return { state, effects: [{ type: 'clear-screen' }] };
    case 'escape':
      return just(state);
    case 'scroll':
      return just({ ...state, pane: scrollPane(state.pane, action.step) });
    case 'answer': {
      if (state.question === undefined) return just(state);
      const answer = ` [y/N] ${action.isYes ? 'yes' : 'no'}`;
      return {
        state: { ...state, question: undefined },
        effects: [
          { type: 'print', spans: [{ text: state.question, tone: 'plain' }], answer },
          { type: 'answer', isYes: action.isYes },
        ],
      };
    }
  }
}

function edit(state: ShellState, action: LineAction): ShellState {
  const accepted = acceptSuggestion(suggestion(state), action);
  const line = editLine(state.line, accepted ?? action, state.history);
  return line === state.line ? state : { ...state, line, completed: undefined };
}

function enter(state: ShellState): ShellStep {
  const { text } = state.line;
  if (state.line.search === undefined && parseLine(text).fault?.isIncomplete === true) {
    const end = { ...state.line, cursor: text.length };
    return just(edit({ ...state, line: end }, { type: 'insert', text: '\n' }));
  }
  const entered = emptyLine(state);
  if (state.running !== undefined) return just({ ...entered, queue: [...state.queue, text] });
  return begin(entered, text);
}

/** Prints an entered line, adds it to the history, and runs it unless it is blank. */
function begin(state: ShellState, line: string): ShellStep {
  const echo: ShellEffect = { type: 'echo', connection: state.connection, line };
  if (line.trim() === '') return { state, effects: [echo] };
  const isKept = isStorable(line, state.vocabulary);
  const history = isKept ? remember(state.history, line) : state.history;
  const store: ShellEffect[] =
    isKept && state.history.at(-1) !== line ? [{ type: 'store', line }] : [];
  return {
    state: {
      ...state,
      history,
      running: { line, isSlow: false },
      secret: beginSecret(line),
      completed: undefined,
    },
    effects: [echo, ...store, { type: 'run', line }],
  };
}

function finish(state: ShellState, isExit: boolean): ShellStep {
  if (isExit) return leave(state);
  const [next, ...queue] = state.queue;
  if (next === undefined) return state.isEnding ? leave(state) : just(state);
  const step = begin({ ...state, queue }, next);
  if (step.state.running !== undefined) return step;
  const rest = finish(step.state, false);
  return { state: rest.state, effects: [...step.effects, ...rest.effects] };
}

/** Ends the first of these: question, search, running command, line. */
function interrupt(state: ShellState): ShellStep {
  const { line } = state;
  if (line.search !== undefined) return just(edit(state, { type: 'search-cancel' }));
  const cleared = { ...state, ...UNASKED, queue: [], isEnding: false };
  if (state.running !== undefined) return { state: cleared, effects: [{ type: 'interrupt' }] };
  return just({ ...emptyLine(cleared), completed: undefined });
}

function endOfInput(state: ShellState): ShellStep {
  if (state.line.text !== '') return just(edit(state, { type: 'delete-right' }));
  return state.running === undefined ? leave(state) : just({ ...state, isEnding: true });
}

function leave(state: ShellState): ShellStep {
  const interruption: ShellEffect[] = state.running === undefined ? [] : [{ type: 'interrupt' }];
  return {
    state: { ...state, isLeaving: true },
    effects: [...interruption, { type: 'leave' }],
  };
}

/** After the last watch, the rows of the pane move to the scrollback. */
function endOneWatch(state: ShellState, name: string, text: string): ShellStep {
  const pane = endWatch(state.pane, name);
  const ended: ShellEffect = { type: 'print', spans: [{ text, tone: 'event' }] };
  if (pane.watches.length > 0) return { state: { ...state, pane }, effects: [ended] };
  const rows = leftovers(pane).map((row): ShellEffect => ({ type: 'print', spans: [row] }));
  return { state: { ...state, pane: NO_PANE }, effects: [...rows, ended] };
}

/** Any key except TAB hides the candidates. */
function dismiss(state: ShellState, action: KeyAction): ShellState {
  return { ...state, note: undefined, menu: isTab(action) ? state.menu : undefined };
}

/** @param step performs an action as if another key had made it */
function stepVi(
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
function emptyLine(state: ShellState): ShellState {
  const line = { ...EMPTY_LINE, killed: state.line.killed };
  return { ...state, line, vi: state.vi && restartVi(state.vi) };
}
