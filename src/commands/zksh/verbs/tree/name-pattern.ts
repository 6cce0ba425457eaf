import { usageError } from '../../../program/command-error.js';
import type { Token } from '../../language/parse-line.js';

/** @throws CommandError USAGE for an invalid expression */
export function regExpOf(text: string, flags: string, token: Token | undefined): RegExp {
  try {
    return new RegExp(text, flags);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw usageError(`invalid regular expression: "${text}": ${reason}`, token);
  }
}

const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** "90s", "10m", "2h", "7d" in ms. @throws CommandError USAGE */
export function durationOf(text: string, token: Token | undefined): number {
  const match = /^(\d{1,9})([smhdw])$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (unit === undefined) {
    throw usageError(
      `invalid duration: "${text}" (expected a number and s, m, h, d, or w: 10m)`,
      token,
    );
  }
  return Number(match?.[1]) * unit;
}
