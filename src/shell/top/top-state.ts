// A pure reducer: poll results and keys in, state and effects out.

import type { Member } from '../../commands/ensemble/member.js';
import type { Sample } from '../../commands/ensemble/sample.js';
import type { Column } from '../../commands/ensemble/verb.js';
import { samplesOf } from '../../commands/ensemble/verdict/measure.js';
import type { OpsResult } from '../../commands/ensemble/verdict/result.js';
import { LOAD_KINDS, type LoadKind } from '../../fourlw/base/load-view.js';
import { loadSums } from './load-rows.js';

/** Polls kept: enough for the widest terminal. */
const MAX_HISTORY = 240;

export interface Trend {
  readonly requests: readonly (number | undefined)[];
  readonly latency: readonly (number | undefined)[];
}

export interface TopState {
  readonly intervalMs: number;
  /** What a row is; undefined for a member. */
  readonly by: LoadKind | undefined;
  readonly result: OpsResult | undefined;
  readonly earlier: ReadonlyMap<string, Sample>;
  /** Oldest poll first. */
  readonly trends: ReadonlyMap<string, Trend>;
  /** Undefined: the original order. */
  readonly sort: string | undefined;
  readonly isReversed: boolean;
  readonly filter: string;
  /** The prompt in the bottom line gets the keys. */
  readonly prompt: 'filter' | 'reset' | undefined;
  readonly isPaused: boolean;
  readonly isHelp: boolean;
  readonly scroll: number;
  readonly notice: string;
}

export type TopEvent =
  | { readonly type: 'polled'; readonly result: OpsResult }
  | { readonly type: 'notice'; readonly notice: string }
  /** A character, or `enter`, `escape`, `backspace`, `up`, `down`, `left`, `right`. */
  | { readonly type: 'key'; readonly key: string };

export type TopEffect = 'quit' | 'poll' | 'reset';

export interface Step {
  readonly state: TopState;
  readonly effects: readonly TopEffect[];
}

type Asked = Pick<TopState, 'intervalMs' | 'sort' | 'filter'> & Partial<Pick<TopState, 'by'>>;

export function startState({ intervalMs, by, sort, filter }: Asked): TopState {
  return {
    intervalMs,
    by,
    result: undefined,
    earlier: new Map(),
    trends: new Map(),
    sort,
    isReversed: false,
    filter,
    prompt: undefined,
    isPaused: false,
    isHelp: false,
    scroll: 0,
    notice: '',
  };
}

export function step(state: TopState, event: TopEvent): Step {
  switch (event.type) {
    case 'polled':
      return only(withResult(state, event.result));
    case 'notice':
      return only({ ...state, notice: event.notice });
    case 'key':
      return pressed({ ...state, notice: '' }, event.key);
  }
}

function only(state: TopState, ...effects: readonly TopEffect[]): Step {
  return { state, effects };
}

function withResult(state: TopState, result: OpsResult): TopState {
  const trends = new Map(state.trends);
  for (const { server, rates } of result.members) {
    const { requests = [], latency = [] } = trends.get(server) ?? {};
    trends.set(server, {
      requests: [...requests, rates?.requestsPerSecond].slice(-MAX_HISTORY),
      latency: [...latency, rates?.latencyMs].slice(-MAX_HISTORY),
    });
  }
  return { ...state, result, trends, earlier: samplesOf(result.members, result.timeMs) };
}

function pressed(state: TopState, key: string): Step {
  if (key === 'ctrl-c') return only(state, 'quit');
  if (state.prompt === 'filter') return only(typeFilter(state, key));
  if (state.prompt === 'reset') {
    const answered = { ...state, prompt: undefined };
    return key === 'y' ? only(answered, 'reset') : only({ ...answered, notice: 'reset canceled' });
  }
  if (state.isHelp) return only({ ...state, isHelp: false });
  switch (key) {
    case 'q':
      return only(state, 'quit');
    case ' ':
      return only(state, 'poll');
    case 'p':
      return only({ ...state, isPaused: !state.isPaused });
    case 'h':
    case '?':
      return only({ ...state, isHelp: true });
    case 'r':
      return only({ ...state, prompt: 'reset' });
    case '/':
      return only({ ...state, prompt: 'filter' });
    case 'escape':
      return only({ ...state, filter: '', sort: undefined });
    case 's':
    case 'right':
      return only({ ...state, sort: adjacentColumn(state, 1), scroll: 0 });
    case 'left':
      return only({ ...state, sort: adjacentColumn(state, -1), scroll: 0 });
    case 'b':
      return only({ ...state, by: nextKind(state.by), sort: undefined, scroll: 0 }, 'poll');
    case 'R':
      return only({ ...state, isReversed: !state.isReversed });
    case 'down':
    case 'j':
      return only({ ...state, scroll: scrolled(state, 1) });
    case 'up':
    case 'k':
      return only({ ...state, scroll: scrolled(state, -1) });
    default:
      return only(state);
  }
}

/** Members follow the last kind. */
function nextKind(by: LoadKind | undefined): LoadKind | undefined {
  const kinds = [undefined, ...LOAD_KINDS];
  return kinds[(kinds.indexOf(by) + 1) % kinds.length];
}

function typeFilter(state: TopState, key: string): TopState {
  if (key === 'enter') return { ...state, prompt: undefined };
  if (key === 'escape') return { ...state, prompt: undefined, filter: '' };
  if (key === 'backspace') return { ...state, filter: state.filter.slice(0, -1) };
  return key.length === 1 ? { ...state, filter: state.filter + key, scroll: 0 } : state;
}

function scrolled(state: TopState, by: number): number {
  const rows = state.by === undefined ? rowsOf(state) : loadSums(state);
  const last = Math.max(0, rows.length - 1);
  return Math.min(last, Math.max(0, state.scroll + by));
}

/** The original order follows the last column. */
function adjacentColumn({ result, sort }: TopState, by: number): string | undefined {
  const keys = [undefined, ...(result?.verb.columns ?? []).map(({ key }) => key)];
  const at = keys.indexOf(sort);
  return keys[(at + by + keys.length) % keys.length];
}

/** Numbers descending, words ascending, missing values last. */
export function rowsOf({ result, filter, sort, isReversed }: TopState): readonly Member[] {
  if (result === undefined) return [];
  const { members, verb } = result;
  const wanted = filter.toLowerCase();
  const shown = members.filter(({ server, state }) =>
    `${server} ${state}`.toLowerCase().includes(wanted),
  );
  const column = verb.columns.find(({ key }) => key === sort);
  if (column === undefined) return isReversed ? shown.reverse() : shown;
  const sign = isReversed ? -1 : 1;
  return shown.sort((a, b) => sign * compare(column, a, b, members));
}

function compare(column: Column, a: Member, b: Member, members: readonly Member[]): number {
  const [one, other] = [column.value(a, members), column.value(b, members)];
  if (one === undefined || other === undefined) {
    return Number(one === undefined) - Number(other === undefined);
  }
  if (typeof one === 'string' || typeof other === 'string') {
    return String(one).localeCompare(String(other));
  }
  return Number(other) - Number(one);
}
