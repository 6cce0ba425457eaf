import { usageError } from '../../../program/command-error.js';
import { DURATION_FORM, parseDuration } from '../../../program/duration.js';
import type { Token } from '../../language/parse-line.js';

export function regExpOf(text: string, flags: string, token: Token | undefined): RegExp {
  try {
    return new RegExp(text, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw usageError(`invalid regular expression: "${text}": ${reason}`, token, { cause: error });
  }
}

/** "90s", "10m", "2h", "7d" in ms. @throws CommandError USAGE */
export function durationOf(text: string, token: Token | undefined): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw usageError(`invalid duration: "${text}" (expected ${DURATION_FORM})`, token);
}
