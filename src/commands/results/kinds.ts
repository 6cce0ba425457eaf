// How each format shows each kind of result.

import type { ACL, Stat } from '../../protocol/data.js';
import { childPath } from '../../protocol/path.js';
import { formatAcl, formatPerms } from '../../protocol/perms.js';
import { plainLine, safeLine, safeText } from '../../protocol/sanitize.js';
import { formatSessionId } from '../../protocol/session-id.js';
import { formatZxid } from '../../protocol/zxid.js';
import { counted } from '../program/counted.js';
import { columnsOf } from '../terminal/draw-columns.js';
import { textWidth } from '../terminal/text-width.js';
import { statFields, statLines } from '../znodes/stat-lines.js';
import { changeToJson } from './change.js';
import { changeLines } from './change-lines.js';
import { dataToJson, dataToText } from './data.js';
import type { Result, Row, Table } from './result.js';
import { type DrawOptions, drawRows, rowObject } from './rows.js';

export interface RenderOptions {
  /** On a terminal, binary data is a hex dump. */
  readonly isTerminal: boolean;
  /** The current width of the terminal. */
  readonly columns?: () => number;
  /** Draws lines with -, |, and the like. */
  readonly isAscii?: boolean;
}

/** The fields of a result; JSON leaves out those that are undefined. */
export type Json = Readonly<Record<string, unknown>>;

interface Kind<R> {
  /** Undefined without output. */
  readonly json: (result: R) => Json | readonly Json[] | undefined;
  /** With the words of Apache's shell. */
  readonly text: (result: R, options: RenderOptions) => string | Buffer;
  /** For pipes: exact bytes, one name per line. Undefined selects text. */
  readonly raw?: (result: R) => string | Buffer | undefined;
  /** Undefined selects text. */
  readonly tables?: (result: R, options: RenderOptions) => readonly Table[] | undefined;
}

type Of<K extends Result['kind']> = Extract<Result, { readonly kind: K }>;

const NOTHING = { json: () => undefined, text: () => '' };

const ZNODES = {
  children: {
    json: ({ path, children, stat }) => ({ path, children, stat: statToJson(stat) }),
    text: ({ children, stat }, options) => `${namesText(children, options)}${statText(stat)}`,
    raw: ({ children }) => lines(children),
    tables: ({ children, stat }) => [namesTable('child', children), ...statTables(stat)],
  },
  path: {
    json: ({ path, stat }) => ({ path, stat: statToJson(stat) }),
    text: ({ path, stat }) => `${path}\n${statText(stat)}`,
    raw: ({ path }) => lines([path]),
  },
  paths: {
    json: ({ paths }) => ({ paths }),
    text: ({ paths }) => `[${paths.join(', ')}]\n`,
    raw: ({ paths }) => lines(paths),
    tables: ({ paths }) => [namesTable('path', paths)],
  },
  data: {
    json: ({ path, data, stat }) => ({ path, ...dataToJson(data), stat: statToJson(stat) }),
    text: dataToText,
    raw: ({ data }) => data ?? '',
    tables: ({ stat, ...bare }, options) => {
      const value = dataToText(bare, options).toString().replace(/\n$/, '');
      const fields = stat === undefined ? [] : statFields(stat);
      const path = clean(bare.path, options);
      return [tableOf(['field', 'value'], [['path', path], ['data', value], ...fields])];
    },
  },
  stat: {
    json: ({ path, stat }) => ({ path, stat: statToJson(stat) }),
    text: ({ stat }) => statText(stat),
    raw: ({ stat }) => lines(statFields(stat).map(([name, value]) => `${name}\t${value}`)),
    tables: ({ stat }) => statTables(stat),
  },
  acl: {
    json: ({ path, acl, stat }) => ({ path, acl: acl.map(aclToJson), stat: statToJson(stat) }),
    text: ({ acl, stat }) => `${acl.map(aclLines).join('')}${statText(stat)}`,
    raw: ({ acl }) => lines([formatAcl(acl)]),
    tables: ({ acl, stat }) => {
      const rows = acl.map(({ id, perms }) => [id.scheme, id.id, formatPerms(perms)]);
      return [tableOf(['scheme', 'id', 'perms'], rows), ...statTables(stat)];
    },
  },
  count: {
    json: ({ path, count }) => ({ path, count }),
    text: ({ count }) => `${count}\n`,
  },
} satisfies Partial<Kinds>;

