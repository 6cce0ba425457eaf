/**
 * Java's properties syntax (java.util.Properties.load) with line numbers: `#` and `!` comments,
 * keys that end at `=`, `:`, or white space, lines continued by a trailing backslash, and the
 * escapes \t \n \r \f \uXXXX. A backslash before anything else is dropped. The package
 * `dot-properties` breaks lines that continue after \r\n, and accepts a wrong \u.
 */

export interface Property {
  readonly key: string;
  readonly value: string;
  /** Whether the file spells it in ASCII. */
  readonly isAscii: boolean;
  /** The line where it begins, from 1. */
  readonly line: number;
}

export interface PropertiesProblem {
  readonly line: number;
  readonly message: string;
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/**
 * The text of a file as Java reads it (Properties.load of a stream): each byte is one character of
 * ISO-8859-1. Only the mark that some editors write before UTF-8 is left out.
 */
export function decodeProperties(file: Buffer): string {
  const text = file.toString('latin1');
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** A value as Java reads it back, in ASCII. */
export function escapeProperty(value: string): string {
  return value.replace(/[^\x20-\x5b\x5d-\x7e]/g, (char) =>
    char === '\\' ? '\\\\' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

interface LogicalLine {
  readonly text: string;
  readonly line: number;
}

/** In the order of the file; of duplicate keys, the last one counts. */
export function parseProperties(text: string): {
  properties: Property[];
  problems: PropertiesProblem[];
} {
  const properties: Property[] = [];
  const problems: PropertiesProblem[] = [];
  for (const { text: joined, line } of logicalLines(text)) {
    const keyEnd = endOfKey(joined);
    const separator = /^[ \t\f]*[=:]?[ \t\f]*/.exec(joined.slice(keyEnd))?.[0] ?? '';
    const key = unescaped(joined.slice(0, keyEnd));
    const value = unescaped(joined.slice(keyEnd + separator.length));
    if (key === undefined || value === undefined) {
      problems.push({ line, message: 'expected four hex digits after \\u' });
    } else {
      properties.push({ key, value, isAscii: isAscii(joined), line });
    }
  }
  return { properties, problems };
}

function isAscii(text: string): boolean {
  return !/[\x80-\uffff]/.test(text);
}

function logicalLines(text: string): LogicalLine[] {
  const found: LogicalLine[] = [];
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1;
    let part = trimStart(lines[at] as string);
    if (part === '' || part.startsWith('#') || part.startsWith('!')) continue;
    let joined = '';
    while (isContinued(part)) {
      joined += part.slice(0, -1);
      part = trimStart(lines[++at] ?? '');
    }
    found.push({ text: joined + part, line });
  }
  return found;
}

function trimStart(line: string): string {
  return line.replace(/^[ \t\f]+/, '');
}

/** Whether the line ends in an odd number of backslashes. */
function isContinued(line: string): boolean {
  let end = line.length;
  while (line[end - 1] === '\\') end--;
  return ((line.length - end) & 1) === 1;
}

function endOfKey(line: string): number {
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    if (char === '\\') at++;
    else if (/[=: \t\f]/.test(char)) return at;
  }
  return line.length;
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function unescaped(text: string): string | undefined {
  if (!text.includes('\\')) return text;
  if (/(?:^|[^\\])(?:\\\\)*\\u(?![0-9a-fA-F]{4})/.test(text)) return undefined;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.?))/gs, (_, hex?: string, char = '') =>
    hex === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
