import { shortNumber } from '../../commands/ensemble/format.js';
import { isUnjudged, type Member } from '../../commands/ensemble/member.js';
import type { Column } from '../../commands/ensemble/verb.js';
import { levelOfCell, problemsOf, worstLevel } from '../../commands/ensemble/verdict/blame.js';
import type { Level, OpsResult } from '../../commands/ensemble/verdict/result.js';
import { nameWidth, shownCell } from '../../commands/results/members.js';
import { fitColumns, titleOf, widthOf } from '../../commands/results/rows.js';
import { GAP } from '../../commands/terminal/draw-table.js';
import { shortNames } from '../../commands/terminal/short-names.js';
import { textWidth, wrap } from '../../commands/terminal/text-width.js';
import { safeLine } from '../../protocol/sanitize.js';
import type { TerminalSize } from '../terminal/terminal-size.js';
import { cutSpans, type Span, type Tone } from '../terminal/theme.js';
import { loadTable } from './load-rows.js';
import { rowsOf, type TopState } from './top-state.js';

type Row = readonly Span[];

const TONES: Readonly<Record<Level, Tone>> = {
  healthy: 'good',
  warning: 'busy',
  critical: 'bad',
  unknown: 'option',
};
const KEYS = 'q quit  h help  b by  s sort  R reverse  / filter  p pause  space now';
const HELP = [
  ['q', 'leaves'],
  ['space', 'asks now'],
  ['p', 'pauses and resumes'],
  ['b', 'next kind of rows: members, then who loads them by path, session, address, user'],
  ['s, right', 'next sort column; left: previous; escape: none'],
  ['R', 'reverses the order'],
  ['/', 'filters members by name or state; escape shows all'],
  ['up, down', 'scroll'],
  ['r', 'resets the statistics of all members, if confirmed'],
] as const;
const KEYS_WIDTH = 10;
const MIN_CHART = 6;
const MAX_CHART = 12;
const MIN_SPARK = 8;
const MAX_SPARK = 40;

const plain = (text: string): Row => [{ text, tone: 'plain' }];

/** Ink cuts rows of wide characters one column too late, so cut them here. */
export function topScreen(state: TopState, size: TerminalSize, hasCharts = true): readonly Row[] {
  const rows = rowsOfScreen(state, size);
  const bottom = rows.at(-1) ?? [];
  const all = hasCharts
    ? [...rows.slice(0, -1), ...charts(state, size, rows.length), bottom]
    : rows;
  return all.map((row) => cutSpans(row, size.columns));
}

function rowsOfScreen(state: TopState, size: TerminalSize): readonly Row[] {
  const { result } = state;
  const bottom = bottomRow(state);
  if (result === undefined) return [plain('zkops top: asking the members …'), bottom];
  if (state.isHelp) {
    const help = HELP.flatMap(([keys, does]) =>
      wrap(does, size.columns - KEYS_WIDTH, '')
        .split('\n')
        .map((text, at) => plain(`${(at === 0 ? keys : '').padEnd(KEYS_WIDTH)}${text}`)),
    );
    return [heading(state, result), [], ...help, [], bottom];
  }
  const body = state.by === undefined ? table(state, result, size) : loadTable(state, size.columns);
  const notes = problems(result);
  const head = [heading(state, result), verdict(result), totals(state, size.columns), []];
  // Writing to the last row scrolls the terminal.
  const room = Math.max(1, size.rows - 1 - head.length - 1 - 2);
  const noteRoom = Math.min(notes.length, Math.max(2, room - body.rows.length - 1));
  const rowRoom = Math.max(1, room - noteRoom - (noteRoom > 0 ? 1 : 0));
  const first = Math.min(state.scroll, Math.max(0, body.rows.length - rowRoom));
  const shown = body.rows.slice(first, first + rowRoom);
  const left = body.rows.length - shown.length;
  return [
    ...head,
    body.titles,
    ...shown,
    ...(left > 0 ? [plain(`… ${left} more: up and down scroll`)] : []),
    ...(noteRoom > 0 ? [[], ...notes.slice(0, noteRoom)] : []),
    bottom,
  ];
}

