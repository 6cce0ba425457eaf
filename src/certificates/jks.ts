/**
 * Reads JKS, Java's key store format up to version 8 (sun.security.provider.JavaKeyStore). A digest
 * with the password protects the file; each private key has its own key stream of SHA-1.
 */
import type { KeyObject } from 'node:crypto';
import { loadCrypto } from '../base/load-on-demand.js';
import { DerError, DerTag, expectItem, expectItems, readItem, readOid } from './der-reader.js';

export const JKS_MAGIC = 0xfeedfeed;

/** The message has no subject: "has a different password". */
export class JksError extends Error {
  override readonly name = 'JksError';
  readonly code = 'EJKS';
}

export interface JksStore {
  readonly keys: readonly KeyObject[];
  /** X.509 in DER: those of the keys with their chains, and the trusted ones. */
  readonly certificates: readonly Buffer[];
  readonly trusted: readonly Buffer[];
}

const VERSIONS: readonly number[] = [1, 2];
const Entry = { KEY: 1, CERTIFICATE: 2 } as const;
const SALT = 'Mighty Aphrodite';
const DIGEST_LENGTH = 20;
/** Sun's own cipher for keys. */
const KEY_PROTECTOR = '1.3.6.1.4.1.42.2.17.1.1';

/** @throws JksError */
export function readJks(bytes: Buffer, password: string): JksStore {
  const secret = Buffer.from(password, 'utf16le').swap16();
  const content = bytes.subarray(0, -DIGEST_LENGTH);
  const digest = sha1(secret, Buffer.from(SALT), content);
  if (bytes.length < 12 + DIGEST_LENGTH || !isEqual(digest, bytes.subarray(-DIGEST_LENGTH))) {
    throw new JksError('has another password, or is damaged');
  }
  const cursor = new Cursor(content);
  cursor.int();
  const version = cursor.int();
  if (!VERSIONS.includes(version)) throw new JksError(`has version ${version} (expected 1 or 2)`);
  const keys: KeyObject[] = [];
  const certificates: Buffer[] = [];
  const trusted: Buffer[] = [];
  for (let left = cursor.int(); left > 0; left--) {
    const kind = cursor.int();
    cursor.text();
    cursor.take(8);
    if (kind === Entry.KEY) {
      keys.push(readKey(cursor.block(), secret));
      for (let length = cursor.int(); length > 0; length--) {
        certificates.push(cursor.certificate(version));
      }
    } else if (kind === Entry.CERTIFICATE) {
      const certificate = cursor.certificate(version);
      certificates.push(certificate);
      trusted.push(certificate);
    } else throw new JksError(`has an entry of kind ${kind} (expected a key or a certificate)`);
  }
  return { keys, certificates, trusted };
}

class Cursor {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) throw new JksError('ends in the middle of an entry');
    const taken = this.bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }

  int(): number {
    return this.take(4).readInt32BE();
  }

  text(): string {
    return this.take(this.take(2).readUInt16BE()).toString();
  }

  block(): Buffer {
    return this.take(this.int());
  }

  certificate(version: number): Buffer {
    const type = version === 1 ? 'X.509' : this.text();
    if (type !== 'X.509') throw new JksError(`has a certificate of type ${type} (expected X.509)`);
    return this.block();
  }
}

/** @param protectedKey an EncryptedPrivateKeyInfo: salt, encrypted key, check */
function readKey(protectedKey: Buffer, secret: Buffer): KeyObject {
  try {
    const parts = expectItems([readItem(protectedKey)], 0, DerTag.SEQUENCE);
    const algorithm = readOid(expectItem(expectItems(parts, 0, DerTag.SEQUENCE), 0, DerTag.OID));
    if (algorithm !== KEY_PROTECTOR) throw new JksError(`has a key with the cipher ${algorithm}`);
    const { content } = expectItem(parts, 1, DerTag.OCTET_STRING);
    const encrypted = content.subarray(DIGEST_LENGTH, -DIGEST_LENGTH);
    const key = Buffer.alloc(encrypted.length);
    let stream = content.subarray(0, DIGEST_LENGTH);
    for (let at = 0; at < key.length; at++) {
      if (at % DIGEST_LENGTH === 0) stream = sha1(secret, stream);
      key[at] = (encrypted[at] ?? 0) ^ (stream[at % DIGEST_LENGTH] ?? 0);
    }
    if (!isEqual(sha1(secret, key), content.subarray(-DIGEST_LENGTH))) {
      throw new JksError('has a key with another password than the store');
    }
    return loadCrypto().createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch (error) {
    if (error instanceof DerError) throw new JksError(`is damaged: it ${error.message}`);
    throw error;
  }
}

function sha1(...parts: readonly Buffer[]): Buffer {
  const hash = loadCrypto().createHash('sha1');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && loadCrypto().timingSafeEqual(a, b);
}
