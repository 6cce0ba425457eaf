import { isUtf8 } from 'node:buffer';
import { safeText } from '../../protocol/sanitize.js';
import { counted } from '../program/counted.js';
import { decompress } from '../znodes/decompress.js';
import { hexDump } from '../znodes/hex-dump.js';
import { statLines } from '../znodes/stat-lines.js';
import type { Result } from './result.js';

/** UTF-8 data is text, other data is base64. */
export function dataToJson(data: Buffer | null) {
  if (data === null) return { data: null, encoding: null };
  return isUtf8(data)
    ? { data: data.toString(), encoding: 'utf8' }
    : { data: data.toString('base64'), encoding: 'base64' };
}

export function dataToText(
  { data, view, stat }: Extract<Result, { kind: 'data' }>,
  { isTerminal }: { readonly isTerminal: boolean },
): string | Buffer {
  const after = stat === undefined ? '' : statLines(stat);
  if (view === 'raw' && data !== null) return data;
  if (data === null) return `${view === 'raw' ? '' : '(null)\n'}${after}`;
  if (view === 'base64') return `${data.toString('base64')}\n${after}`;
  const plain = view === 'text' && isTerminal ? decompress(data) : undefined;
  if (plain !== undefined && isPrintable(plain.data)) {
    const note = `(${plain.format}, ${counted(data.length, 'byte')} for ${plain.data.length})`;
    return `${safeText(plain.data.toString())}\n${note}\n${after}`;
  }
  if (view === 'hexdump' || (isTerminal && !isPrintable(data))) {
    return `${hexDump(data)}\n${after}`;
  }
  if (isTerminal) return `${safeText(data.toString())}\n${after}`;
  // The data may not be UTF-8, so concatenate bytes.
  return Buffer.concat([data, Buffer.from(`\n${after}`)]);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters control a terminal.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** UTF-8 text without control characters of a terminal. */
function isPrintable(data: Buffer): boolean {
  return isUtf8(data) && !CONTROL.test(data.toString());
}
