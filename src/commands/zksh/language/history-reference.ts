import { usageError } from '../../program/command-error.js';

const REFERENCE = /^\s*!(!|\d+)\s*$/;

/** Does this line stand for an earlier one: `!!` for the last, `!7` for line 7 of history? */
export function isHistoryReference(line: string): boolean {
  return REFERENCE.test(line);
}

/**
 * The line that this one stands for; itself where it stands for none.
 * @throws CommandError USAGE when there is no such line
 */
export function resolveHistory(line: string, lines: readonly string[]): string {
  const which = REFERENCE.exec(line)?.[1];
  if (which === undefined) return line;
  const meant = which === '!' ? lines.at(-1) : lines[Number(which)];
  if (meant !== undefined) return meant;
  const start = line.indexOf('!');
  const place = { start, end: start + 1 + which.length };
  const what = which === '!' ? 'no line was run before this one' : `there is no line ${which}`;
  throw usageError(what, place, 'history lists them');
}
