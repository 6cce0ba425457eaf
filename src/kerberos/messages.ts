/** The messages between a client and a service: AP-REQ and AP-REP of RFC 4120, 5.5. */
import { type DerItem, DerTag } from '../certificates/der-reader.js';
import type { KerberosKey } from './encryption.js';
import {
  type EncryptedData,
  fieldsOf,
  messageFields,
  type NewField,
  need,
  readEncrypted,
  readFlags,
  readInteger,
  reading,
  readKey,
  readPrincipal,
  readTime,
  VERSION,
  writeEncrypted,
  writeFields,
  writeFlags,
  writeKey,
  writeMessage,
  writeName,
  writeOctets,
  writeText,
  writeTime,
  writeUnsigned,
} from './fields.js';
import { namesOf } from './principal.js';

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

export interface NewAuthenticator {
  readonly client: string;
  readonly checksum: { readonly type: number; readonly bytes: Buffer };
  readonly timeMs: number;
  readonly subkey?: KerberosKey;
  readonly sequence?: number;
}

export interface ApReplyPart {
  /** In ms: the time of the authenticator. */
  readonly timeMs: number;
  readonly subkey: KerberosKey | undefined;
}

/** Numbers of APPLICATION tags and of message types. */
export const Message = {
  TICKET: 1,
  AUTHENTICATOR: 2,
  TICKET_PART: 3,
  AS_REQUEST: 10,
  AS_REPLY: 11,
  TGS_REQUEST: 12,
  TGS_REPLY: 13,
  AP_REQUEST: 14,
  AP_REPLY: 15,
  AS_REPLY_PART: 25,
  TGS_REPLY_PART: 26,
  AP_REPLY_PART: 27,
  ERROR: 30,
} as const;

const MUTUAL_REQUIRED = 0x2000_0000;
const INVALID_TICKET = 0x0100_0000;
/** The type of the name of a user; readers ignore it. */
export const NT_PRINCIPAL = 1;

/** @throws KerberosError */
export function readApRequest(bytes: Buffer): ApRequest {
  return reading('AP-REQ', () => {
    const fields = messageFields(bytes, Message.AP_REQUEST);
    return {
      isMutual: (readFlags(need(fields, 2)) & MUTUAL_REQUIRED) !== 0,
      ticket: ticketIn(need(fields, 3)),
      authenticator: readEncrypted(need(fields, 4)),
    };
  });
}

/** Within `reading`. */
function ticketIn({ whole }: DerItem): Ticket {
  const ticket = messageFields(whole, Message.TICKET);
  return { service: readPrincipal(ticket, 1, 2), part: readEncrypted(need(ticket, 3)) };
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

export function writeAuthenticator(of: NewAuthenticator): Buffer {
  const { names, realm } = namesOf(of.client);
  const more: NewField[] = [];
  if (of.subkey !== undefined) more.push([6, writeKey(of.subkey)]);
  if (of.sequence !== undefined) more.push([7, writeUnsigned(of.sequence)]);
  return writeMessage(Message.AUTHENTICATOR, [
    [0, writeUnsigned(VERSION)],
    [1, writeText(realm)],
    [2, writeName(names, NT_PRINCIPAL)],
    [
      3,
      writeFields([
        [0, writeUnsigned(of.checksum.type)],
        [1, writeOctets(of.checksum.bytes)],
      ]),
    ],
    [4, writeUnsigned(microsOf(of.timeMs))],
    [5, writeTime(of.timeMs)],
    ...more,
  ]);
}

/** The fraction of the second, which a KerberosTime lacks. */
export function microsOf(ms: number): number {
  return Math.round((ms % 1000) * 1000);
}

/** @param ticket as the KDC made it */
export function writeApRequest(
  ticket: Buffer,
  authenticator: { readonly enctype: number; readonly cipher: Buffer },
  isMutual: boolean,
): Buffer {
  return writeMessage(Message.AP_REQUEST, [
    [0, writeUnsigned(VERSION)],
    [1, writeUnsigned(Message.AP_REQUEST)],
    [2, writeFlags(isMutual ? MUTUAL_REQUIRED : 0)],
    [3, ticket],
    [4, writeEncrypted(authenticator.enctype, authenticator.cipher)],
  ]);
}

/** @throws KerberosError */
export function readApReply(bytes: Buffer): EncryptedData {
  return reading('AP-REP', () => {
    const fields = messageFields(bytes, Message.AP_REPLY);
    return readEncrypted(need(fields, 2));
  });
}

/** @throws KerberosError */
export function readApReplyPart(bytes: Buffer): ApReplyPart {
  return reading('AP-REP', () => {
    const fields = messageFields(bytes, Message.AP_REPLY_PART);
    const subkey = fields.get(2);
    return {
      timeMs: readTime(need(fields, 0)) + readInteger(need(fields, 1)) / 1000,
      subkey: subkey === undefined ? undefined : readKey(subkey),
    };
  });
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
    [2, writeEncrypted(enctype, cipher)],
  ]);
}
