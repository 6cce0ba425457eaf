import { isUtf8 } from 'node:buffer';
import { formatPerms } from '../../../protocol/perms.js';
import { plainLine, safeLine, safeText } from '../../../protocol/sanitize.js';
import { formatSessionId } from '../../../protocol/session-id.js';
import type { ErrorReport } from '../../program/command-error.js';
import { counted } from '../../program/counted.js';
import { columnsOf } from '../../terminal/draw-columns.js';
import { textWidth } from '../../terminal/text-width.js';
import { decompress } from '../../znodes/decompress.js';
import { hexDump } from '../../znodes/hex-dump.js';
import { statLines } from '../../znodes/stat-lines.js';
import { alignedRows } from './aligned-rows.js';
import { changeLines } from './change-lines.js';
import type { RenderOptions } from './render.js';
import type { Result } from './result.js';

type DataResult = Extract<Result, { kind: 'data' }>;
type PathResult = Extract<Result, { kind: 'of-path' }>;

/** With the words of Apache's shell. */
export function resultToText(result: Result, options: RenderOptions): string | Buffer {
  if (result.kind === 'data') return dataToText(result, options);
  if (result.kind === 'of-path') {
    const { result: inner } = result;
    // A line with their number follows.
    if (inner.kind === 'changed' && !inner.isStatShown) return '';
    return underHeading(result, options, resultToText(result.result, options));
  }
  if (result.kind === 'output') return result.data;
  const { isTerminal } = options;
  // A message may have several lines, so it is escaped as a whole.
  if (result.kind === 'message')
    return isTerminal ? safeText(lines(result, true)) : lines(result, false);
  const clean = isTerminal ? safeLine : plainLine;
  const shown = mapStrings(result, clean);
  const wide = shown.kind === 'children' ? inColumns(shown, options) : undefined;
  const text = wide ?? lines(shown, isTerminal, options.columns?.());
  return isTerminal ? safeText(text) : text;
}

function lines(
  result: Exclude<Result, DataResult | PathResult | { kind: 'output' }>,
  isTerminal: boolean,
  columns?: number,
): string {
  switch (result.kind) {
    case 'done':
    case 'end':
    case 'exit':
    case 'ran':
      return '';
    case 'children':
      return `[${result.children.join(', ')}]\n${statOf(result)}`;
    case 'path':
      return `${result.path}\n${statOf(result)}`;
    case 'paths':
      return `[${result.paths.join(', ')}]\n`;
    case 'stat':
      return statOf(result);
    case 'created':
      return `Created ${result.path}\n`;
    case 'changed':
      return result.isStatShown ? statOf(result) : changedLine(result);
    case 'deleted':
      return deletedLine(result);
    case 'acl':
      return `${result.acl
        .map(({ id, perms }) => `'${id.scheme},'${id.id}\n: ${formatPerms(perms)}\n`)
        .join('')}${statOf(result)}`;
    case 'count':
      return `${result.count}\n`;
    case 'identities':
      return `Auth scheme: User\n${result.identities
        .map(({ authScheme, user }) => `${authScheme}: ${user}\n`)
        .join('')}`;
    case 'event':
      return `${result.event.type} ${result.event.path}\n`;
    case 'change':
      return changeLines(result.change);
    case 'watching':
      return result.end === undefined
        ? `Watching ${result.path}; removewatches ${result.path} stops it\n`
        : `No longer watching ${result.path}: ${result.end}\n`;
    case 'missed':
      return `${result.count} changes arrived too fast to be shown\n`;
    case 'ran-on-change':
      return ranLine(result);
    case 'connection':
      return connectionLine(result);
    case 'message':
      return `${result.text}\n`;
    case 'rows':
      return alignedRows(result.columns, result.rows, isTerminal, isTerminal ? columns : undefined);
  }
}

/** On a terminal, names that do not fit one line are in columns, as with ls(1). */
function inColumns(
  result: Extract<Result, { kind: 'children' }>,
  { isTerminal, columns }: RenderOptions,
): string | undefined {
  if (!isTerminal || columns === undefined) return undefined;
  const { children } = result;
  const isShort = children.reduce((sum, name) => sum + textWidth(name) + 2, 0) <= columns();
  return isShort ? undefined : `${columnsOf(children, columns())}${statOf(result)}`;
}

