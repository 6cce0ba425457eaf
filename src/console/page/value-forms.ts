import { counted } from './words.js';

export type Form = 'text' | 'json' | 'hex' | 'image';

const MAX_HEX_BYTES = 64 * 1024;
/** Bytes in a line of hex. */
const ROW = 16;

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Undefined if it is not UTF-8, or has control characters other than white space. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /(?!\s)\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Undefined unless it is an object or an array. */
export function jsonOf(text: string | undefined): unknown {
  if (text === undefined || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const IMAGES = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
] as const;

export function imageTypeOf(bytes: Uint8Array): string | undefined {
  return IMAGES.find(([, start]) => start.every((byte, at) => bytes[at] === byte))?.[0];
}

/** The best first. */
export function formsOf(bytes: Uint8Array): readonly Form[] {
  const text = textOf(bytes);
  if (imageTypeOf(bytes) !== undefined) return ['image', 'hex'];
  if (text === undefined) return ['hex'];
  return jsonOf(text) === undefined ? ['text', 'hex'] : ['json', 'text', 'hex'];
}

function hexOf(row: Uint8Array): string {
  return [...row].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

function rowsOf(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / ROW);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * ROW, (at + 1) * ROW));
}

export function hexLines(bytes: Uint8Array): string {
  const lines = rowsOf(bytes.subarray(0, MAX_HEX_BYTES)).map((row, at) => {
    const chars = Array.from(row, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    const place = (at * ROW).toString(16).padStart(6, '0');
    return `${place}  ${hexOf(row).padEnd(3 * ROW - 1)}  ${chars.join('')}`;
  });
  if (bytes.length > MAX_HEX_BYTES)
    lines.push(`… and ${counted(bytes.length - MAX_HEX_BYTES, 'byte')} more`);
  return lines.join('\n');
}

/** How a value is edited: its form, and the ends of its lines, of which a browser makes LF. */
export interface Draft {
  readonly form: 'text' | 'hex';
  readonly end: '\n' | '\r\n';
  readonly text: string;
}

/** Binary data, and text with several kinds of line ends, are edited as lines of hex. */
export function draftOf(bytes: Uint8Array): Draft {
  const text = textOf(bytes);
  const end = text?.includes('\r') === true ? '\r\n' : '\n';
  const lines = text?.split(end) ?? [];
  if (lines.length > 0 && lines.every((line) => !/[\r\n]/.test(line))) {
    return { form: 'text', end, text: lines.join('\n') };
  }
  return { form: 'hex', end: '\n', text: rowsOf(bytes).map(hexOf).join('\n') };
}

/** @throws SyntaxError for something else than pairs of hexadecimal digits */
export function bytesOfDraft({ form, end, text }: Draft): Uint8Array<ArrayBuffer> {
  if (form === 'text') return new TextEncoder().encode(text.replaceAll('\n', end));
  const digits = text.replace(/\s/g, '');
  if (!/^([\da-f]{2})*$/i.test(digits)) {
    throw new SyntaxError('expected pairs of hexadecimal digits');
  }
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
