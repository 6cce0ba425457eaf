import type { ErrorReport } from '../../program/command-error.js';
import type { SHELL_FORMATS } from '../../program/output-format.js';
import { asciiDrawing } from '../../terminal/ascii-drawing.js';
import type { Result } from './result.js';

export type OutputFormat = (typeof SHELL_FORMATS)[number];

export interface RenderOptions {
  /** On a terminal, binary data is a hex dump. */
  readonly isTerminal: boolean;
  /** The current width of the terminal. */
  readonly columns?: () => number;
  /** Draws lines with -, |, and the like. */
  readonly isAscii?: boolean;
}

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
  if (format === 'json' || format === 'ndjson') {
    const { errorToJson, resultToJson } = await import('./json.js');
    const indent = format === 'json' ? 2 : 0;
    return {
      result: (result) => resultToJson(result, indent),
      error: (error) => errorToJson(error, indent),
    };
  }
  const { errorToText, resultToText } = await import('./text.js');
  const isAscii = options.isAscii === true;
  const text: Renderer = {
    result: (result) => {
      const shown = resultToText(result, options);
      const isDrawn = isAscii && result.kind === 'message' && result.isDrawn === true;
      return isDrawn ? asciiDrawing(shown.toString()) : shown;
    },
    error: errorToText,
  };
  if (format === 'raw') {
    const { resultToRaw } = await import('./raw.js');
    return { ...text, result: (result) => resultToRaw(result) ?? text.result(result) };
  }
  if (format === 'table') {
    const { resultToTable } = await import('./table.js');
    const result = (one: Result) => {
      const table = resultToTable(one, options);
      if (table === undefined) return text.result(one);
      return isAscii ? asciiDrawing(table) : table;
    };
    return { ...text, result };
  }
  return text;
}
