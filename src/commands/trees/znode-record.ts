import { isUtf8 } from 'node:buffer';
import type { ACL } from '../../protocol/data.js';
import { pathFault } from '../../protocol/path.js';
import { formatAcl, OPEN_ACL_UNSAFE } from '../../protocol/perms.js';
import { parseAcl } from '../znodes/parse-acl.js';

export interface ZnodeRecord {
  /** Relative to the root of the copy: "" is the root, then "/a" and "/a/b". */
  readonly path: string;
  readonly data: Buffer | null;
  /** Undefined if ACLs are omitted. */
  readonly acl: readonly ACL[] | undefined;
  /** Servers do not report containers and TTLs, but an edited dump may name them. */
  readonly mode: 'persistent' | 'ephemeral' | 'container' | 'ttl';
  readonly ttl?: number;
  readonly version: number;
  readonly mtime: number;
  /** Undefined in a dump. */
  readonly aclVersion?: number;
}

export interface DumpHead {
  readonly root: string;
  readonly server: string;
  readonly hasAcls: boolean;
  /** The data of the znodes is in separate files. */
  readonly hasFiles?: boolean;
}

export interface DumpEnd {
  readonly znodes: number;
  readonly ephemeralsLeftOut: number;
  readonly unread: number;
}

const FORMAT = 1;

export type LineFields = Readonly<Record<string, unknown>>;

export function headFields({ root, server, hasAcls }: DumpHead, time: string): LineFields {
  return { zkshDump: FORMAT, root, server, time, hasAcls };
}

export function withoutData({ data, encoding: _, ...fields }: LineFields): LineFields {
  return data === null ? { ...fields, data } : fields;
}

export function endFields(end: DumpEnd): LineFields {
  return { end: true, ...end };
}

export function recordFields(record: ZnodeRecord): LineFields {
  const { path, data, acl, mode, ttl, version, mtime } = record;
  return {
    path,
    ...encode(data),
    ...(acl === undefined ? {} : { acl: formatAcl(acl) }),
    mode,
    ...(ttl === undefined ? {} : { ttl }),
    version,
    mtime,
  };
}

function encode(data: Buffer | null): LineFields {
  if (data === null) return { data: null };
  return isUtf8(data)
    ? { data: data.toString() }
    : { data: data.toString('base64'), encoding: 'base64' };
}

export type DumpLine =
  | { readonly kind: 'head'; readonly head: DumpHead }
  | {
      readonly kind: 'record';
      readonly record: ZnodeRecord;
      readonly hasData: boolean;
    }
  | { readonly kind: 'end'; readonly end: DumpEnd };

/** @throws RangeError with the problem of the line */
export function parseDumpLine(text: string): DumpLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RangeError('not JSON');
  }
  if (typeof value !== 'object' || value === null) throw new RangeError('not a JSON object');
  return lineOf(value as LineFields);
}

export function lineOf(fields: LineFields): DumpLine {
  if (fields['zkshDump'] !== undefined) return { kind: 'head', head: headOf(fields) };
  if (fields['end'] === true) return { kind: 'end', end: endOf(fields) };
  return { kind: 'record', record: recordOf(fields), hasData: fields['data'] !== undefined };
}

function headOf(fields: Readonly<Record<string, unknown>>): DumpHead {
  if (fields['zkshDump'] !== FORMAT) {
    throw new RangeError(`unsupported dump format: ${fields['zkshDump']} (expected ${FORMAT})`);
  }
  const { root, server, hasAcls, hasFiles } = fields as Partial<DumpHead>;
  return {
    root: rootOf(root),
    server: server ?? '',
    hasAcls: hasAcls ?? true,
    hasFiles: hasFiles === true,
  };
}

function rootOf(root: unknown): string {
  if (root === undefined) return '/';
  const fault = typeof root === 'string' ? pathFault(root) : 'not text';
  if (fault !== undefined) throw new RangeError(`invalid root path: ${root}: ${fault}`);
  return String(root);
}

function endOf(fields: Readonly<Record<string, unknown>>): DumpEnd {
  const { znodes = 0, ephemeralsLeftOut = 0, unread = 0 } = fields as Partial<DumpEnd>;
  return { znodes, ephemeralsLeftOut, unread };
}

const MODES = ['persistent', 'ephemeral', 'container', 'ttl'] as const;

function recordOf(fields: Readonly<Record<string, unknown>>): ZnodeRecord {
  const { path, ttl, version, mtime } = fields;
  if (typeof path !== 'string') throw new RangeError('missing path');
  const fault = path === '' ? undefined : pathFault(path);
  if (fault !== undefined) throw new RangeError(`invalid path: ${path}: ${fault}`);
  const mode = MODES.find((name) => name === (fields['mode'] ?? 'persistent'));
  if (mode === undefined)
    throw new RangeError(`unknown mode: "${fields['mode']}" (expected ${MODES.join(', ')})`);
  if (mode === 'ttl' && typeof ttl !== 'number') throw new RangeError('missing ttl of mode ttl');
  return {
    path,
    data: decode(fields),
    acl: aclOf(fields['acl']),
    mode,
    ...(typeof ttl === 'number' ? { ttl } : {}),
    version: typeof version === 'number' ? version : 0,
    mtime: typeof mtime === 'number' ? mtime : 0,
  };
}

function decode({ data, encoding }: Readonly<Record<string, unknown>>): Buffer | null {
  if (data === null || data === undefined) return null;
  if (typeof data !== 'string') throw new RangeError('data is not text');
  if (encoding === undefined || encoding === 'utf8') return Buffer.from(data);
  if (encoding !== 'base64')
    throw new RangeError(`unknown encoding: "${encoding}" (expected utf8 or base64)`);
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data) throw new RangeError('data is not base64');
  return bytes;
}

function aclOf(text: unknown): readonly ACL[] | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string') throw new RangeError('acl is not text');
  try {
    return parseAcl(text);
  } catch (error) {
    throw new RangeError(error instanceof Error ? error.message : String(error));
  }
}

export function isSameAcl(a: readonly ACL[], b: readonly ACL[]): boolean {
  return formatAcl(a) === formatAcl(b);
}

export function isOpenAcl(acl: readonly ACL[]): boolean {
  return isSameAcl(acl, OPEN_ACL_UNSAFE);
}

/** Null differs from empty data. */
export function isSameData(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