/** Like head(1): `==> /a <==`. */
export function underHeading(
  { path, isFirst }: PathResult,
  { isTerminal }: RenderOptions,
  shown: string | Buffer,
): string | Buffer {
  if (shown.length === 0) return shown;
  const heading = `${isFirst ? '' : '\n'}==> ${isTerminal ? safeLine(path) : plainLine(path)} <==\n`;
  return typeof shown === 'string' ? heading + shown : Buffer.concat([Buffer.from(heading), shown]);
}

function statOf({ stat }: { readonly stat?: Parameters<typeof statLines>[0] }): string {
  return stat === undefined ? '' : statLines(stat);
}

function changedLine({ path, stat, isAcl }: Extract<Result, { kind: 'changed' }>): string {
  return isAcl === true
    ? `Changed the ACL of ${path} to version ${stat.aversion}\n`
    : `Changed ${path} to version ${stat.version}\n`;
}

function deletedLine(result: Extract<Result, { kind: 'deleted' }>): string {
  const { path, count, isDryRun, isMatched } = result;
  const znodes = counted(count, 'znode');
  if (isDryRun) return `${znodes} would be deleted\n`;
  return count === 1 && isMatched !== true ? `Deleted ${path}\n` : `Deleted ${znodes}\n`;
}

/** Empty for exit status 0. */
function ranLine(result: Extract<Result, { kind: 'ran-on-change' }>): string {
  const { command, exitCode, signal } = result;
  if (exitCode === 0) return '';
  const how = signal === undefined ? `with exit status ${exitCode}` : `by ${signal}`;
  return `${command[0]}: ended ${how}\n`;
}

function connectionLine(result: Extract<Result, { kind: 'connection' }>): string {
  const readOnly = result.isReadOnly ? ' (read-only server)' : '';
  const session = formatSessionId(result.sessionId);
  return `Connected to ${result.server}${readOnly}, session ${session}, timeout ${result.sessionTimeoutMs} ms\n`;
}

function dataToText({ data, view, stat }: DataResult, options: RenderOptions): string | Buffer {
  const after = stat === undefined ? '' : statLines(stat);
  if (view === 'raw' && data !== null) return data;
  if (data === null) return `${view === 'raw' ? '' : '(null)\n'}${after}`;
  if (view === 'base64') return `${data.toString('base64')}\n${after}`;
  const plain = view === 'text' && options.isTerminal ? decompress(data) : undefined;
  if (plain !== undefined && isPrintable(plain.data)) {
    const note = `(${plain.format}, ${counted(data.length, 'byte')} for ${plain.data.length})`;
    return `${safeText(plain.data.toString())}\n${note}\n${after}`;
  }
  if (view === 'hexdump' || (options.isTerminal && !isPrintable(data))) {
    return `${hexDump(data)}\n${after}`;
  }
  if (options.isTerminal) return `${safeText(data.toString())}\n${after}`;
  // The data may not be UTF-8, so concatenate bytes.
  return Buffer.concat([data, Buffer.from(`\n${after}`)]);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters control a terminal.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;

/** UTF-8 text without control characters of a terminal. */
function isPrintable(data: Buffer): boolean {
  return isUtf8(data) && !CONTROL.test(data.toString());
}

export function errorToText(error: ErrorReport, source?: string): string {
  const caret =
    error.place === undefined || source === undefined ? '' : caretLines(source, error.place);
  const hint = error.hint === undefined ? '' : `  ${safeText(error.hint)}\n`;
  const { location } = error;
  const where = location === undefined ? '' : `${location.file}:${location.line}: `;
  return `${safeLine(where + error.sentence)}\n${caret}${hint}`;
}

/** The line of `place`, with carets below it. */
function caretLines(source: string, place: NonNullable<ErrorReport['place']>): string {
  const start = source.lastIndexOf('\n', Math.max(0, place.start - 1)) + 1;
  const newline = source.indexOf('\n', place.start);
  const end = newline === -1 ? source.length : newline;
  const line = source.slice(start, end).replace(/\r$/, '');
  const before = line.slice(0, place.start - start);
  const marked = line.slice(before.length, Math.max(place.end - start, before.length + 1));
  // Keep tabs in the margin, so that the carets align for any tab width.
  const margin = before.split('\t').map((text) => ' '.repeat(textWidth(safeText(text))));
  const marks = '^'.repeat(Math.max(1, textWidth(safeText(marked))));
  return `  ${safeText(line)}\n  ${margin.join('\t')}${marks}\n`;
}

/** Bytes stay unchanged. */
export function mapStrings<T>(value: T, clean: (text: string) => string): T {
  if (typeof value === 'string') return clean(value) as T;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, clean)) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, mapStrings(each, clean)]);
  return Object.fromEntries(entries) as T;
}
