import { Chalk, type ChalkInstance } from 'chalk';
import { isUnjudged, type MemberState } from '../../ensemble/member.js';
import type { CellValue, Column } from '../../ensemble/verb.js';
import { levelOfCell, levelOfKey, problemsOf, worstLevel } from '../../ensemble/verdict/blame.js';
import type { Level, OpsResult } from '../../ensemble/verdict/result.js';
import { drawTable, type TableCell, tableWidth } from '../../terminal/draw-table.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import { shortNames } from '../../terminal/short-names.js';
import type { ShowOptions } from '../calls/cli-world.js';
import type { Grid } from '../calls/grid.js';
import { cellText, detailGrid, pairsOf, shownCell, wantsPairs } from './ops-cells.js';
import { fitColumns, nameWidth, widthOf } from './ops-columns.js';
import { footer, LEVEL_PAINTS } from './ops-footnotes.js';

function levelOfState(state: MemberState): Level {
  if (state === 'serving' || state === 'answered') return 'healthy';
  if (state === 'read-only') return 'warning';
  return isUnjudged(state) ? 'unknown' : 'critical';
}

export function opsToTable(result: OpsResult, show: ShowOptions, terminal: OpsTerminal): string {
  const chalk = new Chalk({ level: terminal.isColor ? 1 : 0 });
  const detail = detailTable(result, show, terminal, chalk);
  const body = detail ?? summaryTable(result, terminal, chalk);
  return `${body}${footer(result, terminal.width, chalk)}`;
}

function summaryTable(result: OpsResult, terminal: OpsTerminal, chalk: ChalkInstance): string {
  const { verb, members } = result;
  const used = verb.columns.filter(
    (column) =>
      column.rank === 0 || members.some((member) => column.value(member, members) !== undefined),
  );
  const shown = shortNames(
    members.map(({ server }) => server),
    nameWidth(terminal.width),
  );
  const names: TableCell[] = shown.map((text) => ({ text, isRight: false }));
  const columns = fitColumns(used, result, widthOf('MEMBER', names), terminal.width);
  const isRight = (column: Column) =>
    members.some((member) => ['number', 'bigint'].includes(typeof column.value(member, members)));
  const heading = (text: string, right: boolean): TableCell => ({
    text,
    isRight: right,
    paint: chalk.bold,
  });
  return drawTable(
    [heading('MEMBER', false), ...columns.map((column) => heading(column.title, isRight(column)))],
    members.map((member, row) => {
      const problems = problemsOf(member, result.verdict);
      return [
        {
          text: shown[row] ?? member.server,
          isRight: false,
          ...paintOf(worstLevel(problems), chalk),
        },
        ...columns.map((column) => {
          const isState = column.key === 'state';
          const level = isState ? levelOfState(member.state) : levelOfCell(column, problems);
          const text = shownCell(column, member, members);
          return { text, isRight: isRight(column), ...paintOf(level, chalk) };
        }),
      ];
    }),
  );
}

function paintOf(level: Level | undefined, chalk: ChalkInstance): Pick<TableCell, 'paint'> {
  return level === undefined ? {} : { paint: LEVEL_PAINTS[level](chalk) };
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
  const levelOf = detailLevels(result, grid);
  const rows = grid.rows.map((row) =>
    row.map((value, at) => ({
      text: value === undefined ? '-' : cellText(value),
      isRight: isRight[at] ?? false,
      ...paintOf(levelOf(row, at), chalk),
    })),
  );
  return drawTable(heading, rows);
}

/** For tables with members as rows and as columns. */
function detailLevels({ members, verdict }: OpsResult, { titles }: Grid) {
  const problems = new Map(members.map((member) => [member.server, problemsOf(member, verdict)]));
  const isPivot = titles[0] === 'key';
  return (row: Grid['rows'][number], at: number): Level | undefined => {
    const own = problems.get(isPivot ? (titles[at] ?? '') : String(row[0])) ?? [];
    if (at === 0) return isPivot ? undefined : worstLevel(own);
    return levelOfKey(String(row[isPivot ? 0 : 1]), own);
  };
}

/** One row for each key and one column for each member, if they fit. */
function pivot({ verb, members }: OpsResult, show: ShowOptions, width: number) {
  if (!wantsPairs(verb, show)) return undefined;
  const reporting = members.filter((member) => (verb.pairs?.(member).length ?? 0) > 0);
  const values = reporting.map((member) => new Map(pairsOf(verb, member, show, members)));
  const keys = [...new Set(values.flatMap((map) => [...map.keys()]))];
  const rows = keys.map((key) => [key, ...values.map((map) => map.get(key))]);
  const titles = ['key', ...reporting.map(({ server }) => server)];
  const cell = (value: CellValue) => ({ text: cellText(value), isRight: false });
  const table = drawTable(
    titles.map(cell),
    rows.map((row) => row.map(cell)),
  );
  return tableWidth(table) > width ? undefined : { titles, rows };
}
