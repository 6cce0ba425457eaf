/**
 * Reads PKCS #12 (RFC 7292). Node's reader requires a key, trusts all certificates, and does not
 * limit the rounds of hashing.
 */
import type { KeyObject } from 'node:crypto';
import { loadCrypto } from '../base/load-on-demand.js';
import {
  DerError,
  type DerItem,
  DerTag,
  expectItem,
  expectItems,
  readItem,
  readItems,
  readNumber,
  readOid,
} from './der-reader.js';

export interface Pkcs12Store {
  readonly keys: readonly KeyObject[];
  /** X.509 in DER. */
  readonly certificates: readonly Buffer[];
}

/** The message has no subject: "has a different password". */
export class Pkcs12Error extends Error {
  override readonly name = 'Pkcs12Error';
  readonly code = 'EPKCS12';
}

const Oid = {
  DATA: '1.2.840.113549.1.7.1',
  ENCRYPTED_DATA: '1.2.840.113549.1.7.6',
  KEY_BAG: '1.2.840.113549.1.12.10.1.1',
  SHROUDED_KEY_BAG: '1.2.840.113549.1.12.10.1.2',
  CERT_BAG: '1.2.840.113549.1.12.10.1.3',
  PBES2: '1.2.840.113549.1.5.13',
  PBKDF2: '1.2.840.113549.1.5.12',
  PBE_3DES: '1.2.840.113549.1.12.1.3',
} as const;

const HASHES: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha1'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);
const HMACS: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.2.7', 'sha1'],
  ['1.2.840.113549.2.9', 'sha256'],
  ['1.2.840.113549.2.10', 'sha384'],
  ['1.2.840.113549.2.11', 'sha512'],
]);
const CIPHERS: ReadonlyMap<string, readonly [name: string, keyLength: number]> = new Map([
  ['2.16.840.1.101.3.4.1.2', ['aes-128-cbc', 16]],
  ['2.16.840.1.101.3.4.1.22', ['aes-192-cbc', 24]],
  ['2.16.840.1.101.3.4.1.42', ['aes-256-cbc', 32]],
  ['1.2.840.113549.3.7', ['des-ede3-cbc', 24]],
]);

/** More rounds would only keep the server busy. */
const MAX_ITERATIONS = 1_000_000;
const EXPLICIT_0 = 0xa0;
const IMPLICIT_0 = 0x80;

/** @throws Pkcs12Error */
export function readPkcs12(bytes: Buffer, password: string): Pkcs12Store {
  try {
    return readStore(bytes, password);
  } catch (error) {
    if (error instanceof DerError) throw new Pkcs12Error(`is damaged: it ${error.message}`);
    throw error;
  }
}

function readStore(bytes: Buffer, password: string): Pkcs12Store {
  const parts = expectItems([readItem(bytes)], 0, DerTag.SEQUENCE);
  const safe = dataOf(expectItems(parts, 1, DerTag.SEQUENCE));
  if (parts[2] !== undefined) checkMac(readItems(parts[2].content), safe, password);
  const keys: KeyObject[] = [];
  const certificates: Buffer[] = [];
  for (const info of readItems(readItem(safe).content)) {
    for (const bag of readItems(readItem(safeContents(info, password)).content)) {
      const bagParts = readItems(bag.content);
      const value = expectItem(bagParts, 1, EXPLICIT_0).content;
      switch (readOid(expectItem(bagParts, 0, DerTag.OID))) {
        case Oid.KEY_BAG:
          keys.push(readPlainKey(value));
          break;
        case Oid.SHROUDED_KEY_BAG:
          keys.push(readShroudedKey(value, password));
          break;
        case Oid.CERT_BAG:
          certificates.push(readCertificate(value));
          break;
      }
    }
  }
  return { keys, certificates };
}

function dataOf(contentInfo: readonly DerItem[]): Buffer {
  const kind = readOid(expectItem(contentInfo, 0, DerTag.OID));
  if (kind !== Oid.DATA)
    throw new Pkcs12Error('is signed with a public key, which is not supported');
  return expectItem([readItem(expectItem(contentInfo, 1, EXPLICIT_0).content)], 0, 0x04).content;
}