const CHANGES = {
  done: { json: ({ done, path }) => ({ done, path }), text: () => '' },
  created: {
    json: ({ path, stat }) => ({ created: path, stat: statToJson(stat) }),
    text: ({ path }) => `Created ${path}\n`,
    raw: ({ path }) => lines([path]),
  },
  changed: {
    json: ({ path, stat }) => ({ changed: path, stat: statToJson(stat) }),
    text: changedText,
    raw: ({ path, isStatShown }) => (isStatShown ? undefined : lines([path])),
    tables: ({ stat, isStatShown }) => (isStatShown ? statTables(stat) : undefined),
  },
  deleted: {
    json: ({ path, count, isDryRun }) =>
      isDryRun ? { path, count, isDryRun: true } : { deleted: path, count },
    text: deletedText,
  },
} satisfies Partial<Kinds>;

const EVENTS = {
  event: {
    json: ({ event: { type, path, zxid } }) => ({
      event: type,
      path,
      zxid: zxid < 0n ? null : formatZxid(zxid),
    }),
    text: ({ event }) => `${event.type} ${event.path}\n`,
  },
  change: {
    json: ({ change }) => changeToJson(change),
    text: ({ change }) => changeLines(change),
  },
  watching: {
    json: ({ path, isRecursive, end }) => ({ watching: path, isRecursive, end }),
    text: ({ path, end }) =>
      end === undefined
        ? `Watching ${path}; removewatches ${path} stops it\n`
        : `No longer watching ${path}: ${end}\n`,
  },
  missed: {
    json: ({ count }) => ({ missed: count }),
    text: ({ count }) => `${count} changes arrived too fast to be shown\n`,
  },
  output: { json: ({ data }) => ({ output: dataToJson(data) }), text: ({ data }) => data },
  'ran-on-change': {
    json: ({ command, exitCode, signal }) => ({ ran: command, exitCode, signal }),
    text: ranText,
  },
} satisfies Partial<Kinds>;

type Kinds = { readonly [K in Result['kind']]: Kind<Of<K>> };

const KINDS: Kinds = {
  ...ZNODES,
  ...CHANGES,
  ...EVENTS,
  identities: {
    json: ({ identities }) => ({
      identities: identities.map(({ authScheme, user }) => ({ scheme: authScheme, user })),
    }),
    text: ({ identities }) =>
      lines(['Auth scheme: User', ...identities.map((one) => `${one.authScheme}: ${one.user}`)]),
    raw: ({ identities }) => lines(identities.map((one) => `${one.authScheme}:${one.user}`)),
    tables: ({ identities }) => [
      tableOf(
        ['scheme', 'user'],
        identities.map((one) => [one.authScheme, one.user]),
      ),
    ],
  },
  message: {
    json: ({ fields }) => fields,
    text: ({ text }) => `${text}\n`,
    raw: ({ raw }) => (raw === undefined ? undefined : `${raw}\n`),
  },
  rows: {
    json: ({ columns, rows }) => rows.map((row) => rowObject(columns, row)),
    text: (table, options) => drawRows(table, drawing(options)),
    raw: ({ rows }) => lines(rows.map((row) => row.map((value) => value ?? '').join('\t'))),
    tables: (table) => [table],
  },
  ran: { ...NOTHING, json: ({ command, exitCode }) => ({ ran: command, exitCode }) },
  'of-path': {
    json: ({ path, result }) =>
      result.kind === 'rows' ? { path, rows: resultToJson(result) } : resultToJson(result),
    text: (result, options) => {
      const { result: inner } = result;
      // A line with their number follows.
      if (inner.kind === 'changed' && !inner.isStatShown) return '';
      return underHeading(result, options, resultToText(inner, options));
    },
    raw: ({ path, result }) => rawOfPath(path, result),
  },
  end: NOTHING,
  exit: NOTHING,
};

function kindOf<R extends Result>({ kind }: R): Kind<R> {
  // The type of the table says that the entry of a kind takes its results.
  return KINDS[kind] as unknown as Kind<R>;
}

export function resultToJson(result: Result): Json | readonly Json[] | undefined {
  return kindOf(result).json(result);
}

export function resultToText(result: Result, options: RenderOptions): string | Buffer {
  const text = kindOf(result).text(cleaned(result, options), options);
  return typeof text === 'string' && options.isTerminal ? safeText(text) : text;
}

/** Undefined selects text. */
export function resultToRaw(result: Result): string | Buffer | undefined {
  return kindOf(result).raw?.(result);
}

/** Undefined selects text. */
export function resultToTables(
  result: Result,
  options: RenderOptions,
): readonly Table[] | undefined {
  return kindOf(result).tables?.(cleaned(result, options), options);
}

