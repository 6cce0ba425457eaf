/** The tokens of the Kerberos mechanism of GSS-API (RFC 2743, 3.1, and RFC 4121). */
import { timingSafeEqual } from 'node:crypto';
import { DerError, DerTag, expectItem, readItem, readOid } from '../certificates/der-reader.js';
import { writeItem, writeOid } from '../certificates/der-writer.js';
import { checksum, checksumSize, decrypt, type KerberosKey } from './encryption.js';
import { KerberosError } from './kerberos-error.js';

export const TokenId = { AP_REQUEST: 0x0100, AP_REPLY: 0x0200 } as const;

/** The checksum of GSS-API carries flags instead (RFC 4121, 4.1.1). */
export const GSS_CHECKSUM = 0x8003;
const KERBEROS = '1.2.840.113554.1.2.2';
const INITIAL_TAG = 0x60;
const WRAP_ID = 0x0504;
const HEADER_SIZE = 16;
const Flag = { BY_ACCEPTOR: 1, SEALED: 2, ACCEPTOR_SUBKEY: 4 } as const;
/** Key usages of RFC 4121, 2. */
const ACCEPTOR_SEAL = 22;
const INITIATOR_SEAL = 24;

/** The message in an initial token. @throws KerberosError */
export function readInitialToken(token: Buffer, id: number): Buffer {
  try {
    const outer = readItem(token);
    const mechanism = readItem(outer.content);
    const body = outer.content.subarray(mechanism.whole.length);
    const isKerberos =
      outer.tag === INITIAL_TAG && readOid(expectItem([mechanism], 0, DerTag.OID)) === KERBEROS;
    if (isKerberos && body.length > 2 && body.readUInt16BE(0) === id) return body.subarray(2);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
  }
  throw new KerberosError('not a token of the Kerberos mechanism');
}

export function writeInitialToken(id: number, message: Buffer): Buffer {
  const idBytes = Buffer.alloc(2);
  idBytes.writeUInt16BE(id);
  return writeItem(INITIAL_TAG, writeOid(KERBEROS), idBytes, message);
}

export type GssRole = 'initiator' | 'acceptor';

/** One side of an established context. */
export class GssContext {
  private readonly key: KerberosKey;
  private sequence: number;
  /** The flags of sent messages. */
  private readonly flags: number;
  private readonly ownUsage: number;
  private readonly theirUsage: number;

  /** @param isAcceptorKey whether the acceptor chose the key */
  constructor(key: KerberosKey, sequence: number, role: GssRole, isAcceptorKey = false) {
    const isAcceptor = role === 'acceptor';
    this.key = key;
    this.sequence = sequence;
    this.flags = (isAcceptor ? Flag.BY_ACCEPTOR : 0) | (isAcceptorKey ? Flag.ACCEPTOR_SUBKEY : 0);
    this.ownUsage = isAcceptor ? ACCEPTOR_SEAL : INITIATOR_SEAL;
    this.theirUsage = isAcceptor ? INITIATOR_SEAL : ACCEPTOR_SEAL;
  }

  /** Signs the message, and leaves it readable. */
  wrap(message: Buffer): Buffer {
    const header = headerOf(this.flags, this.sequence++);
    const sum = checksum(this.key, this.ownUsage, Buffer.concat([message, header]));
    header.writeUInt16BE(sum.length, 4);
    return Buffer.concat([header, message, sum]);
  }

  /** @throws KerberosError for a token that the other side did not make */
  unwrap(token: Buffer): Buffer {
    if (token.length < HEADER_SIZE || token.readUInt16BE(0) !== WRAP_ID) {
      throw new KerberosError('not a wrapped message');
    }
    const flags = token.readUInt8(2);
    if ((flags & ~Flag.SEALED) !== (this.flags ^ Flag.BY_ACCEPTOR)) {
      throw new KerberosError('a wrapped message of the wrong side');
    }
    const extra = token.readUInt16BE(4);
    const body = rotatedLeft(token.subarray(HEADER_SIZE), token.readUInt16BE(6));
    const header = Buffer.from(token.subarray(0, HEADER_SIZE));
    header.writeUInt16BE(0, 6);
    return (flags & Flag.SEALED) === 0
      ? this.verified(header, body, extra)
      : this.unsealed(header, body, extra);
  }

  private verified(header: Buffer, body: Buffer, extra: number): Buffer {
    const end = body.length - extra;
    if (extra !== checksumSize(this.key) || end < 0) {
      throw new KerberosError('a wrapped message is too short');
    }
    header.writeUInt16BE(0, 4);
    const message = body.subarray(0, end);
    const sum = checksum(this.key, this.theirUsage, Buffer.concat([message, header]));
    if (timingSafeEqual(sum, body.subarray(end))) return message;
    throw new KerberosError('a wrapped message has a wrong checksum');
  }

  private unsealed(header: Buffer, body: Buffer, extra: number): Buffer {
    const plain = decrypt(this.key, this.theirUsage, body);
    const end = plain.length - extra - HEADER_SIZE;
    if (end < 0 || !plain.subarray(end + extra).equals(header)) {
      throw new KerberosError('a wrapped message has a wrong header');
    }
    return plain.subarray(0, end);
  }
}

/** With EC and RRC 0, as checksums cover it. */
function headerOf(flags: number, sequence: number): Buffer {
  const header = Buffer.alloc(HEADER_SIZE);
  header.writeUInt16BE(WRAP_ID, 0);
  header.writeUInt8(flags, 2);
  header.writeUInt8(0xff, 3);
  header.writeBigUInt64BE(BigInt(sequence), 8);
  return header;
}

function rotatedLeft(bytes: Buffer, count: number): Buffer {
  if (bytes.length === 0) return bytes;
  const by = count % bytes.length;
  return Buffer.concat([bytes.subarray(by), bytes.subarray(0, by)]);
}