function safeContents(info: DerItem, password: string): Buffer {
  const parts = readItems(info.content);
  if (readOid(expectItem(parts, 0, DerTag.OID)) !== Oid.ENCRYPTED_DATA) return dataOf(parts);
  const encrypted = readItems(readItem(expectItem(parts, 1, EXPLICIT_0).content).content);
  const content = expectItems(encrypted, 1, DerTag.SEQUENCE);
  const algorithm = expectItems(content, 1, DerTag.SEQUENCE);
  return decrypt(algorithm, expectItem(content, 2, IMPLICIT_0).content, password);
}

function readCertificate(value: Buffer): Buffer {
  const parts = readItems(readItem(value).content);
  return expectItem([readItem(expectItem(parts, 1, EXPLICIT_0).content)], 0, 0x04).content;
}

function readPlainKey(key: Buffer): KeyObject {
  try {
    return loadCrypto().createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch {
    throw new Pkcs12Error('has a damaged key');
  }
}

function readShroudedKey(key: Buffer, passphrase: string): KeyObject {
  checkRounds(expectItems(readItems(readItem(key).content), 0, DerTag.SEQUENCE));
  try {
    return loadCrypto().createPrivateKey({ key, format: 'der', type: 'pkcs8', passphrase });
  } catch {
    throw new Pkcs12Error('has a key with a different password, or with an old cipher');
  }
}

/** OpenSSL decrypts keys itself, with as many rounds as the store demands. */
function checkRounds(algorithm: readonly DerItem[]): void {
  const params = expectItems(algorithm, 1, DerTag.SEQUENCE);
  const isPbes2 = readOid(expectItem(algorithm, 0, DerTag.OID)) === Oid.PBES2;
  const derivation = isPbes2 ? expectItems(params, 0, DerTag.SEQUENCE) : algorithm;
  if (isPbes2 && readOid(expectItem(derivation, 0, DerTag.OID)) !== Oid.PBKDF2) return;
  iterationsOf(expectItem(expectItems(derivation, 1, DerTag.SEQUENCE), 1, DerTag.INTEGER));
}

function decrypt(algorithm: readonly DerItem[], content: Buffer, password: string): Buffer {
  const { name, key, iv } = cipherOf(algorithm, password);
  try {
    const decipher = loadCrypto().createDecipheriv(name, key, iv);
    return Buffer.concat([decipher.update(content), decipher.final()]);
  } catch {
    throw new Pkcs12Error('has a different password');
  }
}

function cipherOf(
  algorithm: readonly DerItem[],
  password: string,
): { readonly name: string; readonly key: Buffer; readonly iv: Buffer } {
  const oid = readOid(expectItem(algorithm, 0, DerTag.OID));
  const params = expectItems(algorithm, 1, DerTag.SEQUENCE);
  if (oid === Oid.PBE_3DES) {
    const salt = expectItem(params, 0, DerTag.OCTET_STRING).content;
    const rounds = iterationsOf(expectItem(params, 1, DerTag.INTEGER));
    const derive = (id: number, length: number) =>
      deriveKey('sha1', id, password, salt, rounds, length);
    return { name: 'des-ede3-cbc', key: derive(1, 24), iv: derive(2, 8) };
  }
  if (oid !== Oid.PBES2) {
    throw new Pkcs12Error(`uses the old cipher ${oid}: write it again with a current tool`);
  }
  const derivation = expectItems(params, 0, DerTag.SEQUENCE);
  const encryption = expectItems(params, 1, DerTag.SEQUENCE);
  const cipherOid = readOid(expectItem(encryption, 0, DerTag.OID));
  const cipher = CIPHERS.get(cipherOid);
  if (cipher === undefined) throw new Pkcs12Error(`uses an unknown cipher: ${cipherOid}`);
  const [name, length] = cipher;
  const iv = expectItem(encryption, 1, DerTag.OCTET_STRING).content;
  return { name, key: pbkdf2(derivation, password, length), iv };
}

function pbkdf2(derivation: readonly DerItem[], password: string, length: number): Buffer {
  const oid = readOid(expectItem(derivation, 0, DerTag.OID));
  if (oid !== Oid.PBKDF2) throw new Pkcs12Error(`uses an unknown key derivation: ${oid}`);
  const params = expectItems(derivation, 1, DerTag.SEQUENCE);
  const salt = expectItem(params, 0, DerTag.OCTET_STRING).content;
  const rounds = iterationsOf(expectItem(params, 1, DerTag.INTEGER));
  const prf = params.find(({ tag }) => tag === DerTag.SEQUENCE);
  const prfOid = prf === undefined ? undefined : readOid(readItem(prf.content));
  const hash = prfOid === undefined ? 'sha1' : HMACS.get(prfOid);
  if (hash === undefined) throw new Pkcs12Error(`uses an unknown key derivation: ${prfOid}`);
  return loadCrypto().pbkdf2Sync(password, salt, rounds, length, hash);
}

function checkMac(mac: readonly DerItem[], content: Buffer, password: string): void {
  const digestInfo = expectItems(mac, 0, DerTag.SEQUENCE);
  const hashOid = readOid(expectItem(expectItems(digestInfo, 0, DerTag.SEQUENCE), 0, DerTag.OID));
  const hash = HASHES.get(hashOid);
  if (hash === undefined) throw new Pkcs12Error(`uses an unknown MAC algorithm: ${hashOid}`);
  const expected = expectItem(digestInfo, 1, DerTag.OCTET_STRING).content;
  const salt = expectItem(mac, 1, DerTag.OCTET_STRING).content;
  const rounds = mac[2] === undefined ? 1 : iterationsOf(mac[2]);
  const key = deriveKey(hash, 3, password, salt, rounds, expected.length);
  const actual = loadCrypto().createHmac(hash, key).update(content).digest();
  if (actual.length !== expected.length || !loadCrypto().timingSafeEqual(actual, expected)) {
    throw new Pkcs12Error('has a different password');
  }
}

function iterationsOf(item: DerItem): number {
  const rounds = readNumber(item);
  if (rounds < 1 || rounds > MAX_ITERATIONS) {
    throw new Pkcs12Error(
      `uses too many rounds of hashing: ${rounds} (expected 1 to ${MAX_ITERATIONS})`,
    );
  }
  return rounds;
}

/** RFC 7292, appendix B.2. @param id 1 for a key, 2 for an iv, 3 for a MAC key */
function deriveKey(
  hash: string,
  id: number,
  password: string,
  salt: Buffer,
  rounds: number,
  length: number,
): Buffer {
  const block = hash === 'sha384' || hash === 'sha512' ? 128 : 64;
  const secret = Buffer.from(`${password}\0`, 'utf16le').swap16();
  const input = Buffer.concat([fill(salt, block), fill(secret, block)]);
  const { createHash } = loadCrypto();
  const chunks: Buffer[] = [];
  for (let have = 0; have < length; ) {
    let digest = createHash(hash).update(Buffer.alloc(block, id)).update(input).digest();
    for (let round = 1; round < rounds; round++) digest = createHash(hash).update(digest).digest();
    chunks.push(digest);
    have += digest.length;
    addToBlocks(input, fill(digest.subarray(0, Math.min(digest.length, block)), block), block);
  }
  return Buffer.concat(chunks).subarray(0, length);
}

/** Repeats the bytes up to a whole number of blocks; empty input stays empty. */
function fill(bytes: Buffer, block: number): Buffer {
  const length = block * Math.ceil(bytes.length / block);
  return length === 0 ? bytes : Buffer.alloc(length, bytes);
}

/** Each block of `input` becomes itself + `addend` + 1, as big-endian numbers. */
function addToBlocks(input: Buffer, addend: Buffer, block: number): void {
  for (let start = 0; start < input.length; start += block) {
    let carry = 1;
    for (let i = block - 1; i >= 0; i--) {
      const sum = (input[start + i] ?? 0) + (addend[i] ?? 0) + carry;
      input[start + i] = sum & 0xff;
      carry = sum >> 8;
    }
  }
}