function heading(state: TopState, { time, members }: OpsResult): Row {
  const every = `every ${shortNumber(state.intervalMs / 1000)} s`;
  const count =
    state.filter === '' || state.by !== undefined
      ? `${members.length}`
      : `${rowsOf(state).length} of ${members.length}`;
  const by = state.by === undefined ? '' : `  by ${state.by}`;
  const pause = state.isPaused ? ', paused' : '';
  const clock = `${new Date(time).toISOString().slice(11, 19)} UTC`;
  return [
    { text: 'zkops top', tone: 'command' },
    {
      text: `  ${clock}  ${count} ${count === '1' ? 'member' : 'members'}${by}  ${every}${pause}`,
      tone: 'plain',
    },
  ];
}

function verdict({ verdict: { level, summary } }: OpsResult): Row {
  return [{ text: `${level.toUpperCase()}: ${safeLine(summary)}`, tone: TONES[level] }];
}

/** Where the members leave room for them. @param used rows */
function charts(state: TopState, { rows, columns }: TerminalSize, used: number): readonly Row[] {
  const height = Math.min(MAX_CHART, Math.floor((rows - 1 - used) / 2) - 2);
  if (height < MIN_CHART || state.result === undefined || state.isHelp) return [];
  const { requests, latency } = seriesOf(state);
  const size = { columns, height };
  return [
    ...chartRows(requests, { title: 'requests/s', tone: 'path', ...size }),
    ...chartRows(latency, { title: 'worst ms', tone: 'option', ...size }),
  ];
}

/** The series of all members, by poll. */
function seriesOf({ trends }: TopState) {
  const all = [...trends.values()];
  const polls = Math.max(0, ...all.map(({ requests }) => requests.length));
  const at = (series: readonly (number | undefined)[], poll: number) =>
    series[series.length - polls + poll];
  const each = Array.from({ length: polls }, (_, poll) => poll);
  const requests = each.map((poll) => sum(all.map((trend) => at(trend.requests, poll))));
  const latency = each.map((poll) => worst(all.map((trend) => at(trend.latency, poll))));
  return { requests, latency };
}

function totals(state: TopState, columns: number): Row {
  const { requests, latency } = seriesOf(state);
  const bars = Math.max(0, Math.min(MAX_SPARK, Math.floor((columns - 44) / 2)));
  const figure = (value: number | undefined) =>
    (value === undefined ? '-' : shortNumber(value)).padStart(7);
  return [
    { text: `requests/s ${figure(requests.at(-1))} `, tone: 'plain' },
    { text: sparkline(requests, bars), tone: 'path' },
    { text: `  worst ms ${figure(latency.at(-1))} `, tone: 'plain' },
    { text: sparkline(latency, bars), tone: 'option' },
  ];
}

