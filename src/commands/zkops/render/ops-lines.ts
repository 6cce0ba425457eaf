import type { CellValue } from '../../ensemble/verb.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { ShowOptions } from '../calls/cli-world.js';
import type { Grid } from '../calls/grid.js';
import { cellText, detailGrid, memberGrid } from './ops-cells.js';

function gridOf(result: OpsResult, show: ShowOptions): Grid {
  return detailGrid(result, show) ?? memberGrid(result);
}

/** RFC 4180 with the line ends of this system. The first line has the names of the columns. */
export function opsToCsv(result: OpsResult, show: ShowOptions): string {
  return gridToCsv(gridOf(result, show));
}

export function gridToCsv({ titles, rows }: Grid): string {
  const names = titles.map((title) => title.toLowerCase().replaceAll(' ', '_'));
  return [names, ...rows].map((row) => `${row.map(csvField).join(',')}\n`).join('');
}

/** A spreadsheet reads such text as a formula. */
const FORMULA = /^(?:[=+@\t\r]|-.)/s;

/** Puts an apostrophe before formulas (OWASP, "CSV Injection"), but not before numbers. */
export function csvField(value: CellValue): string {
  const raw = value === undefined ? '' : String(value);
  const isNumber = typeof value === 'number' || /^[+-]?\d+(?:\.\d+)?$/.test(raw);
  const text = FORMULA.test(raw) && !isNumber ? `'${cellText(value)}` : cellText(value);
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Values separated by tabs, for cut and awk; `-` for an unknown value. */
export function opsToPlain(result: OpsResult, show: ShowOptions): string {
  return gridToPlain(gridOf(result, show));
}

export function gridToPlain({ rows }: Grid): string {
  const plain = (value: CellValue) => (value === undefined ? '-' : cellText(value));
  return rows.map((row) => `${row.map(plain).join('\t')}\n`).join('');
}
