// The one object that changes. It names the parts of every file, so it decides what the backup in
// the bucket is, and who may write it.

import { runFault } from '../../ensemble/run-fault.js';
import { type ObjectStore, sha256Of } from './object-store.js';

const SCHEMA = 'zkops-backup-s3/1';
export const MANIFEST = 'zkops-backup.json';
const MAX_MANIFEST = 64 * 1024 * 1024;
/** Digits of the SHA-256 of a part. The manifest has all of them. */
const KEY_DIGITS = 16;
/** No Date is later. */
const MAX_TIME_MS = 8.64e15;
export const MAX_PART = 16 * 1024 * 1024;

export interface Part {
  readonly size: number;
  readonly sha256: string;
}

export interface KeptFile {
  readonly name: string;
  readonly mtimeMs: number;
  readonly parts: readonly Part[];
}

/** The backup that writes. */
export interface Writer {
  /** The id of its spool folder. */
  readonly spool: string;
  readonly host: string;
  readonly pid: number;
  /** In ms since 1970; 0 after its end. */
  readonly untilMs: number;
}

export interface Manifest {
  readonly generation: number;
  /** The content of the marker in a folder. */
  readonly marker: string;
  readonly writer: Writer;
  readonly files: readonly KeptFile[];
}

export interface FoundManifest {
  readonly manifest: Manifest;
  readonly etag: string;
}

export function sizeOf({ parts }: Pick<KeptFile, 'parts'>): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

/** Its content decides the name, so no object ever changes. */
export function keyOfPart(name: string, offset: number, { sha256 }: Part): string {
  return `${name}/${offset}-${sha256.slice(0, KEY_DIGITS)}`;
}

export function keysOf({ name, parts }: Pick<KeptFile, 'name' | 'parts'>): string[] {
  let offset = 0;
  return parts.map((part) => {
    const key = keyOfPart(name, offset, part);
    offset += part.size;
    return key;
  });
}

export function isKeyOfPart(key: string): boolean {
  return /^(?:log|snapshot)\.[^/]+\/\d+-[0-9a-f]{16}$/.test(key);
}

export function encodeManifest(manifest: Manifest): Buffer {
  const sha256 = sha256Of(Buffer.from(JSON.stringify(manifest)));
  return Buffer.from(`${JSON.stringify({ schema: SCHEMA, sha256, manifest })}\n`);
}

/** Undefined without a backup. @throws CommandError for a damaged one */
export async function readManifest(store: ObjectStore): Promise<FoundManifest | undefined> {
  const found = await store.patiently(() => store.get(MANIFEST, MAX_MANIFEST));
  if (found === undefined) return undefined;
  const subject = `${store.place.text}: ${MANIFEST}`;
  const read = found === 'too long' ? undefined : parse(found.bytes);
  if (found === 'too long' || read === undefined || !isWhole(read)) {
    throw runFault(
      `${subject}: is damaged\nRestore an older version of this object, or start a new backup with another prefix`,
    );
  }
  if (read.schema !== SCHEMA) {
    throw runFault(`${subject}: unsupported version of a backup (expected ${SCHEMA})`);
  }
  return { manifest: read.manifest, etag: found.etag };
}

interface Envelope {
  readonly schema: unknown;
  readonly sha256: unknown;
  readonly manifest: Manifest;
}

function parse(bytes: Buffer): Partial<Envelope> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The checksum tells damage; the names must not lead out of a folder in any case. */
function isWhole(found: Partial<Envelope>): found is Envelope {
  const { manifest, sha256 } = found;
  if (sha256 !== sha256Of(Buffer.from(JSON.stringify(manifest ?? '')))) return false;
  if (found.schema !== SCHEMA) return true;
  return (
    Array.isArray(manifest?.files) &&
    typeof manifest.marker === 'string' &&
    Number.isSafeInteger(manifest.generation) &&
    isWriter(manifest.writer) &&
    manifest.files.every(isKeptFile)
  );
}

/** Errors print it. */
function isWriter({ spool, host, pid, untilMs }: Writer): boolean {
  const hasNumbers = Number.isSafeInteger(pid) && untilMs >= 0 && untilMs < MAX_TIME_MS;
  return typeof spool === 'string' && /^[\w.-]{1,255}$/.test(host) && hasNumbers;
}

function isKeptFile({ name, mtimeMs, parts }: KeptFile): boolean {
  const isName = /^(?:log|snapshot)\.[\w.-]+$/.test(name);
  return isName && Number.isFinite(mtimeMs) && parts.every(isPart);
}

function isPart({ size, sha256 }: Part): boolean {
  return Number.isInteger(size) && size > 0 && size <= MAX_PART && /^[0-9a-f]{64}$/.test(sha256);
}