function knownValues(values: readonly (number | undefined)[]): readonly number[] {
  return values.filter((value) => value !== undefined);
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = knownValues(values);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function worst(values: readonly (number | undefined)[]): number | undefined {
  const known = knownValues(values);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Shows sparklines of requests if there is room. */
function table(state: TopState, result: OpsResult, { columns: width }: TerminalSize) {
  const rows = rowsOf(state);
  const { members } = result;
  const short = shortNames(
    members.map(({ server }) => safeLine(server)),
    nameWidth(width),
  );
  const names = new Map(members.map(({ server }, at) => [server, short[at] ?? server]));
  const name = Math.max('MEMBER'.length, ...short.map(textWidth));
  const textsOf = (column: Column) => members.map((member) => shownCell(column, member, members));
  const ranked = result.verb.columns.map((column) => ({
    column,
    rank: column.rank,
    width: () => GAP + widthOf(titleOf(column), textsOf(column)),
  }));
  const columns = fitColumns(ranked, width - name).map(({ column }) => column);
  const widths = columns.map((column) =>
    Math.max(headingOf(column, state).length, ...textsOf(column).map(({ length }) => length)),
  );
  const used = widths.reduce((total, one) => total + one + 2, name);
  const spare = width - used - 2;
  const bars = spare < MIN_SPARK ? 0 : Math.min(MAX_SPARK, spare);
  const cells = (texts: readonly string[]) =>
    texts.map(
      (text, at) =>
        `  ${isLeft(columns[at]) ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0)}`,
    );
  const titles = [
    'MEMBER'.padEnd(name),
    ...cells(columns.map((column) => headingOf(column, state))),
    bars === 0 ? '' : `  ${'REQUESTS'.padStart(bars)}`,
  ].join('');
  return {
    titles: [{ text: titles, tone: 'command' }] as Row,
    rows: rows.map((member): Row => {
      const server = names.get(member.server) ?? '';
      const texts = cells(columns.map((column) => shownCell(column, member, members)));
      const own = problemsOf(member, result.verdict);
      const trend = state.trends.get(member.server)?.requests ?? [];
      return [
        { text: server + ' '.repeat(name - textWidth(server)), tone: toneOf(member, result) },
        ...columns.map((column, at): Span => {
          const level = levelOfCell(column, own);
          return { text: texts[at] ?? '', tone: level === undefined ? 'plain' : TONES[level] };
        }),
        ...(bars === 0 ? [] : [{ text: `  ${sparkline(trend, bars)}`, tone: 'path' as const }]),
      ];
    }),
  };
}

function isLeft(column: Column | undefined): boolean {
  return column?.key === 'state' || column?.key === 'version';
}

function headingOf(column: Column, { sort, isReversed }: TopState): string {
  const title = titleOf(column);
  return column.key === sort ? `${title}${isReversed ? '▴' : '▾'}` : title;
}

function toneOf(member: Member, { verdict }: OpsResult): Tone {
  const { state } = member;
  if (state !== 'serving') return isUnjudged(state) ? 'option' : 'bad';
  return TONES[worstLevel(problemsOf(member, verdict)) ?? 'healthy'];
}

function problems({ verdict: { problems: all, summary } }: OpsResult): readonly Row[] {
  return all
    .filter(({ text }) => text !== summary)
    .map(({ level, server, text }) => {
      const about = server === undefined ? '' : `${server}: `;
      return [{ text: safeLine(about + text), tone: TONES[level] }];
    });
}

function bottomRow({ prompt, filter, notice }: TopState): Row {
  if (prompt === 'filter') return [{ text: `filter: ${filter}_`, tone: 'value' }];
  if (prompt === 'reset') {
    return [{ text: 'Reset the statistics of all members (srst)? y or n', tone: 'busy' }];
  }
  return notice === ''
    ? [{ text: KEYS, tone: 'dim' }]
    : [{ text: safeLine(notice), tone: 'value' }];
}

const BARS = ' ▁▂▃▄▅▆▇█';
const LABEL = 8;

export interface ChartOptions {
  readonly title: string;
  readonly tone: Tone;
  readonly columns: number;
  /** The rows of the bars; a blank row and the title come before them. */
  readonly height: number;
}

/** Bars over time, the newest at the right, with the highest shown value and 0 at the left. */
function chartRows(
  values: readonly (number | undefined)[],
  { title, tone, columns, height }: ChartOptions,
): readonly (readonly Span[])[] {
  const width = Math.max(1, columns - LABEL - 1);
  const shown = values.slice(-width);
  const highest = Math.max(0, ...shown.map((value) => value ?? 0));
  const bars = Array.from({ length: height }, (_, row) => {
    const label = row === 0 ? shortNumber(highest) : row === height - 1 ? '0' : '';
    const below = height - 1 - row;
    const text = shown.map((value) => barOf(((value ?? 0) / (highest || 1)) * height - below));
    return [
      { text: `${label.padStart(LABEL)} `, tone: 'dim' as const },
      { text: text.join('').padStart(width), tone },
    ];
  });
  return [[], [{ text: title, tone: 'command' }], ...bars];
}

/** @param share of this row: at most 0 is empty, 1 and more is full */
function barOf(share: number): string {
  const at = Math.max(0, Math.min(BARS.length - 1, Math.round(share * (BARS.length - 1))));
  return BARS[at] ?? ' ';
}

const SPARKS = '▁▂▃▄▅▆▇█';

/** The newest at the right, missing values blank. Scaled from zero to the highest shown value. */
export function sparkline(values: readonly (number | undefined)[], columns: number): string {
  const shown = columns <= 0 ? [] : values.slice(-columns);
  const highest = Math.max(0, ...shown.map((value) => value ?? 0));
  const bars = shown.map((value) => {
    if (value === undefined) return ' ';
    const at = highest === 0 ? 0 : Math.round((value / highest) * (SPARKS.length - 1));
    return SPARKS[Math.max(0, at)] ?? ' ';
  });
  return bars.join('').padStart(Math.max(0, columns));
}
