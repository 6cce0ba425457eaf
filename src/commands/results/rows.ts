// The formats of a table.

import { safeJson, safeLine } from '../../protocol/sanitize.js';
import type { CellValue } from '../ensemble/verb.js';
import type { Level } from '../ensemble/verdict/result.js';
import { columnWidths, drawLine, GAP, type TableCell } from '../terminal/draw-table.js';
import { bar } from '../terminal/progress-line.js';
import { textWidth, wrap } from '../terminal/text-width.js';
import type { Paints } from './paints.js';
import type { Column, Row, Table } from './result.js';

/** RFC 4180 with the line ends of this system. */
export function csvLine(row: Row): string {
  return `${row.map(csvField).join(',')}\n`;
}

/** A spreadsheet reads such text as a formula. */
const FORMULA = /^(?:[=+@\t\r]|-.)/s;

/** Puts an apostrophe before formulas (OWASP, "CSV Injection"), but not before numbers. */
function csvField(value: CellValue): string {
  const raw = value === undefined ? '' : String(value);
  const isNumber = typeof value === 'number' || /^[+-]?\d+(?:\.\d+)?$/.test(raw);
  const text = `${FORMULA.test(raw) && !isNumber ? "'" : ''}${safeLine(raw)}`;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Values separated by tabs, for cut and awk; `-` for an unknown value. */
export function plainLine(row: Row): string {
  return `${row.map((value) => cellText({}, value)).join('\t')}\n`;
}

/** Ids and zxids are strings: JSON numbers would lose their last digits. */
export function rowJson(columns: readonly Column[], row: Row, more = {}): string {
  return toJson({ ...more, ...rowObject(columns, row) });
}

export function rowObject(columns: readonly Column[], row: Row) {
  return Object.fromEntries(columns.map(({ key }, at) => [key, row[at] ?? null]));
}

/** JSON that a terminal may show; bigints are strings. */
export function toJson(value: unknown, indent = 0): string {
  const replace = (_key: string, each: unknown) =>
    typeof each === 'bigint' ? each.toString() : each;
  return safeJson(JSON.stringify(value, replace, indent));
}

/** `MAX LATENCY ms` */
export function titleOf({ key, title }: Pick<Column, 'key' | 'title'>): string {
  return title ?? key.toUpperCase().replaceAll('_', ' ').replace(/ MS$/, ' ms');
}

/** `-` for an unknown value. */
export function cellText(
  { show = String }: Pick<Column, 'show'>,
  value: CellValue,
  clean = safeLine,
): string {
  return value === undefined ? '-' : clean(show(value));
}

export interface DrawOptions {
  /** Columns with a rank are dropped to fit it. */
  readonly width: number;
  /** Drops columns with a rank that have no value, also where they fit. */
  readonly isUsedOnly?: boolean;
  /** A percentage also has a bar. */
  readonly hasBars?: boolean;
  /** By default escapes what a terminal obeys or hides. */
  readonly clean?: (text: string) => string;
}

interface Painting {
  readonly paints?: Paints;
  /** A long text at the end, such as a command, continues under its column. */
  readonly isFolded?: boolean;
  /** The first rows do not tell the widths of later ones. */
  readonly isEndless?: boolean;
}

interface Placed {
  readonly column: Column;
  /** Its place in the rows. */
  readonly at: number;
}

interface Layout {
  readonly places: readonly Placed[];
  readonly isRight: readonly boolean[];
  readonly widths: readonly number[];
}

interface Levels {
  readonly row?: (row: Row) => Level | undefined;
  readonly cell?: (row: Row, column: Column) => Level | undefined;
}

/** Two blanks between columns, no lines; "" without rows. */
export function drawRows({ columns, rows }: Table, options: DrawOptions): string {
  return rows.length === 0 ? '' : rowDrawer(columns, options)(rows);
}

/** The first call also draws the heading; its rows decide which columns fit. */
export function rowDrawer(columns: readonly Column[], options: DrawOptions & Painting) {
  const { paints, width, isFolded = false, isEndless = false } = options;
  let layout: Layout | undefined;
  return (rows: readonly Row[], levels: Levels = {}): string => {
    const places = layout?.places ?? fittingColumns({ columns, rows }, options);
    const shown = places.map(({ column }) => column);
    const isRight =
      layout?.isRight ?? places.map(({ at }) => rows.some((row) => isNumber(row[at])));
    const cells = rows.map((row) =>
      places.map(({ column, at }, place): TableCell => {
        const level = levels.cell?.(row, column);
        const paint = level && paints && ((text: string) => paints.level(level, text));
        return {
          text: textOf(column, row[at], options),
          isRight: column.isPercent !== true && (isRight[place] === true || isNumber(row[at])),
          ...(paint && { paint }),
        };
      }),
    );
    let heading = '';
    if (layout === undefined) {
      const titles = shown.map((column, place) => ({
        text: titleOf(column),
        isRight: column.isPercent !== true && isRight[place] === true,
      }));
      const least = shown.map(({ width: one = 0 }) => ({ text: ' '.repeat(one), isRight: false }));
      const widths = columnWidths([titles, least, ...(isEndless ? [] : cells)]);
      layout = { places, isRight, widths };
      heading = drawLine(titles, widths);
    }
    const { widths } = layout;
    const lines = cells.map((row, at) => {
      const line = isFolded ? drawFolded(row, widths, width) : drawLine(row, widths);
      const level = levels.row?.(rows[at] ?? []);
      return level && paints ? `${paints.level(level, line.trimEnd())}\n` : line;
    });
    return `${heading && (paints?.bold(heading) ?? heading)}${lines.join('')}`;
  };
}

/** Folds the last cell if its line is too long. A narrower column would be harder to read. */
function drawFolded(cells: readonly TableCell[], widths: readonly number[], room: number): string {
  const leastFold = 16;
  const last = cells.at(-1);
  const start = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, 0);
  const left = room - start;
  if (last === undefined || last.isRight || left < leastFold || textWidth(last.text) <= left) {
    return drawLine(cells, widths);
  }
  const [first = '', ...more] = wrap(last.text, left, '').split('\n');
  const line = drawLine([...cells.slice(0, -1), { ...last, text: first }], widths);
  return line + more.map((text) => `${' '.repeat(start)}${text}\n`).join('');
}

