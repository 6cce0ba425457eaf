/**
 * Checks the shape of a document of a dump before the library parses it: lines `name: value`, each
 * value a scalar. The library compares all keys of a map with each other, builds an object for each
 * error, and ends the process on thousands of nested brackets. The check reads each character once.
 */

const FIELD = /^(?:\w+|"\w+"|'\w+')[ \t]*:(?=\s|$)/;
const NOT_IN_A_FIELD = /^(?:---(?:\s|$)|\.\.\.(?:\s|$)|#|%|\s*$)/;
/** More than a znode has. */
const MAX_FIELDS = 40;
/** The start of a collection, an anchor, an alias, or a tag. */
const NO_SCALAR = /^(?:[[\]{}&*!@`%,]|[-?:](?:\s|$))/;
const PAIR_IN_PLAIN = /:(?:\s|$)/;
const ESCAPE = /^(?:[0abtnvfreNLP_ "/\\\t\n]|\r\n|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})/i;

/** @throws RangeError */
export function checkShape(text: string): void {
  let name = '';
  let value: string[] | undefined;
  let fields = 0;
  for (const line of text.split('\n')) {
    // `--- path: /a` would be a map on the line of the marker.
    const isContinued = value !== undefined && /^(?:[ \t]|\r?$)/.test(line);
    if (isContinued) {
      value?.push(line);
      continue;
    }
    checkValue(name, value?.join('\n') ?? '');
    value = undefined;
    const field = FIELD.exec(line)?.[0];
    if (field !== undefined) {
      if (++fields > MAX_FIELDS) throw new RangeError(`more than ${MAX_FIELDS} fields`);
      name = field.replace(/["':\s]/g, '');
      value = [line.slice(field.length)];
    } else if (!NOT_IN_A_FIELD.test(line) || /^---\s+[^\s#]/.test(line)) {
      throw new RangeError('not a map of fields: expected lines "name: value"');
    }
  }
  checkValue(name, value?.join('\n') ?? '');
}

/** @throws RangeError unless it is one scalar */
function checkValue(name: string, text: string): void {
  let value = text.trimStart();
  while (value.startsWith('#')) value = value.replace(/^.*/, '').trimStart();
  if (NO_SCALAR.test(value)) throw new RangeError(`"${name}" is not a plain value`);
  const first = value[0];
  if (first === '|' || first === '>') return;
  if (first === '"' || first === "'") {
    const end = first === '"' ? endOfDouble(value) : endOfSingle(value);
    // Trimmed first: a pattern for the blanks after the comment would try each of them again.
    if (end !== undefined && /^\s*(?:\s#.*)?$/.test(value.slice(end).trimEnd())) return;
    throw new RangeError(`"${name}" has a wrong quote or escape`);
  }
  const lines = value.split('\n').map((line) => line.replace(/\s#.*$/, ''));
  if (lines.some((line) => PAIR_IN_PLAIN.test(line))) {
    throw new RangeError(`"${name}" is not a plain value`);
  }
}

/** The offset behind the closing quote; undefined without it, or for a wrong escape. */
function endOfDouble(value: string): number | undefined {
  for (let at = 1; at < value.length; at++) {
    if (value[at] === '"') return at + 1;
    if (value[at] !== '\\') continue;
    const sequence = ESCAPE.exec(value.slice(at + 1, at + 10))?.[0];
    if (sequence === undefined) return undefined;
    at += sequence.length;
  }
  return undefined;
}

function endOfSingle(value: string): number | undefined {
  for (let at = value.indexOf("'", 1); at !== -1; at = value.indexOf("'", at + 2)) {
    if (value[at + 1] !== "'") return at + 1;
  }
  return undefined;
}