/** Strings are clean before a table is drawn. */
export function drawing({ isTerminal, columns }: RenderOptions): DrawOptions {
  // Output to a file or a pipe has every column.
  const width = (isTerminal ? columns?.() : undefined) ?? Number.POSITIVE_INFINITY;
  return { width, hasBars: isTerminal, clean: (text) => text };
}

/** Values, texts with several lines, and results in a result are cleaned later. */
function cleaned<R extends Result>(result: R, options: RenderOptions): R {
  const isLater = ['data', 'of-path', 'output', 'message'].includes(result.kind);
  return isLater ? result : mapStrings(result, (text) => clean(text, options));
}

function clean(text: string, { isTerminal }: RenderOptions): string {
  return isTerminal ? safeLine(text) : plainLine(text);
}

/** Bytes stay unchanged. */
function mapStrings<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change)) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]);
  return Object.fromEntries(entries) as T;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('');
}

function tableOf(keys: readonly string[], rows: readonly Row[]): Table {
  return { columns: keys.map((key) => ({ key, title: key })), rows };
}

function namesTable(key: string, names: readonly string[]): Table {
  return tableOf(
    [key],
    names.map((name) => [name]),
  );
}

function statTables(stat: Stat | undefined): readonly Table[] {
  return stat === undefined ? [] : [tableOf(['field', 'value'], statFields(stat))];
}

function statText(stat: Stat | undefined): string {
  return stat === undefined ? '' : statLines(stat);
}

/** On a terminal, names that do not fit one line are in columns, as with ls(1). */
function namesText(names: readonly string[], { isTerminal, columns }: RenderOptions): string {
  const width = isTerminal ? columns?.() : undefined;
  const isLong = (room: number) => names.reduce((sum, name) => sum + textWidth(name) + 2, 0) > room;
  return width !== undefined && isLong(width) ? columnsOf(names, width) : `[${names.join(', ')}]\n`;
}

/** Like head(1): `==> /a <==`. */
export function underHeading(
  { path, isFirst }: Of<'of-path'>,
  options: RenderOptions,
  shown: string | Buffer,
): string | Buffer {
  if (shown.length === 0) return shown;
  const heading = `${isFirst ? '' : '\n'}==> ${clean(path, options)} <==\n`;
  return typeof shown === 'string' ? heading + shown : Buffer.concat([Buffer.from(heading), shown]);
}

/** Adds the path to each line, but not to values. */
function rawOfPath(path: string, result: Result): string | Buffer | undefined {
  if (result.kind === 'data' || result.kind === 'changed') return resultToRaw(result);
  if (result.kind === 'children') {
    return lines(result.children.map((name) => childPath(path, name)));
  }
  const text = result.kind === 'count' ? `${result.count}\n` : resultToRaw(result)?.toString();
  return text?.replace(/^(?=.)/gms, `${path.replaceAll('$', '$$$$')}\t`);
}

function aclLines({ id, perms }: ACL): string {
  return `'${id.scheme},'${id.id}\n: ${formatPerms(perms)}\n`;
}

function aclToJson({ perms, id }: ACL): Json {
  return { scheme: id.scheme, id: id.id, perms: formatPerms(perms) };
}

function changedText({ path, stat, isAcl, isStatShown }: Of<'changed'>): string {
  if (isStatShown) return statText(stat);
  return isAcl === true
    ? `Changed the ACL of ${path} to version ${stat.aversion}\n`
    : `Changed ${path} to version ${stat.version}\n`;
}

function deletedText({ path, count, isDryRun, isMatched }: Of<'deleted'>): string {
  const znodes = counted(count, 'znode');
  if (isDryRun) return `${znodes} would be deleted\n`;
  return count === 1 && isMatched !== true ? `Deleted ${path}\n` : `Deleted ${znodes}\n`;
}

/** Empty for exit status 0. */
function ranText({ command, exitCode, signal }: Of<'ran-on-change'>): string {
  if (exitCode === 0) return '';
  const how = signal === undefined ? `with exit status ${exitCode}` : `by ${signal}`;
  return `${command[0]}: ended ${how}\n`;
}

/** With the field names of the jute record. Ids are hex text, times are ms since 1970. */
function statToJson(stat: Stat | undefined): Json | undefined {
  if (stat === undefined) return undefined;
  return {
    czxid: formatZxid(stat.czxid),
    mzxid: formatZxid(stat.mzxid),
    ctime: stat.ctime,
    mtime: stat.mtime,
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: formatSessionId(stat.ephemeralOwner),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
    pzxid: formatZxid(stat.pzxid),
  };
}