/** Each row as lines `title: value` below its first cell. */
export function drawParagraphs({ columns, rows }: Table, width: number): string {
  const lineOf = (column: Column, at: number, value: CellValue) => {
    const start = at === 0 ? '' : `${titleOf(column).toLowerCase()}: `;
    return `${start}${cellText(column, value)}`;
  };
  return rows
    .map((row) =>
      columns
        .flatMap((column, at) => (row[at] === undefined ? [] : [lineOf(column, at, row[at])]))
        .map((line) => `${wrap(line, width)}\n`)
        .join(''),
    )
    .join('\n');
}

/** Lines. A longer list is easier to read, search, and copy without frames, and draws at once. */
const MOST_FRAMED = 1000;

/** @param draw as framedTable */
export function drawFramed(
  table: Table,
  options: DrawOptions,
  draw: (titles: readonly string[], rows: readonly (readonly string[])[]) => string,
): string {
  if (table.rows.length > MOST_FRAMED) return drawRows(table, options);
  const places = fittingColumns(table, options, FRAME);
  const titles = places.map(({ column }) => titleOf(column));
  const textsOf = (row: Row) => places.map(({ column, at }) => textOf(column, row[at], options));
  const texts = table.rows.map(textsOf);
  return isLong(texts.flat()) ? drawRows(table, options) : draw(titles, texts);
}

/** cli-table3 takes a time for a line beyond ASCII that is quadratic in its length: 82 ns each. */
const MOST_SQUARES = 10_000_000;
const ASCII = /^[\x20-\x7e]*$/;

function isLong(texts: readonly string[]): boolean {
  let lines = 0;
  let squares = 0;
  for (const line of texts.flatMap((text) => text.split('\n'))) {
    lines++;
    if (!ASCII.test(line)) squares += line.length ** 2;
  }
  return lines - texts.length > MOST_FRAMED || squares > MOST_SQUARES;
}

const FRAME = { gap: 3, margin: 4 };

function textOf(column: Column, value: CellValue, options: DrawOptions): string {
  if (column.isPercent !== true || typeof value !== 'number') {
    return cellText(column, value, options.clean);
  }
  return options.hasBars === true ? `${bar(value / 100, 10)} ${value} %` : `${value} %`;
}

function isNumber(value: CellValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Columns without a value are the first to go. */
function fittingColumns(
  { columns, rows }: Table,
  options: DrawOptions,
  { gap, margin } = { gap: GAP, margin: 0 },
): readonly Placed[] {
  const isEmpty = columns.map(({ rank = 0 }, at) => {
    return rank > 0 && rows.every((row) => row[at] === undefined);
  });
  const ranked = columns.map((column, at) => ({
    column,
    at,
    rank: isEmpty[at] === true ? Number.POSITIVE_INFINITY : (column.rank ?? 0),
    width: () =>
      gap +
      widthOf(
        titleOf(column),
        rows.map((row) => textOf(column, row[at], options)),
      ),
  }));
  const used =
    options.isUsedOnly === true ? ranked.filter((_, at) => isEmpty[at] !== true) : ranked;
  return fitColumns(used, options.width + gap - margin);
}

export function widthOf(title: string, texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), textWidth(title));
}

interface Ranked {
  readonly rank: number;
  /** With the gap. */
  readonly width: () => number;
}

/** Drops the least important columns until the rest fits. */
export function fitColumns<C extends Ranked>(columns: readonly C[], room: number): readonly C[] {
  if (room === Number.POSITIVE_INFINITY) return columns;
  const kept = columns.map((column) => ({ column, rank: column.rank, width: column.width() }));
  while (kept.reduce((sum, { width }) => sum + width, 0) > room) {
    const worst = Math.max(0, ...kept.map(({ rank }) => rank));
    if (worst === 0) break;
    kept.splice(
      kept.findLastIndex(({ rank }) => rank === worst),
      1,
    );
  }
  return kept.map(({ column }) => column);
}
