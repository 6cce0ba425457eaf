// Computes lines when they are shown: a megabyte has 65,536 lines of hex, a screen shows forty.
import { isUtf8 } from 'node:buffer';

const VALUE_FORMS = ['text', 'json', 'hex'] as const;
export type ValueForm = (typeof VALUE_FORMS)[number];

export interface ValueView {
  readonly form: ValueForm;
  readonly count: number;
  line(index: number): string;
}

/** Longer JSON is not formatted: parsing would delay keys. */
const MAX_JSON_LENGTH = 4 * 1024 * 1024;

/** @param hexColumns bytes per line */
export function viewOf(
  data: Buffer | null,
  form: ValueForm | undefined,
  hexColumns: number,
): ValueView {
  if (data === null) return linesView('text', ['(no data)']);
  if (data.length === 0) return linesView('text', ['(empty)']);
  const json = form === 'json' || form === undefined ? prettyJson(data) : undefined;
  if (json !== undefined) return linesView('json', json.split('\n'));
  if (form === 'json') return linesView('json', ['(not JSON)', ...textLines(data)]);
  if (form === 'hex' || (form === undefined && !isText(data))) return hexView(data, hexColumns);
  return linesView('text', textLines(data));
}

export function nextForm(form: ValueForm): ValueForm {
  return VALUE_FORMS[(VALUE_FORMS.indexOf(form) + 1) % VALUE_FORMS.length] ?? 'text';
}

function linesView(form: ValueForm, lines: readonly string[]): ValueView {
  return { form, count: lines.length, line: (index) => lines[index] ?? '' };
}

function textLines(data: Buffer): readonly string[] {
  return data.toString().replace(/\n$/, '').split('\n');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters mark binary data.
const BINARY = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]/;

function isText(data: Buffer): boolean {
  return isUtf8(data) && !BINARY.test(data.toString());
}

/** Other JSON values gain nothing. */
function prettyJson(data: Buffer): string | undefined {
  if (data.length > MAX_JSON_LENGTH || !isUtf8(data)) return undefined;
  const text = data.toString();
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

/** `00000010  68 65 6c 6c 6f …  hello` */
function hexView(data: Buffer, columns: number): ValueView {
  return {
    form: 'hex',
    count: Math.ceil(data.length / columns),
    line: (index) => {
      const at = index * columns;
      const bytes = data.subarray(at, at + columns);
      const hex = bytes
        .toString('hex')
        .replace(/../g, '$& ')
        .padEnd(columns * 3);
      const text = bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
      return `${at.toString(16).padStart(8, '0')}  ${hex} ${text}`;
    },
  };
}
