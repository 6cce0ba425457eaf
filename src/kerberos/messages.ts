/**
 * The messages of RFC 4120 that an acceptor reads and writes. Every record is a SEQUENCE of fields
 * with explicit tags; a message is such a record in an APPLICATION tag.
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

export interface Ticket {
  /** "zookeeper/host@REALM" */
  readonly service: string;
  readonly part: EncryptedData;
}

export interface ApRequest {
  readonly isMutual: boolean;
  readonly ticket: Ticket;
  readonly authenticator: EncryptedData;
}

export interface TicketPart {
  readonly isInvalid: boolean;
  readonly key: KerberosKey;
  readonly client: string;
  /** In ms. */
  readonly startMs: number;
  readonly endMs: number;
}

export interface Authenticator {
  readonly client: string;
  readonly checksum: { readonly type: number; readonly bytes: Buffer } | undefined;
  /** Text and microseconds, as the reply repeats them. */
  readonly time: DerItem;
  readonly micros: DerItem;
  readonly timeMs: number;
  readonly subkey: KerberosKey | undefined;
  readonly sequence: number | undefined;
}

const Message = {
  TICKET: 1,
  AUTHENTICATOR: 2,
  TICKET_PART: 3,
  AP_REQUEST: 14,
  AP_REPLY: 15,
  AP_REPLY_PART: 27,
} as const;

const VERSION = 5;
const TIME_TAG = 0x18;
const MUTUAL_REQUIRED = 0x2000_0000;
const INVALID_TICKET = 0x0100_0000;

type Fields = ReadonlyMap<number, DerItem>;

/** Garbage of a peer is a KerberosError. */
function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new KerberosError(`malformed ${what}: it ${cause.message}`, { cause });
  }
}

function fieldsOf(item: DerItem): Fields {
  if (item.tag !== DerTag.SEQUENCE) throw new DerError('has no sequence of fields');
  const fields = new Map<number, DerItem>();
  for (const { tag, content } of readItems(item.content)) {
    if ((tag & 0xe0) !== 0xa0) throw new DerError('has a field without a number');
    fields.set(tag & 0x1f, readItem(content));
  }
  return fields;
}

function messageFields(bytes: Buffer, message: number): Fields {
  const item = readItem(bytes);
  if (item.tag !== (0x60 | message)) throw new DerError('is another message');
  return fieldsOf(readItem(item.content));
}

function need(fields: Fields, number: number, tag?: number): DerItem {
  const item = fields.get(number);
  if (item === undefined || (tag !== undefined && item.tag !== tag)) {
    throw new DerError(`lacks field ${number}`);
  }
  return item;
}

/** Signed, up to 5 bytes: an unsigned 32-bit number may have a leading zero. */
function readInteger({ tag, content }: DerItem): number {
  if (tag !== DerTag.INTEGER || content.length < 1 || content.length > 5) {
    throw new DerError('has a number out of range');
  }
  return content.readIntBE(0, content.length);
}

function readFlags({ tag, content }: DerItem): number {
  if (tag !== DerTag.BIT_STRING || content.length < 5) throw new DerError('has too few flags');
  return content.readUInt32BE(1);
}

function readText({ content }: DerItem): string {
  return content.toString('utf8');
}

/** KerberosTime: YYYYMMDDHHMMSSZ. */
function readTime(item: DerItem): number {
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(readText(item));
  if (item.tag !== TIME_TAG || found === null) throw new DerError('has an invalid time');
  const [year = 0, month = 0, ...rest] = found.slice(1).map(Number);
  return Date.UTC(year, month - 1, ...rest);
}

/** @param realm field of the realm @param name field of the PrincipalName */
function readPrincipal(fields: Fields, realm: number, name: number): string {
  const sequence = need(fieldsOf(need(fields, name)), 1, DerTag.SEQUENCE);
  const names = [...readItems(sequence.content), need(fields, realm)].map(readText);
  // Such a part would make the text of another principal.
  if (names.some((part) => /[/@\p{Cc}]/u.test(part))) throw new DerError('has an unusable name');
  return `${names.slice(0, -1).join('/')}@${names.at(-1)}`;
}

