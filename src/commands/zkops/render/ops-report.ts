import { Chalk, type ChalkInstance } from 'chalk';
import { safeJson, safeLine } from '../../../protocol/sanitize.js';
import type { CellValue } from '../../ensemble/verb.js';
import { problemsOf, worstLevel } from '../../ensemble/verdict/blame.js';
import type { Level } from '../../ensemble/verdict/result.js';
import { columnWidths, drawLine, GAP, type TableCell } from '../../terminal/draw-table.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import { textWidth, wrap } from '../../terminal/text-width.js';
import type { TaskFormat } from '../calls/options.js';
import type { Conclusion, Report, ReportRow } from '../calls/task.js';
import { footer, LEVEL_PAINTS, problemLines } from './ops-footnotes.js';
import { replaceBigint, verdictJson } from './ops-json.js';
import { csvField, gridToPlain } from './ops-lines.js';
import { opsToNagios } from './ops-nagios.js';
import { opsToProm } from './ops-prom.js';

// Renders in pieces: a dump of a large file prints in constant memory in every format.

export interface ShowReport {
  readonly output: TaskFormat;
  readonly isQuiet: boolean;
  readonly verb: string;
  /** In ISO 8601. */
  readonly time: string;
}

/** docs/zkops-rows-1.schema.json. A removed field or a changed meaning makes it 2. */
const SCHEMA = 'zkops-rows/1';

/** A narrower column would be harder to read than a folded row. */
const LEAST_FOLD = 16;

type Pieces = AsyncGenerator<string, Level, undefined>;

/** Yields the pieces to print. Returns the level of the verdict. */
export function renderReport(report: Report, show: ShowReport, terminal: OpsTerminal): Pieces {
  const { time, verb } = show;
  if (show.isQuiet) return piece(report, (found) => problemLines({ time, ...found }));
  if (report.document !== undefined) return documentPieces(report, report.document);
  switch (show.output) {
    case 'table':
      return tablePieces(report, terminal);
    case 'json':
      return jsonPieces(report, show);
    case 'ndjson':
      return jsonLinePieces(report, show);
    case 'csv':
      return linePieces(report, csvLine, csvLine(report.columns.map(({ key }) => key)));
    case 'plain':
      return linePieces(report, plainLine, '');
    case 'nagios':
      return piece(report, (found) => opsToNagios({ members: [], ...found }));
    case 'prom':
      return piece(report, (found) =>
        opsToProm({ members: [], timeMs: Date.parse(time), ...found }, verb),
      );
  }
}

async function drain(report: Report): Promise<Conclusion> {
  for await (const _ of report.rows);
  return report.finish();
}

async function* piece(report: Report, text: (found: Conclusion) => string): Pieces {
  const found = await drain(report);
  yield text(found);
  return found.verdict.level;
}

async function* documentPieces(report: Report, document: string): Pieces {
  yield document;
  return (await drain(report)).verdict.level;
}

async function* linePieces(
  report: Report,
  line: (row: ReportRow) => string,
  heading: string,
): Pieces {
  if (heading !== '') yield heading;
  for await (const rows of report.rows) {
    if (rows.length > 0) yield rows.map(line).join('');
  }
  return report.finish().verdict.level;
}

function csvLine(row: ReportRow): string {
  return `${row.map(csvField).join(',')}\n`;
}

function plainLine(row: ReportRow): string {
  return gridToPlain({ titles: [], rows: [row] });
}

function rowJson({ columns }: Report, row: ReportRow): string {
  const entries = columns.map(({ key }, at) => [key, row[at] ?? null]);
  return safeJson(JSON.stringify(Object.fromEntries(entries), replaceBigint));
}

function conclusionJson(conclusion: Conclusion): string {
  const { changes, notes = [], totals = {} } = conclusion;
  const document = { verdict: verdictJson(conclusion), changes, notes, totals };
  return safeJson(JSON.stringify(document, replaceBigint));
}

function startJson({ verb, time }: ShowReport): string {
  return `{"schema":"${SCHEMA}","verb":${JSON.stringify(verb)},"time":"${time}",`;
}

