import { stripVTControlCharacters } from 'node:util';
import { append } from '../../base/append.js';
import { problemsOf, worstLevel } from '../ensemble/verdict/blame.js';
import type { Level } from '../ensemble/verdict/result.js';
import type { MEMBER_FORMATS } from '../program/output-format.js';
import { tableWidth } from '../terminal/draw-table.js';
import type { OpsTerminal } from '../terminal/ops-terminal.js';
import { footer, problemLines } from './footer.js';
import { verdictJson } from './members-json.js';
import { membersToNagios } from './nagios.js';
import { paintsOf } from './paints.js';
import { membersToProm } from './prom.js';
import type { Conclusion, Report, Row } from './result.js';
import { csvLine, drawParagraphs, plainLine, rowDrawer, rowJson, toJson } from './rows.js';

// Renders in pieces: a dump of a large file prints in constant memory in every format.

export interface ShowReport {
  readonly output: (typeof MEMBER_FORMATS)[number];
  readonly isQuiet: boolean;
  readonly verb: string;
  /** In ISO 8601. */
  readonly time: string;
}

/** docs/zkops-rows-1.schema.json. A removed field or a changed meaning makes it 2. */
const SCHEMA = 'zkops-rows/1';

type Pieces = AsyncGenerator<string, Level, undefined>;

/** Yields the pieces to print. Returns the level of the verdict. */
export function renderReport(report: Report, show: ShowReport, terminal: OpsTerminal): Pieces {
  const { time, verb } = show;
  if (show.isQuiet) return piece(report, (found) => problemLines({ time, ...found }));
  if (report.document !== undefined) return documentPieces(report, report.document);
  switch (show.output) {
    // An answer of a member has bytes, a row has none.
    case 'raw':
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
      return piece(report, (found) => membersToNagios({ members: [], ...found }));
    case 'prom':
      return piece(report, (found) =>
        membersToProm({ members: [], timeMs: Date.parse(time), ...found }, verb),
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

async function* linePieces(report: Report, line: (row: Row) => string, heading: string): Pieces {
  if (heading !== '') yield heading;
  for await (const rows of report.rows) {
    if (rows.length > 0) yield rows.map(line).join('');
  }
  return report.finish().verdict.level;
}

function conclusionJson(conclusion: Conclusion): string {
  const { changes, notes = [], totals = {} } = conclusion;
  return toJson({ verdict: verdictJson(conclusion), changes, notes, totals });
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
      text += `${isFirst ? '\n' : ',\n'}  ${rowJson(report.columns, row)}`;
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
    if (rows.length > 0) yield rows.map((row) => `${rowJson(report.columns, row)}\n`).join('');
  }
  const conclusion = report.finish();
  yield `${startJson(show)}${conclusionJson(conclusion).slice(1)}\n`;
  return conclusion.verdict.level;
}

async function* tablePieces(report: Report, { isColor, width }: OpsTerminal): Pieces {
  const { columns, isEndless = false, isProse = false } = report;
  const paints = paintsOf(isColor);
  const draw = rowDrawer(columns, { width, paints, isFolded: !isProse, isEndless });
  for await (const rows of isEndless ? report.rows : wholeOf(report)) {
    if (rows.length === 0) continue;
    const drawn = draw(rows, isEndless ? {} : { row: rowLevels(report) });
    const isTooWide = isProse && tableWidth(stripVTControlCharacters(drawn)) > width;
    yield isTooWide ? drawParagraphs({ columns, rows }, width) : drawn;
  }
  const conclusion = report.finish();
  yield footer({ ...conclusion, members: [] }, width, paints, report.isPlain);
  return conclusion.verdict.level;
}

async function* wholeOf({ rows }: Report) {
  const all: Row[] = [];
  for await (const some of rows) append(all, some);
  yield all;
}

function rowLevels(report: Report): (row: Row) => Level | undefined {
  if (report.levelOf !== undefined) return report.levelOf;
  const at = report.columns.findIndex(({ key }) => key === 'server' || key === 'member');
  if (at < 0) return () => undefined;
  const { verdict } = report.finish();
  return (row) => worstLevel(problemsOf({ server: String(row[at]) }, verdict));
}