function readKey(item: DerItem): KerberosKey {
  const fields = fieldsOf(item);
  const bytes = Buffer.from(need(fields, 1, DerTag.OCTET_STRING).content);
  return { enctype: readInteger(need(fields, 0)), bytes };
}

function readEncrypted(item: DerItem): EncryptedData {
  const fields = fieldsOf(item);
  const version = fields.get(1);
  return {
    enctype: readInteger(need(fields, 0)),
    version: version === undefined ? undefined : readInteger(version) >>> 0,
    cipher: need(fields, 2, DerTag.OCTET_STRING).content,
  };
}

/** @throws KerberosError */
export function readApRequest(bytes: Buffer): ApRequest {
  return reading('AP-REQ', () => {
    const fields = messageFields(bytes, Message.AP_REQUEST);
    const ticket = messageFields(need(fields, 3).whole, Message.TICKET);
    return {
      isMutual: (readFlags(need(fields, 2)) & MUTUAL_REQUIRED) !== 0,
      ticket: { service: readPrincipal(ticket, 1, 2), part: readEncrypted(need(ticket, 3)) },
      authenticator: readEncrypted(need(fields, 4)),
    };
  });
}

/** @throws KerberosError */
export function readTicketPart(bytes: Buffer): TicketPart {
  return reading('ticket', () => {
    const fields = messageFields(bytes, Message.TICKET_PART);
    return {
      isInvalid: (readFlags(need(fields, 0)) & INVALID_TICKET) !== 0,
      key: readKey(need(fields, 1)),
      client: readPrincipal(fields, 2, 3),
      startMs: readTime(fields.get(6) ?? need(fields, 5)),
      endMs: readTime(need(fields, 7)),
    };
  });
}

/** @throws KerberosError */
export function readAuthenticator(bytes: Buffer): Authenticator {
  return reading('authenticator', () => {
    const fields = messageFields(bytes, Message.AUTHENTICATOR);
    const [sum, subkey, sequence] = [fields.get(3), fields.get(6), fields.get(7)];
    const micros = need(fields, 4, DerTag.INTEGER);
    const time = need(fields, 5);
    return {
      client: readPrincipal(fields, 1, 2),
      checksum: sum === undefined ? undefined : readChecksum(sum),
      time,
      micros,
      timeMs: readTime(time) + readInteger(micros) / 1000,
      subkey: subkey === undefined ? undefined : readKey(subkey),
      sequence: sequence === undefined ? undefined : readInteger(sequence) >>> 0,
    };
  });
}

function readChecksum(item: DerItem): { readonly type: number; readonly bytes: Buffer } {
  const fields = fieldsOf(item);
  const bytes = need(fields, 1, DerTag.OCTET_STRING).content;
  return { type: readInteger(need(fields, 0)), bytes };
}

/** EncAPRepPart: it repeats the time of the authenticator. */
export function writeApReplyPart(
  { time, micros }: Pick<Authenticator, 'time' | 'micros'>,
  sequence: number,
): Buffer {
  return writeMessage(Message.AP_REPLY_PART, [
    [0, time.whole],
    [1, micros.whole],
    [3, writeUnsigned(sequence)],
  ]);
}

export function writeApReply(enctype: number, cipher: Buffer): Buffer {
  return writeMessage(Message.AP_REPLY, [
    [0, writeUnsigned(VERSION)],
    [1, writeUnsigned(Message.AP_REPLY)],
    [
      2,
      writeFields([
        [0, writeUnsigned(enctype)],
        [2, writeItem(DerTag.OCTET_STRING, cipher)],
      ]),
    ],
  ]);
}

type NewField = readonly [number: number, item: Buffer];

function writeMessage(message: number, fields: readonly NewField[]): Buffer {
  return writeItem(0x60 | message, writeFields(fields));
}

function writeFields(fields: readonly NewField[]): Buffer {
  return writeItem(
    DerTag.SEQUENCE,
    ...fields.map(([number, item]) => writeItem(0xa0 | number, item)),
  );
}

function writeUnsigned(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(value, 1);
  let from = 0;
  while (from < 4 && bytes[from] === 0 && (bytes[from + 1] ?? 0) < 0x80) from++;
  return writeItem(DerTag.INTEGER, bytes.subarray(from));
}
