/**
 * Encryption and checksums of Kerberos with AES: aes128-cts-hmac-sha1-96 and aes256 (RFC 3962 on
 * RFC 3961), aes128-cts-hmac-sha256-128 and aes256-cts-hmac-sha384-192 (RFC 8009). Older types are
 * refused by name, as RFC 8429 asks.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { KerberosError } from './kerberos-error.js';

export interface KerberosKey {
  readonly enctype: number;
  readonly bytes: Buffer;
}

/** What a derived key is for: its last byte in the constant of the derivation. */
const Purpose = { CHECKSUM: 0x99, ENCRYPTION: 0xaa, INTEGRITY: 0x55 } as const;

interface Profile {
  readonly keySize: 16 | 32;
  readonly hash: 'sha1' | 'sha256' | 'sha384';
  readonly macSize: number;
  /** Its number as the type of a checksum. */
  readonly sumType: number;
  /** RFC 8009: the MAC covers the cipher text, and keys come from HMAC. */
  readonly isSha2: boolean;
}

const PROFILES: ReadonlyMap<number, Profile> = new Map([
  [17, { keySize: 16, hash: 'sha1', macSize: 12, sumType: 15, isSha2: false }],
  [18, { keySize: 32, hash: 'sha1', macSize: 12, sumType: 16, isSha2: false }],
  [19, { keySize: 16, hash: 'sha256', macSize: 16, sumType: 19, isSha2: true }],
  [20, { keySize: 32, hash: 'sha384', macSize: 24, sumType: 20, isSha2: true }],
]);
const REFUSED: ReadonlyMap<number, string> = new Map([
  [1, 'des-cbc-crc'],
  [3, 'des-cbc-md5'],
  [16, 'des3-cbc-sha1'],
  [23, 'arcfour-hmac'],
  [25, 'camellia128-cts-cmac'],
  [26, 'camellia256-cts-cmac'],
]);

/** Key usages of RFC 4120, 7.5.1. */
export const Usage = {
  TIMESTAMP: 1,
  TICKET: 2,
  AS_REPLY: 3,
  TGS_CHECKSUM: 6,
  TGS_AUTHENTICATOR: 7,
  TGS_REPLY: 8,
  AUTHENTICATOR: 11,
  AP_REPLY: 12,
} as const;

const BLOCK = 16;
const NO_IV = Buffer.alloc(BLOCK);

/** Names in krb5.conf; the first of each number is the usual one. Most preferred first. */
const NAMES: readonly (readonly [enctype: number, ...names: string[]])[] = [
  [18, 'aes256-cts-hmac-sha1-96', 'aes256-cts', 'aes256-sha1'],
  [17, 'aes128-cts-hmac-sha1-96', 'aes128-cts', 'aes128-sha1'],
  [20, 'aes256-cts-hmac-sha384-192', 'aes256-sha2'],
  [19, 'aes128-cts-hmac-sha256-128', 'aes128-sha2'],
];
export const ENCTYPES: readonly number[] = NAMES.map(([enctype]) => enctype);

/** The supported types of a list as in krb5.conf, in its order. */
export function enctypesOf(words: readonly string[]): number[] {
  const found = words.flatMap((word) => {
    const name = word.toLowerCase();
    if (name === 'aes' || name === 'default') return ENCTYPES;
    return NAMES.flatMap(([enctype, ...names]) => (names.includes(name) ? [enctype] : []));
  });
  return [...new Set(found)];
}

export function isSupported(enctype: number): boolean {
  return PROFILES.has(enctype);
}

function profileOf({ enctype, bytes }: KerberosKey): Profile {
  const profile = PROFILES.get(enctype);
  if (profile === undefined) {
    const name = REFUSED.get(enctype) ?? `number ${enctype}`;
    throw new KerberosError(`unsupported encryption type: ${name} (expected AES)`);
  }
  if (bytes.length !== profile.keySize) throw new KerberosError('a key has the wrong length');
  return profile;
}

/** @throws KerberosError for cipher text that was not made with this key and usage */
export function decrypt(key: KerberosKey, usage: number, bytes: Buffer): Buffer {
  const profile = profileOf(key);
  const end = bytes.length - profile.macSize;
  if (end < BLOCK) throw new KerberosError('an encrypted part is too short');
  const [body, mac] = [bytes.subarray(0, end), bytes.subarray(end)];
  const decrypted = (): Buffer => ctsDecrypt(derive(key, usage, Purpose.ENCRYPTION), body);
  const integrity = derive(key, usage, Purpose.INTEGRITY);
  let plain: Buffer | undefined;
  if (!profile.isSha2) plain = decrypted();
  const covered = plain ?? Buffer.concat([NO_IV, body]);
  if (!timingSafeEqual(hmac(profile, integrity, covered), mac)) {
    throw new KerberosError('an encrypted part does not fit its key');
  }
  return (plain ?? decrypted()).subarray(BLOCK);
}

