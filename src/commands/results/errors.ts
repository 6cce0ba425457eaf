import { safeLine, safeText } from '../../protocol/sanitize.js';
import type { ErrorReport } from '../program/command-error.js';
import { textWidth } from '../terminal/text-width.js';
import { toJson } from './rows.js';

export function errorToJson(report: ErrorReport, indent: number): string {
  const { code, exitCode, sentence, path, hint, place: at, location } = report;
  const place = at && { start: at.start, end: at.end };
  const error = { code, exitCode, message: sentence, path, hint, place, location };
  return `${toJson({ error }, indent)}\n`;
}

export function errorToText(error: ErrorReport, source?: string): string {
  const caret =
    error.place === undefined || source === undefined ? '' : caretLines(source, error.place);
  const hint = error.hint === undefined ? '' : `  ${safeText(error.hint)}\n`;
  const { location } = error;
  const where = location === undefined ? '' : `${location.file}:${location.line}: `;
  return `${safeLine(where + error.sentence)}\n${caret}${hint}`;
}

/** The line of `place`, with carets below it. */
function caretLines(source: string, place: NonNullable<ErrorReport['place']>): string {
  const start = source.lastIndexOf('\n', Math.max(0, place.start - 1)) + 1;
  const newline = source.indexOf('\n', place.start);
  const end = newline === -1 ? source.length : newline;
  const line = source.slice(start, end).replace(/\r$/, '');
  const before = line.slice(0, place.start - start);
  const marked = line.slice(before.length, Math.max(place.end - start, before.length + 1));
  // Keep tabs in the margin, so that the carets align for any tab width.
  const margin = before.split('\t').map((text) => ' '.repeat(textWidth(safeText(text))));
  const marks = '^'.repeat(Math.max(1, textWidth(safeText(marked))));
  return `  ${safeText(line)}\n  ${margin.join('\t')}${marks}\n`;
}
