// Finds or replaces one value in a JSON text without changing any other character. The caller
// validates the text with JSON.parse.

import type { Steps } from './json-pointer.js';

/** In UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The value at the end of the steps, or the innermost container on the way to it. */
export type Found =
  | { readonly isThere: true; readonly span: Span }
  | { readonly isThere: false; readonly container: Span; readonly missing: Steps };

interface Entry {
  /** Decoded; only in objects. */
  readonly key?: string;
  /** The start of the entry, including its key. */
  readonly start: number;
  readonly value: Span;
}

/** The last one of duplicate keys counts, as in JSON.parse. */
export function findValue(text: string, steps: Steps): Found {
  const start = skipBlanks(text, 0);
  let span: Span = { start, end: skipValue(text, start) };
  for (const [at, step] of steps.entries()) {
    const entries = entriesOf(text, span);
    const entry =
      text[span.start] === '['
        ? /^(?:0|[1-9]\d*)$/.test(step)
          ? entries[Number(step)]
          : undefined
        : entries.findLast(({ key }) => key === step);
    if (entry === undefined) return { isThere: false, container: span, missing: steps.slice(at) };
    span = entry.value;
  }
  return { isThere: true, span };
}

export interface CannotSet {
  readonly fault: string;
  /** Creating the missing containers would solve it. */
  readonly needsParents: boolean;
}

/** The index `-` appends, and so does the length of an array. @param value JSON */
export function setValue(
  text: string,
  steps: Steps,
  value: string,
  areParentsMade: boolean,
): string | CannotSet {
  const found = findValue(text, steps);
  if (found.isThere) return splice(text, found.span, value);
  const { container, missing } = found;
  const [step = '', ...deeper] = missing;
  const fault = cannotAdd(text, container, step);
  if (fault !== undefined) return { fault, needsParents: false };
  if (deeper.length > 0 && !areParentsMade) {
    return { fault: `missing parent "${step}"`, needsParents: true };
  }
  // A step of - or 0 creates an array, any other step an object.
  const whole = deeper.reduceRight(
    (inner, name) =>
      name === '-' || name === '0' ? `[${inner}]` : `{${JSON.stringify(name)}:${inner}}`,
    value,
  );
  return addEntry(text, container, text[container.start] === '[' ? undefined : step, whole);
}

function cannotAdd(text: string, container: Span, step: string): string | undefined {
  const opening = text[container.start];
  if (opening === '{') return undefined;
  if (opening !== '[') return `"${step}": parent is not an object or array`;
  const { length } = entriesOf(text, container);
  if (step === '-' || step === String(length)) return undefined;
  return `"${step}": invalid index of an array of ${length} (expected 0 to ${length}, or - to append)`;
}

/** With the spacing of the existing entries. */
function addEntry(text: string, container: Span, key: string | undefined, value: string): string {
  const entries = entriesOf(text, container);
  const last = entries.at(-1);
  if (last === undefined) return fillEmpty(text, container, key, value);
  const before = entries.at(-2);
  const gap =
    before === undefined
      ? `,${text.slice(container.start + 1, last.start)}`
      : text.slice(before.value.end, last.start);
  const colon = text.slice(skipString(text, last.start), last.value.start);
  const name = key === undefined ? '' : `${JSON.stringify(key)}${colon}`;
  return splice(text, { start: last.value.end, end: last.value.end }, `${gap}${name}${value}`);
}

/** Uses a separate line if the document is indented. */
function fillEmpty(text: string, container: Span, key: string | undefined, value: string): string {
  const [open, close] = text[container.start] === '[' ? '[]' : '{}';
  const unit = /\n([ \t]+)\S/.exec(text)?.[1];
  const name = key === undefined ? '' : `${JSON.stringify(key)}:${unit === undefined ? '' : ' '}`;
  if (unit === undefined) return splice(text, container, `${open}${name}${value}${close}`);
  const line = text.slice(text.lastIndexOf('\n', container.start) + 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return splice(text, container, `${open}\n${indent}${unit}${name}${value}\n${indent}${close}`);
}

function splice(text: string, { start, end }: Span, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}

function entriesOf(text: string, { start, end }: Span): readonly Entry[] {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return [];
  const entries: Entry[] = [];
  let at = skipBlanks(text, start + 1);
  while (at < end - 1) {
    const from = at;
    let key: string | undefined;
    if (isObject) {
      const keyEnd = skipString(text, at);
      key = String(JSON.parse(text.slice(at, keyEnd)));
      at = skipBlanks(text, skipBlanks(text, keyEnd) + 1);
    }
    const value = { start: at, end: skipValue(text, at) };
    entries.push({ start: from, value, ...(key === undefined ? {} : { key }) });
    // Skip the comma, or stop at the closing bracket.
    at = skipBlanks(text, value.end);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return entries;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at++;
  return at;
}

/** Iterative, because JSON.parse accepts documents of any depth. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = text.charAt(at);
    if (char === '"') at = skipString(text, at);
    else if (char === '{' || char === '[') {
      depth++;
      at++;
    } else if (char === '}' || char === ']') {
      depth--;
      at++;
    } else if (depth > 0) at++;
    else while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
  } while (depth > 0 && at < text.length);
  return at;
}

function skipString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