export function encrypt(
  key: KerberosKey,
  usage: number,
  plain: Buffer,
  confounder = randomBytes(BLOCK),
): Buffer {
  const profile = profileOf(key);
  const whole = Buffer.concat([confounder, plain]);
  const body = ctsEncrypt(derive(key, usage, Purpose.ENCRYPTION), whole);
  const covered = profile.isSha2 ? Buffer.concat([NO_IV, body]) : whole;
  const mac = hmac(profile, derive(key, usage, Purpose.INTEGRITY), covered);
  return Buffer.concat([body, mac]);
}

export function checksum(key: KerberosKey, usage: number, data: Buffer): Buffer {
  return hmac(profileOf(key), derive(key, usage, Purpose.CHECKSUM), data);
}

export function checksumType(key: KerberosKey): number {
  return profileOf(key).sumType;
}

/** A new key of the type of `key`. */
export function randomKey(key: KerberosKey): KerberosKey {
  return { enctype: key.enctype, bytes: randomBytes(profileOf(key).keySize) };
}

export function checksumSize(key: KerberosKey): number {
  return profileOf(key).macSize;
}

function hmac({ hash, macSize }: Profile, key: Buffer, data: Buffer): Buffer {
  return createHmac(hash, key).update(data).digest().subarray(0, macSize);
}

export function derive(key: KerberosKey, usage: number, purpose: number): Buffer {
  const profile = profileOf(key);
  const constant = Buffer.alloc(5, purpose);
  constant.writeUInt32BE(usage);
  if (!profile.isSha2) return deriveByCipher(key.bytes, constant);
  // An encryption key is as long as the base key, others as long as the MAC.
  const size = purpose === Purpose.ENCRYPTION ? profile.keySize : profile.macSize;
  const input = Buffer.alloc(4 + constant.length + 1 + 4);
  input.writeUInt32BE(1);
  constant.copy(input, 4);
  input.writeUInt32BE(size * 8, input.length - 4);
  return createHmac(profile.hash, key.bytes).update(input).digest().subarray(0, size);
}

/** DK of RFC 3961: the folded constant is encrypted again and again. */
function deriveByCipher(key: Buffer, constant: Buffer): Buffer {
  const blocks: Buffer[] = [];
  let block = nFold(constant, BLOCK);
  for (let size = 0; size < key.length; size += BLOCK) {
    block = cbcEncrypt(key, block);
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}

/** RFC 3961, 5.1: copies of the input, each rotated by 13 more bits, added in ones' complement. */
export function nFold(input: Buffer, size: number): Buffer {
  const bits = BigInt(input.length * 8);
  const value = BigInt(`0x${input.toString('hex')}`);
  const mask = (1n << bits) - 1n;
  const chunk = BigInt(size * 8);
  const chunkMask = (1n << chunk) - 1n;
  const copies = size / greatestCommonDivisor(size, input.length);
  let all = 0n;
  for (let i = 0; i < copies; i++) {
    const by = BigInt(13 * i) % bits;
    all = (all << bits) | (((value >> by) | (value << (bits - by))) & mask);
  }
  let sum = 0n;
  for (; all > 0n; all >>= chunk) sum += all & chunkMask;
  while (sum > chunkMask) sum = (sum & chunkMask) + (sum >> chunk);
  return Buffer.from(sum.toString(16).padStart(size * 2, '0'), 'hex');
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function cbcEncrypt(key: Buffer, blocks: Buffer): Buffer {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, NO_IV).setAutoPadding(false);
  return Buffer.concat([cipher.update(blocks), cipher.final()]);
}

function cbcDecrypt(key: Buffer, blocks: Buffer): Buffer {
  const cipher = createDecipheriv(`aes-${key.length * 8}-cbc`, key, NO_IV).setAutoPadding(false);
  return Buffer.concat([cipher.update(blocks), cipher.final()]);
}

/** CBC with ciphertext stealing: the last two blocks are swapped, and the last one is cut. */
export function ctsEncrypt(key: Buffer, plain: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil(plain.length / BLOCK) * BLOCK);
  plain.copy(padded);
  const blocks = cbcEncrypt(key, padded);
  if (padded.length === BLOCK) return blocks;
  const last = padded.length - BLOCK;
  const stolen = blocks.subarray(last - BLOCK, last - BLOCK + plain.length - last);
  return Buffer.concat([blocks.subarray(0, last - BLOCK), blocks.subarray(last), stolen]);
}

export function ctsDecrypt(key: Buffer, bytes: Buffer): Buffer {
  if (bytes.length === BLOCK) return cbcDecrypt(key, bytes);
  const last = (Math.ceil(bytes.length / BLOCK) - 1) * BLOCK;
  const stolen = bytes.subarray(last);
  const end = cbcDecrypt(key, bytes.subarray(last - BLOCK, last));
  const before = Buffer.concat([stolen, end.subarray(stolen.length)]);
  const head = cbcDecrypt(key, Buffer.concat([bytes.subarray(0, last - BLOCK), before]));
  const tail = Buffer.from(stolen.map((byte, i) => byte ^ (end[i] ?? 0)));
  return Buffer.concat([head, tail]);
}
