/**
 * The digest of a tree, version 2 (DigestCalculator, AdHash): the sum, modulo 2^64, of one CRC-32
 * for every znode, so that a change costs one subtraction and one addition. Every txn carries the
 * digest of the tree after it; two servers whose digests differ at one zxid have different trees.
 *
 * ```
 *   CRC-32 of: path ("" for the root) | data (nothing for null) |
 *     czxid mzxid pzxid ctime mtime (longs) version cversion aversion (ints) ephemeralOwner (long)
 * ```
 *
 * cversion is the stored one, which counts only creates. ACLs are not covered. Znodes below
 * /zookeeper do not count, since servers change them without a txn; /zookeeper itself does.
 */

import { crc32, crcOfByte } from '../base/checksum.js';
import { writeLatin1 } from '../jute/latin1.js';
import { highOf, longOf, lowOf } from '../jute/long.js';
import { hex64 } from '../protocol/zxid.js';

export const DIGEST_VERSION = 2;
/** The bytes of a Stat that a digest covers. */
export const DIGEST_STAT_SIZE = 60;
/** The paths of znodes that do not count begin so. */
export const UNCOUNTED = '/zookeeper/';

export function isDigested(path: string): boolean {
  return !path.startsWith(UNCOUNTED);
}

let scratch = Buffer.allocUnsafeSlow(4096);

/**
 * The CRC-32 of path and data, with which a znode's digest begins; 0 if the znode does not count.
 * The root is "" or "/". A data string has one byte per character (latin1).
 */
export function contentCrc(
  path: string,
  data: Buffer | string | null,
  pathSum = pathCrc(path),
): number {
  if (!isDigested(path)) return 0;
  if (data === null || data.length === 0) return pathSum;
  if (typeof data !== 'string') return crc32(data, 0, data.length, pathSum);
  if (data.length > scratch.length) scratch = Buffer.allocUnsafeSlow(data.length * 2);
  return crc32(scratch, 0, writeLatin1(scratch, data, 0), pathSum);
}

export function contentCrcOf(
  path: string,
  bytes: Buffer,
  start: number,
  end: number,
  pathSum = pathCrc(path),
): number {
  return isDigested(path) ? crc32(bytes, start, end, pathSum) : 0;
}

/** @param seed the CRC-32 of the first `from` characters, such as those of the parent */
export function pathCrc(path: string, seed = 0, from = 0): number {
  if (path === '/') return 0;
  let crc = ~seed;
  for (let i = from; i < path.length; i++) {
    const unit = path.charCodeAt(i);
    if (unit > 0x7f) return encodedCrc(path);
    crc = crcOfByte(crc, unit);
  }
  return ~crc >>> 0;
}

function encodedCrc(path: string): number {
  const encoded = Buffer.from(path);
  return crc32(encoded, 0, encoded.length);
}

/** @param stat60 in the order above */
export function nodeDigest(path: string, data: Buffer | string | null, stat60: Buffer): number {
  if (!isDigested(path)) return 0;
  return crc32(stat60, 0, DIGEST_STAT_SIZE, contentCrc(path, data));
}

/** Fills `stat60` from the 60 bytes of a StatPersisted, which ends in pzxid. */
export function orderPersisted(persisted: Buffer, stat60: Buffer): void {
  persisted.copy(stat60, 0, 0, 16);
  persisted.copy(stat60, 16, 52, 60);
  persisted.copy(stat60, 24, 16, 52);
}

const WORD = 0x1_0000_0000;

/** The running sum, in two halves, so that a change makes no bigint. */
export class TreeDigest {
  /** The upper 32 bits, unsigned. */
  high = 0;
  /** The lower 32 bits, unsigned. */
  low = 0;

  add(digest: number): void {
    this.low += digest;
    if (this.low < WORD) return;
    this.low -= WORD;
    this.high = (this.high + 1) >>> 0;
  }

  remove(digest: number): void {
    this.low -= digest;
    if (this.low >= 0) return;
    this.low += WORD;
    this.high = (this.high - 1) >>> 0;
  }

  move(from: number, to: number): void {
    this.remove(from);
    this.add(to);
  }

  addSum({ high, low }: TreeDigest): void {
    this.add(low);
    this.high = (this.high + high) >>> 0;
  }

  removeSum({ high, low }: TreeDigest): void {
    this.remove(low);
    this.high = (this.high - high) >>> 0;
  }

  copy({ high, low }: TreeDigest): void {
    this.high = high;
    this.low = low;
  }

  equals({ high, low }: TreeDigest): boolean {
    return this.high === high && this.low === low;
  }

  toString(): string {
    return `0x${hex64(this.value)}`;
  }

  /** As a signed long, as in a TxnDigest. */
  get value(): bigint {
    return longOf(this.high, this.low);
  }

  set value(value: bigint) {
    this.high = highOf(value) >>> 0;
    this.low = lowOf(value) >>> 0;
  }
}
