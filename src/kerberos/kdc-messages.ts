/** The messages between a client and a KDC: requests, replies, and errors (RFC 4120, 5.4, 5.9). */
import { type DerItem, DerTag, readItems } from '../certificates/der-reader.js';
import { writeItem } from '../certificates/der-writer.js';
import { safeLine } from '../protocol/sanitize.js';
import type { KerberosKey } from './encryption.js';
import {
  type EncryptedData,
  fieldsOf,
  isMessage,
  messageFields,
  type NewField,
  need,
  readEncrypted,
  readInteger,
  reading,
  readKey,
  readPrincipal,
  readText,
  readTime,
  VERSION,
  writeEncrypted,
  writeFields,
  writeFlags,
  writeMessage,
  writeName,
  writeOctets,
  writeText,
  writeTime,
  writeUnsigned,
} from './fields.js';
import { Message, microsOf, NT_PRINCIPAL } from './messages.js';
import type { Principal } from './principal.js';

/** Types of PA-DATA. */
export const PaType = { TGS_REQUEST: 1, TIMESTAMP: 2, ETYPE_INFO_2: 19 } as const;
export type PaData = readonly [type: number, value: Buffer];

export interface RequestBody {
  /** Only for an AS-REQ. */
  readonly client?: Principal;
  readonly service: Principal;
  readonly nonce: number;
  /** Most preferred first. */
  readonly enctypes: readonly number[];
}

export interface KdcReply {
  readonly client: string;
  /** As it is, to be sent to the service. */
  readonly ticket: Buffer;
  readonly part: EncryptedData;
}

/** What a KDC encrypts for the client. */
export interface KdcReplyPart {
  readonly key: KerberosKey;
  readonly nonce: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly service: string;
}

/** Nothing protects it: anybody on the way may have sent it. */
export interface KdcFault {
  readonly errorCode: number;
  /** In ms, by the clock of the KDC. */
  readonly timeMs: number;
  /** Short, and without hidden characters. */
  readonly text: string;
  readonly data: Buffer;
}

/** The type of the name of a service. */
const NT_SERVICE = 2;
const LONGEST_TEXT = 100;

export function writeRequestBody(of: RequestBody): Buffer {
  const { client, service } = of;
  const named: NewField[] =
    client === undefined ? [] : [[1, writeName(client.names, NT_PRINCIPAL)]];
  return writeFields([
    [0, writeFlags(0)],
    ...named,
    [2, writeText(service.realm)],
    [3, writeName(service.names, NT_SERVICE)],
    // 1970 stands for as long as the KDC permits.
    [5, writeTime(0)],
    [7, writeUnsigned(of.nonce)],
    [8, writeItem(DerTag.SEQUENCE, ...of.enctypes.map(writeUnsigned))],
  ]);
}

export function writeRequest(
  message: typeof Message.AS_REQUEST | typeof Message.TGS_REQUEST,
  data: readonly PaData[],
  body: Buffer,
): Buffer {
  const items = data.map(([type, value]) =>
    writeFields([
      [1, writeUnsigned(type)],
      [2, writeOctets(value)],
    ]),
  );
  const padata: NewField[] = items.length === 0 ? [] : [[3, writeItem(DerTag.SEQUENCE, ...items)]];
  return writeMessage(message, [
    [1, writeUnsigned(VERSION)],
    [2, writeUnsigned(message)],
    ...padata,
    [4, body],
  ]);
}

/** PA-ENC-TS-ENC, to be encrypted with the key of the client. */
export function writeTimestamp(timeMs: number): Buffer {
  return writeFields([
    [0, writeTime(timeMs)],
    [1, writeUnsigned(microsOf(timeMs))],
  ]);
}

/** PA-ENC-TIMESTAMP. */
export function writeSealedTimestamp(enctype: number, cipher: Buffer): Buffer {
  return writeEncrypted(enctype, cipher);
}

/** @throws KerberosError */
export function readKdcAnswer(
  bytes: Buffer,
  message: typeof Message.AS_REPLY | typeof Message.TGS_REPLY,
): KdcReply | KdcFault {
  return reading('answer of the KDC', () => {
    if (isMessage(bytes, Message.ERROR)) return readFault(bytes);
    const fields = messageFields(bytes, message);
    const ticket = need(fields, 5).whole;
    // Its fields must be readable, but only the service can check them.
    messageFields(ticket, Message.TICKET);
    return { client: readPrincipal(fields, 3, 4), ticket, part: readEncrypted(need(fields, 6)) };
  });
}

export function isFault(answer: KdcReply | KdcFault): answer is KdcFault {
  return 'errorCode' in answer;
}

function readFault(bytes: Buffer): KdcFault {
  const fields = messageFields(bytes, Message.ERROR);
  const [text, data] = [fields.get(11), fields.get(12)];
  return {
    errorCode: readInteger(need(fields, 6)),
    timeMs: readTime(need(fields, 4)),
    text: text === undefined ? '' : safeLine(readText(text).slice(0, LONGEST_TEXT)),
    data: data?.content ?? Buffer.alloc(0),
  };
}

/** The types of keys that a KDC names when it asks for a proof. @throws KerberosError */
export function readKeyTypes(data: Buffer): number[] {
  return reading('answer of the KDC', () => {
    const [methods] = readItems(data);
    if (methods === undefined) return [];
    const infos = readItems(methods.content).flatMap((item) => {
      const fields = fieldsOf(item);
      const isInfo = readInteger(need(fields, 1)) === PaType.ETYPE_INFO_2;
      return isInfo ? infosIn(need(fields, 2, DerTag.OCTET_STRING)) : [];
    });
    return infos.map((info) => readInteger(need(fieldsOf(info), 0)));
  });
}

function infosIn({ content }: DerItem): DerItem[] {
  return readItems(content).flatMap((list) => readItems(list.content));
}

/** @throws KerberosError */
export function readKdcReplyPart(bytes: Buffer): KdcReplyPart {
  return reading('answer of the KDC', () => {
    // Some KDCs use this number for both.
    const message = isMessage(bytes, Message.TGS_REPLY_PART)
      ? Message.TGS_REPLY_PART
      : Message.AS_REPLY_PART;
    const fields = messageFields(bytes, message);
    const endMs = readTime(need(fields, 7));
    return {
      key: readKey(need(fields, 0)),
      nonce: readInteger(need(fields, 2)) >>> 0,
      startMs: readTime(fields.get(6) ?? need(fields, 5)),
      endMs,
      service: readPrincipal(fields, 9, 10),
    };
  });
}
