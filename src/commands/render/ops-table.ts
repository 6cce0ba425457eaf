import { Chalk, type ChalkInstance } from 'chalk';
import type { ShowOptions } from '../ops/cli.js';
import { type Fault, isUnjudged, type Member, type MemberState } from '../ops/member.js';
import type { Level, OpsResult } from '../ops/result.js';
import type { Column } from '../ops/verb.js';
import { cellText, detailGrid, pairsOf, safeText, shownCell, wantsPairs } from './ops-cells.js';
import type { OpsTerminal } from './ops-terminal.js';
import { drawTable, GAP, type TableCell } from './plain-table.js';

const LEVEL_PAINTS = {
  healthy: (chalk: ChalkInstance) => chalk.green,
  warning: (chalk: ChalkInstance) => chalk.yellow,
  critical: (chalk: ChalkInstance) => chalk.red,
  unknown: (chalk: ChalkInstance) => chalk.magenta,
} as const;

function levelOfState(state: MemberState): Level {
  if (state === 'serving' || state === 'answered') return 'healthy';
  if (state === 'read-only') return 'warning';
  return isUnjudged(state) ? 'unknown' : 'critical';
}

/** The health table, the footnotes in words, the verdict. */
export function opsToTable(result: OpsResult, show: ShowOptions, terminal: OpsTerminal): string {
  const chalk = new Chalk({ level: terminal.isColour ? 1 : 0 });
  const detail = detailTable(result, show, terminal, chalk);
  const body = detail ?? summaryTable(result, terminal, chalk);
  const { level, summary } = result.verdict;
  const verdict = `${level.toUpperCase()}: ${safeText(summary)}`;
  return [
    body,
    '\n',
    ...footnotes(result.members, terminal.width),
    `${LEVEL_PAINTS[level](chalk).bold(wrap(verdict, terminal.width))}\n`,
  ].join('');
}

function summaryTable(result: OpsResult, terminal: OpsTerminal, chalk: ChalkInstance): string {
  const { verb, members } = result;
  const told = verb.columns.filter(
    (column) =>
      column.rank === 0 || members.some((member) => column.value(member, members) !== undefined),
  );
  const names: TableCell[] = members.map(({ server }) => ({ text: server, isRight: false }));
  const columns = fitColumns(told, result, widthOf('MEMBER', names), terminal.width);
  const isRight = (column: Column) =>
    members.some((member) => ['number', 'bigint'].includes(typeof column.value(member, members)));
  const heading = (text: string, right: boolean): TableCell => ({
    text,
    isRight: right,
    paint: chalk.bold,
  });
  return drawTable(
    [heading('MEMBER', false), ...columns.map((column) => heading(column.title, isRight(column)))],
    members.map((member, index) => [
      names[index] ?? { text: member.server, isRight: false },
      ...columns.map((column) => ({
        text: shownCell(column, member, members),
        isRight: isRight(column),
        ...(column.key === 'state'
          ? { paint: LEVEL_PAINTS[levelOfState(member.state)](chalk) }
          : {}),
      })),
    ]),
  );
}

function widthOf(title: string, cells: readonly { readonly text: string }[]): number {
  return Math.max(title.length, ...cells.map(({ text }) => text.length));
}

/** Drops the columns that matter least until the rest fits. */
function fitColumns(
  columns: readonly Column[],
  { members }: OpsResult,
  firstWidth: number,
  width: number,
): readonly Column[] {
  const widths = new Map(
    columns.map((column) => {
      const cells = members.map((member) => ({ text: shownCell(column, member, members) }));
      return [column, GAP + widthOf(column.title, cells)];
    }),
  );
  const kept = [...columns];
  const total = () => kept.reduce((sum, column) => sum + (widths.get(column) ?? 0), firstWidth);
  while (total() > width) {
    const worst = Math.max(...kept.map(({ rank }) => rank));
    if (worst === 0 || kept.length === 0) break;
    kept.splice(
      kept.findLastIndex(({ rank }) => rank === worst),
      1,
    );
  }
  return kept;
}

function detailTable(
  result: OpsResult,
  show: ShowOptions,
  terminal: OpsTerminal,
  chalk: ChalkInstance,
): string | undefined {
  const grid = pivot(result, show, terminal.width) ?? detailGrid(result, show);
  if (grid === undefined) return undefined;
  const isRight = grid.titles.map((_, at) =>
    grid.rows.some((row) => ['number', 'bigint'].includes(typeof row[at])),
  );
  const heading = grid.titles.map((title, at) => ({
    text: title === 'server' ? 'MEMBER' : title.toUpperCase().replace(' MS', ' ms'),
    isRight: isRight[at] ?? false,
    paint: chalk.bold,
  }));
  const rows = grid.rows.map((row) =>
    row.map((value, at) => ({
      text: value === undefined ? '-' : cellText(value),
      isRight: isRight[at] ?? false,
    })),
  );
  return drawTable(heading, rows);
}

/** One row a key and one column a member, where that fits: differences stand side by side. */
function pivot({ verb, members }: OpsResult, show: ShowOptions, width: number) {
  if (!wantsPairs(verb, show)) return undefined;
  const told = members.filter((member) => (verb.pairs?.(member).length ?? 0) > 0);
  const values = told.map((member) => new Map(pairsOf(verb, member, show)));
  const keys = [...new Set(values.flatMap((map) => [...map.keys()]))];
  const rows = keys.map((key) => [key, ...values.map((map) => map.get(key))]);
  const titles = ['key', ...told.map(({ server }) => server)];
  const total = titles.reduce((sum, title, at) => {
    const cells = rows.map((row) => ({ text: cellText(row[at]) }));
    return sum + widthOf(title, cells) + (at === 0 ? 0 : GAP);
  }, 0);
  return total > width ? undefined : { titles, rows };
}

/** One footnote a member that has something to say; the same words of several stand once. */
function footnotes(members: readonly Member[], width: number): string[] {
  const byText = new Map<string, string[]>();
  const add = (fault: Fault | undefined, server: string) => {
    if (fault === undefined) return;
    const text = `${fault.message}; ${fault.advice}.`;
    byText.set(text, [...(byText.get(text) ?? []), server]);
  };
  for (const { fault, note, server } of members) {
    add(fault, server);
    add(note, server);
  }
  return [...byText].map(
    ([text, servers]) => `${wrap(safeText(`${servers.join(', ')}: ${text}`), width)}\n`,
  );
}

/** Breaks at blanks; lines after the first are set in. A word longer than a line stands alone. */
function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line === '') line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
