/**
 * The encoding of RFC 4120, section 5: every record is a SEQUENCE of fields with explicit tags, and
 * a message is such a record in an APPLICATION tag.
 */
import { DerError, type DerItem, DerTag, readItem, readItems } from '../certificates/der-reader.js';
import { writeItem } from '../certificates/der-writer.js';
import type { KerberosKey } from './encryption.js';
import { KerberosError } from './kerberos-error.js';

export interface EncryptedData {
  readonly enctype: number;
  readonly version: number | undefined;
  readonly cipher: Buffer;
}

export type Fields = ReadonlyMap<number, DerItem>;
export type NewField = readonly [number: number, item: Buffer];

/** The number of the protocol, in most messages. */
export const VERSION = 5;
const TIME_TAG = 0x18;

/** Garbage of a peer is a KerberosError. */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new KerberosError(`malformed ${what}: it ${cause.message}`, { cause });
  }
}

export function fieldsOf(item: DerItem): Fields {
  if (item.tag !== DerTag.SEQUENCE) throw new DerError('has no sequence of fields');
  const fields = new Map<number, DerItem>();
  for (const { tag, content } of readItems(item.content)) {
    if ((tag & 0xe0) !== 0xa0) throw new DerError('has a field without a number');
    fields.set(tag & 0x1f, readItem(content));
  }
  return fields;
}

export function isMessage(bytes: Buffer, message: number): boolean {
  return bytes[0] === (0x60 | message);
}

export function messageFields(bytes: Buffer, message: number): Fields {
  const item = readItem(bytes);
  if (item.tag !== (0x60 | message)) throw new DerError('is another message');
  return fieldsOf(readItem(item.content));
}

export function need(fields: Fields, number: number, tag?: number): DerItem {
  const item = fields.get(number);
  if (item === undefined || (tag !== undefined && item.tag !== tag)) {
    throw new DerError(`lacks field ${number}`);
  }
  return item;
}

/** Signed, up to 5 bytes: an unsigned 32-bit number may have a leading zero. */
export function readInteger({ tag, content }: DerItem): number {
  if (tag !== DerTag.INTEGER || content.length < 1 || content.length > 5) {
    throw new DerError('has a number out of range');
  }
  return content.readIntBE(0, content.length);
}

export function readFlags({ tag, content }: DerItem): number {
  if (tag !== DerTag.BIT_STRING || content.length < 5) throw new DerError('has too few flags');
  return content.readUInt32BE(1);
}

export function readText({ content }: DerItem): string {
  return content.toString('utf8');
}

/** KerberosTime: YYYYMMDDHHMMSSZ. */
export function readTime(item: DerItem): number {
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(readText(item));
  if (item.tag !== TIME_TAG || found === null) throw new DerError('has an invalid time');
  const [year = 0, month = 0, ...rest] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, ...rest);
}

/** @param realm field of the realm @param name field of the PrincipalName */
export function readPrincipal(fields: Fields, realm: number, name: number): string {
  const sequence = need(fieldsOf(need(fields, name)), 1, DerTag.SEQUENCE);
  const names = [...readItems(sequence.content), need(fields, realm)].map(readText);
  // Such a part would make the text of another principal.
  if (names.some((part) => /[/@\p{Cc}]/u.test(part))) throw new DerError('has an unusable name');
  return `${names.slice(0, -1).join('/')}@${names.at(-1)}`;
}

export function readKey(item: DerItem): KerberosKey {
  const fields = fieldsOf(item);
  const bytes = Buffer.from(need(fields, 1, DerTag.OCTET_STRING).content);
  return { enctype: readInteger(need(fields, 0)), bytes };
}

export function readEncrypted(item: DerItem): EncryptedData {
  const fields = fieldsOf(item);
  const version = fields.get(1);
  return {
    enctype: readInteger(need(fields, 0)),
    version: version === undefined ? undefined : readInteger(version) >>> 0,
    cipher: need(fields, 2, DerTag.OCTET_STRING).content,
  };
}

export function writeMessage(message: number, fields: readonly NewField[]): Buffer {
  return writeItem(0x60 | message, writeFields(fields));
}

export function writeFields(fields: readonly NewField[]): Buffer {
  return writeItem(
    DerTag.SEQUENCE,
    ...fields.map(([number, item]) => writeItem(0xa0 | number, item)),
  );
}

export function writeUnsigned(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  let from = 0;
  while (from < 4 && bytes[from] === 0 && (bytes[from + 1] ?? 0) < 0x80) from++;
  return writeItem(DerTag.INTEGER, bytes.subarray(from));
}

export function writeOctets(bytes: Buffer): Buffer {
  return writeItem(DerTag.OCTET_STRING, bytes);
}

export function writeText(text: string): Buffer {
  return writeItem(DerTag.GENERAL_STRING, Buffer.from(text, 'utf8'));
}

/** Without the fraction of the second, which other fields have. */
export function writeTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);
  return writeItem(TIME_TAG, Buffer.from(`${digits}Z`, 'latin1'));
}

export function writeFlags(flags: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(flags, 1);
  return writeItem(DerTag.BIT_STRING, bytes);
}

/** PrincipalName, which has no realm. @param type of RFC 4120, 6.2 */
export function writeName(names: readonly string[], type: number): Buffer {
  return writeFields([
    [0, writeUnsigned(type)],
    [1, writeItem(DerTag.SEQUENCE, ...names.map(writeText))],
  ]);
}

export function writeKey({ enctype, bytes }: KerberosKey): Buffer {
  return writeFields([
    [0, writeUnsigned(enctype)],
    [1, writeOctets(bytes)],
  ]);
}

export function writeEncrypted(enctype: number, cipher: Buffer): Buffer {
  return writeFields([
    [0, writeUnsigned(enctype)],
    [2, writeOctets(cipher)],
  ]);
}
