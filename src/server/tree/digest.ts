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
 * cversion is the stored one, which counts creates only. ACLs are not covered. Znodes below
 * /zookeeper do not count, as servers change them without a txn; /zookeeper itself does.
 */
import { crc32 } from '../persistence/checksum.js';
import type { StatTable } from './stat-table.js';

export const DIGEST_VERSION = 2;
/** The bytes of a znode's Stat that its digest covers. */
export const DIGEST_STAT_SIZE = 60;
const UNCOUNTED = '/zookeeper/';
/** A UTF-16 unit takes at most three bytes of UTF-8. */
const BYTES_PER_UNIT = 3;

/** Does the znode at `path` count? */
export function isDigested(path: string): boolean {
  return !path.startsWith(UNCOUNTED);
}

/** Digests znodes without allocating: `stat` is filled in by the caller, in the order above. */
export class DigestCalculator {
  readonly stat = Buffer.alloc(DIGEST_STAT_SIZE);
  private scratch = Buffer.allocUnsafeSlow(4096);

  /**
   * The digest of a znode whose Stat is in `stat`; 0 where it does not count. The root is "" or
   * "/". A string as data holds one byte a character (latin1).
   */
  digest(path: string, data: Buffer | string | null): number {
    if (!isDigested(path)) return 0;
    const isText = typeof data === 'string';
    const needed = path.length * BYTES_PER_UNIT + (isText ? data.length : 0) + DIGEST_STAT_SIZE;
    if (needed > this.scratch.length) this.scratch = Buffer.allocUnsafeSlow(needed * 2);
    const { scratch } = this;
    let end = path === '/' ? 0 : scratch.write(path, 0);
    if (isText) end += scratch.write(data, end, 'latin1');
    let crc = 0;
    let start = 0;
    if (!isText && data !== null) {
      crc = crc32(data, 0, data.length, crc32(scratch, 0, end));
      start = end;
    }
    scratch.set(this.stat, end);
    return crc32(scratch, start, end + DIGEST_STAT_SIZE, crc);
  }

  /** The digest of a znode whose Stat is in a table. */
  digestOf(path: string, data: Buffer | string | null, stats: StatTable, slot: number): number {
    if (!isDigested(path)) return 0;
    stats.copyDigested(slot, this.stat);
    return this.digest(path, data);
  }

  /** Fills `stat` from the 60 bytes of a StatPersisted, whose pzxid stands last. */
  setPersisted(persisted: Buffer): void {
    persisted.copy(this.stat, 0, 0, 16);
    persisted.copy(this.stat, 16, 52, 60);
    persisted.copy(this.stat, 24, 16, 52);
  }
}

/** The digest of one znode; `stat60` in the order of the digest. DigestCalculator for many. */
export function nodeDigest(path: string, data: Buffer | null, stat60: Buffer): number {
  const calculator = new DigestCalculator();
  stat60.copy(calculator.stat);
  return calculator.digest(path, data);
}

const WORD = 0x1_0000_0000;

/** The running sum, in two halves: a change makes no bigint. */
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

  /** As a signed long, the way a TxnDigest holds it. */
  get value(): bigint {
    return BigInt.asIntN(64, (BigInt(this.high) << 32n) | BigInt(this.low));
  }

  set value(value: bigint) {
    this.high = Number(BigInt.asUintN(32, value >> 32n));
    this.low = Number(BigInt.asUintN(32, value));
  }
}