async function* jsonPieces(report: Report, show: ShowReport): Pieces {
  yield `${startJson(show)}"rows":[`;
  let isFirst = true;
  for await (const rows of report.rows) {
    let text = '';
    for (const row of rows) {
      text += `${isFirst ? '\n' : ',\n'}  ${rowJson(report, row)}`;
      isFirst = false;
    }
    if (text !== '') yield text;
  }
  const conclusion = report.finish();
  yield `\n],${conclusionJson(conclusion).slice(1)}\n`;
  return conclusion.verdict.level;
}

async function* jsonLinePieces(report: Report, show: ShowReport): Pieces {
  for await (const rows of report.rows) {
    if (rows.length > 0) yield rows.map((row) => `${rowJson(report, row)}\n`).join('');
  }
  const conclusion = report.finish();
  yield `${startJson(show)}${conclusionJson(conclusion).slice(1)}\n`;
  return conclusion.verdict.level;
}

async function* tablePieces(report: Report, terminal: OpsTerminal): Pieces {
  const chalk = new Chalk({ level: terminal.isColor ? 1 : 0 });
  yield* tableLines(report, chalk, terminal.width);
  const conclusion = report.finish();
  yield footer({ ...conclusion, members: [] }, terminal.width, chalk, report.isPlain);
  return conclusion.verdict.level;
}

async function* tableLines(report: Report, chalk: ChalkInstance, room: number) {
  const { columns, isEndless = false } = report;
  let widths: readonly number[] | undefined;
  for await (const rows of isEndless ? report.rows : wholeOf(report)) {
    const [sample] = rows;
    if (sample === undefined) continue;
    const cells = rows.map((row) => cellsOf(report, row));
    if (widths === undefined) {
      const heading = columns.map(({ title }, at) => cellOf(title, sample[at]));
      const least = columns.map(({ width = 0 }) => cellOf(' '.repeat(width), undefined));
      widths = columnWidths([heading, least, ...(isEndless ? [] : cells)]);
      yield chalk.bold(drawLine(heading, widths));
    }
    const drawn = widths;
    const levelOf = isEndless ? () => undefined : rowLevels(report);
    const lines = rows.map((row, at) => {
      const line = drawFolded(cells[at] ?? [], drawn, room);
      const level = levelOf(row);
      return level === undefined ? line : `${LEVEL_PAINTS[level](chalk)(line.trimEnd())}\n`;
    });
    yield lines.join('');
  }
}

/** Folds a long text at the end, such as a command, under its column. */
function drawFolded(cells: readonly TableCell[], widths: readonly number[], room: number): string {
  const last = cells.at(-1);
  const start = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const left = room - start;
  if (last === undefined || last.isRight || left < LEAST_FOLD || textWidth(last.text) <= left) {
    return drawLine(cells, widths);
  }
  const [first = '', ...more] = wrap(last.text, left, '').split('\n');
  const line = drawLine([...cells.slice(0, -1), { ...last, text: first }], widths);
  return line + more.map((text) => `${' '.repeat(start)}${text}\n`).join('');
}

async function* wholeOf({ rows }: Report) {
  const all: ReportRow[] = [];
  for await (const some of rows) all.push(...some);
  yield all;
}

function rowLevels(report: Report): (row: ReportRow) => Level | undefined {
  if (report.levelOf !== undefined) return report.levelOf;
  const at = report.columns.findIndex(({ key }) => key === 'server' || key === 'member');
  if (at < 0) return () => undefined;
  const { verdict } = report.finish();
  return (row) => worstLevel(problemsOf({ server: String(row[at]) }, verdict));
}

function cellsOf({ columns }: Report, row: ReportRow): TableCell[] {
  return columns.map(({ show = String }, at) => {
    const value = row[at];
    return cellOf(value === undefined ? '-' : safeLine(show(value)), value);
  });
}

function cellOf(text: string, value: CellValue): TableCell {
  return { text, isRight: ['number', 'bigint'].includes(typeof value) };
}
