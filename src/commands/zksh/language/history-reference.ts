import { usageError } from '../../program/command-error.js';

const REFERENCE = /^\s*!(!|\d+)\s*$/;

/** `!!` is the last line, `!7` is line 7. */
export function isHistoryReference(line: string): boolean {
  return REFERENCE.test(line);
}

/** Other lines stay unchanged. @throws CommandError USAGE for an unknown line */
export function resolveHistory(line: string, lines: readonly string[]): string {
  const which = REFERENCE.exec(line)?.[1];
  if (which === undefined) return line;
  const found = which === '!' ? lines.at(-1) : lines[Number(which)];
  if (found !== undefined) return found;
  const start = line.indexOf('!');
  const place = { start, end: start + 1 + which.length };
  const what = which === '!' ? 'history is empty' : `no line ${which} in history`;
  throw usageError(what, place, { hint: 'run history to list the lines' });
}
