// One YAML document for each znode, so that only one is in memory. A line that starts with three
// dashes always starts a document, so documents can be split by lines.
import { isMap, isScalar, parseDocument, Scalar, stringify } from 'yaml';
import type { DumpPiece, DumpSyntax, DumpText } from './dump-syntax.js';
import { checkShape } from './yaml-shape.js';
import { type DumpLine, type LineFields, lineOf } from './znode-record.js';

const BASE64_LINE = /.{1,76}/g;
/** Text without invisible or ambiguous characters. */
const READABLE =
  /^[\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;
const LAYOUT = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER };

export const yamlText: DumpText = {
  head: documentOf,
  record: documentOf,
  end: documentOf,
};

function documentOf(fields: LineFields): string {
  const { data } = fields;
  const shown = typeof data === 'string' ? { ...fields, data: dataOf(data, fields) } : fields;
  return `---\n${stringify(shown, LAYOUT)}`.replace(/\n$/, '');
}

/** Readable text stays plain. Other data is quoted or base64, so that no byte is lost. */
function dataOf(data: string, { encoding }: LineFields): Scalar {
  const isBase64 = encoding === 'base64';
  const scalar = new Scalar(isBase64 ? `${data.match(BASE64_LINE)?.join('\n') ?? ''}\n` : data);
  if (isBase64) scalar.type = Scalar.BLOCK_LITERAL;
  else if (!READABLE.test(data) || /^\s/.test(data)) scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

export const yamlSyntax: DumpSyntax = {
  split: splitDocuments,
  parse: parseYaml,
  parseEnd: (tail) => {
    const last = tail.lastIndexOf('\n---');
    if (last === -1 || !tail.endsWith('\n')) return undefined;
    try {
      const line = parseYaml(tail.slice(last + 1));
      return line.kind === 'end' ? line : undefined;
    } catch {
      return undefined;
    }
  },
};

function parseYaml(text: string): DumpLine {
  checkShape(text);
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'silent' });
  const fault = document.errors[0] ?? document.warnings[0];
  if (fault !== undefined) throw new RangeError(`not YAML: ${fault.message}`);
  if (!isMap(document.contents)) throw new RangeError('not a map of fields');
  const fields: Record<string, unknown> = {};
  for (const { key, value } of document.contents.items) {
    const name = isScalar(key) ? String(key.value) : '';
    if (value !== null && !isScalar(value)) throw new RangeError(`"${name}" is not a plain value`);
    fields[name] = value === null ? null : readValue(name, value as Scalar);
  }
  const { data, encoding } = fields;
  if (encoding !== 'base64' || typeof data !== 'string') return lineOf(fields);
  return lineOf({ ...fields, data: data.replace(/\s+/g, '') });
}

const NUMBERS: ReadonlySet<string> = new Set([
  ...['zkshDump', 'version', 'mtime', 'ttl', 'znodes', 'ephemeralsLeftOut', 'unread'],
  ...['end', 'hasAcls', 'hasFiles'],
]);

/** Text stays text even if it looks like a number: `data: 1.10`. */
function readValue(name: string, { value, source }: Scalar): unknown {
  if (NUMBERS.has(name) || value === null) return value;
  return typeof value === 'string' || source === undefined ? String(value) : source;
}

async function* splitDocuments(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<DumpPiece> {
  let lines: Buffer[] = [];
  let [length, number, start, end] = [0, 0, 1, 0];
  const isBlank = (): boolean => lines.every((line) => /^\s*(#.*)?$/.test(line.toString()));
  const piece = (isWhole: boolean): DumpPiece => {
    const text = Buffer.concat(lines).toString();
    lines = [];
    length = 0;
    return { text, number: start, end, isWhole };
  };
  for await (const line of splitLines(chunks, maxLength)) {
    number++;
    if (isMarker(line)) {
      if (!isBlank()) yield piece(true);
      lines = [];
      start = number;
    }
    lines.push(line);
    length += line.length;
    end += line.length;
    if (length > maxLength) throw tooLarge();
  }
  // A cut document may still be valid YAML. Only the end part proves that the dump is complete.
  if (!isBlank()) {
    const last = piece(false);
    yield { ...last, isWhole: yamlSyntax.parseEnd(`\n${last.text}`) !== undefined };
  }
}

function isMarker(line: Buffer): boolean {
  return line.length >= 4 && /^---\s/.test(line.toString('latin1', 0, 4));
}

function tooLarge(): RangeError {
  return new RangeError('document is too large for a znode');
}

/** With their newlines; the last line may have none. @throws RangeError */
async function* splitLines(
  chunks: AsyncIterable<Buffer>,
  maxLength: number,
): AsyncGenerator<Buffer> {
  const rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, start)) {
      yield Buffer.concat([...rest.splice(0), chunk.subarray(start, at + 1)]);
      length = 0;
      start = at + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxLength) throw tooLarge();
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
