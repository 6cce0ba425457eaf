/**
 * The checksums of ZooKeeper's files, as in java.util.zip: Adler-32 protects log records and seals
 * snapshots, CRC-32 is part of the tree digest. `seed` is an earlier result, so that a sum can
 * cover several pieces. zlib.crc32 costs more for entries of up to 300 bytes: of 60 bytes 370 ns
 * instead of 160 (Node.js 20.20). A DataView loads four bytes in one instruction, which is twice as
 * fast as single bytes.
 */

import { ViewCache } from '../jute/view-cache.js';

// One each, because log bytes and znode bytes are in different memory and alternate.
const adlerViews = new ViewCache();
const crcViews = new ViewCache();

/** Below this length the byte loops are faster. */
const MIN_WORDS_LENGTH = 16;

const ADLER_BASE = 65521;
/** The longest run whose bytes and prefix sums fit in 16 bits: 255 * 22 * 23 / 2 = 64515. */
const RUN_WORDS = 22;
/** After this many runs both sums still fit in 31 bits without reduction. */
const BLOCK_RUNS = 43;
const EVEN_BYTES = 0xff00ff;

/**
 * RFC 1950, section 8: a = 1 + sum of the bytes, b = sum of all values of a. Two lanes of 16 bits
 * each sum up every fourth byte; with P the prefix sums of a lane and S its sum,
 *
 *   b += 4 * words * a + 4 * (P0 + P1 + P2 + P3) - (S1 + 2 * S2 + 3 * S3)
 */
export function adler32(bytes: Buffer, start: number, end: number, seed = 1): number {
  let a = seed & 0xffff;
  let b = seed >>> 16;
  let at = start;
  if (end - start >= MIN_WORDS_LENGTH) {
    const view = adlerViews.of(bytes);
    const { byteOffset } = adlerViews;
    const last = byteOffset + end - 4;
    let place = byteOffset + start;
    while (place <= last) {
      for (let run = 0; run < BLOCK_RUNS && place <= last; run++) {
        const left = (last - place + 4) >> 2;
        const words = left < RUN_WORDS ? left : RUN_WORDS;
        const runEnd = place + (words << 2);
        let even = 0;
        let odd = 0;
        let evenPrefixes = 0;
        let oddPrefixes = 0;
        for (; place < runEnd; place += 4) {
          const word = view.getInt32(place, true);
          even = (even + (word & EVEN_BYTES)) | 0;
          odd = (odd + ((word >>> 8) & EVEN_BYTES)) | 0;
          evenPrefixes = (evenPrefixes + even) | 0;
          oddPrefixes = (oddPrefixes + odd) | 0;
        }
        const s1 = odd & 0xffff;
        const s2 = even >>> 16;
        const s3 = odd >>> 16;
        const prefixes =
          (evenPrefixes & 0xffff) +
          (evenPrefixes >>> 16) +
          (oddPrefixes & 0xffff) +
          (oddPrefixes >>> 16);
        b = (b + (words << 2) * a + (prefixes << 2) - s1 - 2 * s2 - 3 * s3) | 0;
        a = (a + (even & 0xffff) + s1 + s2 + s3) | 0;
      }
      a %= ADLER_BASE;
      b %= ADLER_BASE;
    }
    at = place - byteOffset;
  }
  for (; at < end; at++) {
    a += bytes[at] as number;
    b += a;
  }
  return (((b % ADLER_BASE) << 16) | (a % ADLER_BASE)) >>> 0;
}

const CRC_POLYNOMIAL = 0xedb88320;

/** Eight tables of 256 in one: table k has the effect of a byte k places before the end. */
function crcTables(): Int32Array {
  const tables = new Int32Array(8 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let at = 256; at < tables.length; at++) {
    const crc = tables[at - 256] as number;
    tables[at] = (crc >>> 8) ^ (tables[crc & 0xff] as number);
  }
  return tables;
}

const CRC = crcTables();

/** CRC-32 of ISO 3309, eight bytes per iteration. */
export function crc32(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  let crc = ~seed;
  let at = start;
  if (end - start >= MIN_WORDS_LENGTH) {
    const view = crcViews.of(bytes);
    const { byteOffset } = crcViews;
    const last = byteOffset + end - 8;
    let place = byteOffset + start;
    for (; place <= last; place += 8) {
      crc = crcOfPair(crc, view.getInt32(place, true), view.getInt32(place + 4, true));
    }
    at = place - byteOffset;
  }
  for (; at < end; at++) crc = crcOfByte(crc, bytes[at] as number);
  return ~crc >>> 0;
}

/** One step over eight bytes in little-endian words. `crc` is the inverse of the sum so far. */
export function crcOfPair(crc: number, first: number, second: number): number {
  const x = first ^ crc;
  return (
    (CRC[0x700 | (x & 0xff)] as number) ^
    (CRC[0x600 | ((x >>> 8) & 0xff)] as number) ^
    (CRC[0x500 | ((x >>> 16) & 0xff)] as number) ^
    (CRC[0x400 | (x >>> 24)] as number) ^
    (CRC[0x300 | (second & 0xff)] as number) ^
    (CRC[0x200 | ((second >>> 8) & 0xff)] as number) ^
    (CRC[0x100 | ((second >>> 16) & 0xff)] as number) ^
    (CRC[second >>> 24] as number)
  );
}

export function crcOfWord(crc: number, word: number): number {
  const x = word ^ crc;
  return (
    (CRC[0x300 | (x & 0xff)] as number) ^
    (CRC[0x200 | ((x >>> 8) & 0xff)] as number) ^
    (CRC[0x100 | ((x >>> 16) & 0xff)] as number) ^
    (CRC[x >>> 24] as number)
  );
}

export function crcOfByte(crc: number, byte: number): number {
  return (crc >>> 8) ^ (CRC[(crc ^ byte) & 0xff] as number);
}
