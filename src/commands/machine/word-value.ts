import { parseConnectString } from '../../client/base/connect-string.js';
import { checkSrvTarget, isSrvTarget } from '../../client/hosts/srv-target.js';
import { MAX_TTL_MS } from '../../protocol/create-mode.js';
import type { ACL } from '../../protocol/data.js';
import { usageError } from '../program/command-error.js';
import { DURATION_FORM, formatDuration, parseDuration } from '../program/duration.js';
import { suggestWord } from '../program/suggest-word.js';
import type { Token } from '../zksh/language/parse-line.js';
import { AclSyntaxError, parseAcl } from '../znodes/parse-acl.js';
import type { ArgumentSpec, DataValue, OptionSpec } from './declaration.js';

type Spec = OptionSpec | ArgumentSpec;

/** Whether it is a file or another cluster. @throws CommandError USAGE if it is invalid */
export function isPlaceElsewhere(token: Token): boolean {
  if (token.text.startsWith('@') && token.text.length > 1) return true;
  if (!/^(zk|srv)s?:\/\//.test(token.text)) return false;
  try {
    if (isSrvTarget(token.text)) checkSrvTarget(token.text);
    else parseConnectString(token.text.replace(/^zk:\/\//, ''));
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'expected zk://host[:port][,host[:port]...]/path';
    throw usageError(reason, token, { hint, cause: error });
  }
}

/** `@file` and `-` unless quoted. */
export function dataOf(token: Token): DataValue {
  if (!token.isQuoted && token.text === '-') return { from: 'stdin' };
  if (!token.isQuoted && token.text.startsWith('@') && token.text.length > 1) {
    return { from: 'file', file: token.text.slice(1) };
  }
  return { from: 'line', bytes: token.bytes };
}

export function integerOf(name: string, spec: Spec, token: Token): number {
  const value = /^[-+]?\d+$/.test(token.text) ? Number(token.text) : undefined;
  if (value !== undefined) return inRange(name, spec, token, value);
  throw usageError(`${name}: invalid number: "${token.text}" (expected an integer)`, token);
}

/** A number without a unit is in ms. */
export function durationOf(name: string, spec: Spec, token: Token): number {
  const value = parseDuration(token.text, 1);
  if (value !== undefined) return inRange(name, spec, token, value, formatDuration);
  const form = `${DURATION_FORM}; ms without a unit`;
  throw usageError(`${name}: invalid duration: "${token.text}" (expected ${form})`, token);
}

function inRange(
  name: string,
  spec: Spec,
  token: Token,
  value: number,
  show: (bound: number) => string = String,
): number {
  const min = spec.min ?? 0;
  const max = spec.max ?? Number(MAX_TTL_MS);
  if (value < min || value > max) {
    const range = `${show(min)} to ${show(max)}`;
    throw usageError(`${name}: out of range: ${token.text} (expected ${range})`, token);
  }
  return value;
}

export function textOf(name: string, spec: Spec, token: Token): string {
  const { choices } = spec;
  if (choices === undefined || choices.includes(token.text)) return token.text;
  const suggestion = suggestWord(token.text, choices);
  throw usageError(
    `${name}: invalid value: "${token.text}" (expected ${choices.join(', ')})`,
    token,
    { hint: suggestion === undefined ? undefined : `did you mean ${suggestion}?` },
  );
}

/** With the reader of the declaration, whose RangeError says what it expected. */
export function readOf(name: string, read: (text: string) => unknown, token: Token): unknown {
  try {
    return read(token.text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(`${name}: invalid value: "${token.text}" (${error.message})`, token, {
      cause: error,
    });
  }
}

/** @throws CommandError USAGE that points at the invalid part */
export function aclOf(token: Token): readonly ACL[] {
  try {
    return parseAcl(token.text);
  } catch (error) {
    if (!(error instanceof AclSyntaxError)) throw error;
    const start = token.start + error.start;
    const isExact = !token.isQuoted && token.end - token.start === token.text.length;
    const place = isExact ? { start, end: token.start + error.end } : token;
    throw usageError(error.message, place, { hint: error.hint, cause: error });
  }
}
