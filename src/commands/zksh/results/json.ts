import { isUtf8 } from 'node:buffer';
import type { ACL, Stat } from '../../../protocol/data.js';
import { formatPerms } from '../../../protocol/perms.js';
import { safeJson } from '../../../protocol/sanitize.js';
import { formatSessionId } from '../../../protocol/session-id.js';
import { formatZxid } from '../../../protocol/zxid.js';
import type { ErrorReport } from '../../program/command-error.js';
import type { Change, ZnodeValue } from './change.js';
import type { Result } from './result.js';

/** "" for a result without output. @param indent 0 for one line per document or row of a table */
export function resultToJson(result: Result, indent: number): string {
  if (result.kind === 'rows' && indent === 0) {
    return result.rows.map((row) => `${safeJson(JSON.stringify(row))}\n`).join('');
  }
  if (result.kind === 'of-path' && result.result.kind === 'rows' && indent === 0) {
    const { path } = result;
    return result.result.rows
      .map((row) => `${safeJson(JSON.stringify({ path, ...row }))}\n`)
      .join('');
  }
  const value = toJson(result);
  return value === undefined ? '' : `${safeJson(JSON.stringify(value, null, indent))}\n`;
}

/** The fields of a result; JSON leaves out those that are undefined. */
type Json = Readonly<Record<string, unknown>>;

export function errorToJson(report: ErrorReport, indent: number): string {
  const { code, exitCode, sentence, path, hint, place, location } = report;
  const error = { code, exitCode, message: sentence, path, hint, place: placeOf(place), location };
  return `${safeJson(JSON.stringify({ error }, null, indent))}\n`;
}

function placeOf(place: ErrorReport['place']): Json | undefined {
  return place === undefined ? undefined : { start: place.start, end: place.end };
}

function toJson(result: Result): Json | readonly Json[] | undefined {
  switch (result.kind) {
    case 'end':
    case 'exit':
      return undefined;
    case 'done':
      return { done: result.done, path: result.path };
    case 'children':
      return { path: result.path, children: result.children, stat: statToJson(result.stat) };
    case 'path':
      return { path: result.path, stat: statToJson(result.stat) };
    case 'paths':
      return { paths: result.paths };
    case 'data':
      return { path: result.path, ...dataToJson(result.data), stat: statToJson(result.stat) };
    case 'stat':
      return { path: result.path, stat: statToJson(result.stat) };
    case 'created':
      return { created: result.path, stat: statToJson(result.stat) };
    case 'changed':
      return { changed: result.path, stat: statToJson(result.stat) };
    case 'deleted':
      return result.isDryRun
        ? { path: result.path, count: result.count, isDryRun: true }
        : { deleted: result.path, count: result.count };
    case 'acl':
      return { path: result.path, acl: result.acl.map(aclToJson), stat: statToJson(result.stat) };
    case 'count':
      return { path: result.path, count: result.count };
    case 'identities':
      return {
        identities: result.identities.map(({ authScheme, user }) => ({ scheme: authScheme, user })),
      };
    case 'event':
      return {
        event: result.event.type,
        path: result.event.path,
        zxid: result.event.zxid < 0n ? null : formatZxid(result.event.zxid),
      };
    case 'change':
      return changeToJson(result.change);
    case 'watching':
      return { watching: result.path, isRecursive: result.isRecursive, end: result.end };
    case 'missed':
      return { missed: result.count };
    case 'output':
      return { output: dataToJson(result.data) };
    case 'ran-on-change':
      return { ran: result.command, exitCode: result.exitCode, signal: result.signal };
    case 'connection':
      return {
        connected: result.server,
        sessionId: formatSessionId(result.sessionId),
        sessionTimeoutMs: result.sessionTimeoutMs,
        isReadOnly: result.isReadOnly,
      };
    case 'message':
      return result.fields;
    case 'ran':
      return { ran: result.command, exitCode: result.exitCode };
    case 'rows':
      return result.rows;
    case 'of-path':
      return result.result.kind === 'rows'
        ? { path: result.path, rows: result.result.rows }
        : toJson(result.result);
  }
}

/** `before` and `after` are null if the znode did not exist, and undefined if unknown. */
function changeToJson(change: Change): Json {
  const { type, path, zxid, isFoundLate, before, after, children, unread } = change;
  return {
    event: type,
    path,
    zxid: zxid < 0n ? null : formatZxid(zxid),
    isFoundLate: isFoundLate || undefined,
    isAlreadyReported: change.isAlreadyReported || undefined,
    before: valueToJson(before),
    after: valueToJson(after),
    children,
    unread,
  };
}

function valueToJson(value: ZnodeValue | null | undefined): Json | null | undefined {
  return value ? { ...dataToJson(value.data), version: value.stat.version } : value;
}

/** UTF-8 data is text, other data is base64. */
function dataToJson(data: Buffer | null): Json {
  if (data === null) return { data: null, encoding: null };
  return isUtf8(data)
    ? { data: data.toString(), encoding: 'utf8' }
    : { data: data.toString('base64'), encoding: 'base64' };
}

function aclToJson({ perms, id }: ACL): Json {
  return { scheme: id.scheme, id: id.id, perms: formatPerms(perms) };
}

/** With the field names of the jute record. Ids are hex text, times are ms since 1970. */
function statToJson(stat: Stat | undefined): Json | undefined {
  if (stat === undefined) return undefined;
  return {
    czxid: formatZxid(stat.czxid),
    mzxid: formatZxid(stat.mzxid),
    ctime: exact(stat.ctime),
    mtime: exact(stat.mtime),
    version: stat.version,
    cversion: stat.cversion,
    aversion: stat.aversion,
    ephemeralOwner: formatSessionId(stat.ephemeralOwner),
    dataLength: stat.dataLength,
    numChildren: stat.numChildren,
    pzxid: formatZxid(stat.pzxid),
  };
}

/** A number if it is exact, or else a string of digits. */
function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
