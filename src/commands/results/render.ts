import { safeLine, safeText } from '../../protocol/sanitize.js';
import type { ErrorReport } from '../program/command-error.js';
import type { SHELL_FORMATS } from '../program/output-format.js';
import { asciiDrawing } from '../terminal/ascii-drawing.js';
import { textWidth } from '../terminal/text-width.js';
import {
  drawing,
  type RenderOptions,
  resultToJson,
  resultToRaw,
  resultToTables,
  resultToText,
  underHeading,
} from './kinds.js';
import type { Result } from './result.js';
import { drawFramed, toJson } from './rows.js';

export type OutputFormat = (typeof SHELL_FORMATS)[number];

export interface Renderer {
  /** With its newline; empty without output. */
  result(result: Result): string | Buffer;
  /** For standard error. @param source the text of `place`; without it, the text has no caret */
  error(error: ErrorReport, source?: string): string;
}

export async function loadRenderer(
  format: OutputFormat,
  options: RenderOptions,
): Promise<Renderer> {
  const drawn = (text: string | Buffer, isDrawn: boolean) =>
    isDrawn && options.isAscii === true ? asciiDrawing(text.toString()) : text;
  const text = (result: Result) =>
    drawn(resultToText(result, options), result.kind === 'message' && result.isDrawn === true);
  switch (format) {
    case 'json':
      return {
        result: (result) => documents([resultToJson(result)], 2),
        error: (error) => errorToJson(error, 2),
      };
    case 'ndjson':
      return {
        result: (result) => documents(jsonLines(result), 0),
        error: (error) => errorToJson(error, 0),
      };
    case 'raw':
      return { result: (result) => resultToRaw(result) ?? text(result), error: errorToText };
    case 'table': {
      const { framedTable } = await import('../terminal/framed-table.js');
      const tables = (result: Result): string | undefined => {
        if (result.kind === 'of-path') {
          const shown = tables(result.result) ?? resultToText(result.result, options);
          return underHeading(result, options, shown.toString()).toString();
        }
        return resultToTables(result, options)
          ?.map((table) => drawFramed(table, drawing(options), framedTable))
          .join('');
      };
      const result = (one: Result) => {
        const table = tables(one);
        return table === undefined ? text(one) : drawn(table, true);
      };
      return { result, error: errorToText };
    }
    case 'text':
      return { result: text, error: errorToText };
  }
}

/** Each row of a table is a line, with the path if it has one. */
function jsonLines(result: Result): readonly unknown[] {
  const json = resultToJson(result.kind === 'of-path' ? result.result : result);
  if (!Array.isArray(json)) return [json];
  return result.kind === 'of-path' ? json.map((row) => ({ path: result.path, ...row })) : json;
}

/** Nothing for a result without output. */
function documents(values: readonly unknown[], indent: number): string {
  return values
    .flatMap((value) => (value === undefined ? [] : [`${toJson(value, indent)}\n`]))
    .join('');
}

function errorToJson(report: ErrorReport, indent: number): string {
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
