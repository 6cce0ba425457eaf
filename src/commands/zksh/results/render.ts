import type { ErrorReport } from '../../program/command-error.js';
import type { Result } from './result.js';

export const OUTPUT_FORMATS = ['text', 'table', 'json', 'ndjson', 'raw'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface RenderOptions {
  /** A person looks at it: bytes that are no text are shown as a dump, not sent to the screen. */
  readonly isTerminal: boolean;
  /** Was the format asked for, or is it the default? */
  readonly isChosen?: boolean;
}

export interface Renderer {
  /** A result as it is printed, line end and all; empty when there is nothing to show for it. */
  result(result: Result): string | Buffer;
  /**
   * An error as it is printed on standard error, line end and all.
   * @param source the text that `place` counts in; without it there is no caret
   */
  error(error: ErrorReport, source?: string): string;
}

/** Loads the renderer of a format, and only that one. */
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
  const text: Renderer = {
    result: (result) => resultToText(result, options),
    error: errorToText,
  };
  if (format === 'raw') {
    const { resultToRaw } = await import('./raw.js');
    return { ...text, result: (result) => resultToRaw(result) ?? text.result(result) };
  }
  if (format === 'table') {
    const { resultToTable } = await import('./table.js');
    return { ...text, result: (result) => resultToTable(result, options) ?? text.result(result) };
  }
  return text;
}
