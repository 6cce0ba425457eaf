/**
 * The two checksums of ZooKeeper's files, as java.util.zip computes them: Adler-32 guards every
 * record of the log and seals a snapshot, CRC-32 feeds the tree digest. Both take a range of a
 * buffer and give an unsigned number; `seed` is an earlier result, so that a sum can run over
 * pieces. Plain loops: Node 20.12 has no zlib.crc32, and a call out of JavaScript costs more than
 * the checksum of a usual entry.
 */

const ADLER_BASE = 65521;
/** How many bytes may be summed before the second sum could leave 31 bits. */
const ADLER_BLOCK = 3800;

/** RFC 1950, section 8. */
export function adler32(bytes: Buffer, start: number, end: number, seed = 1): number {
  let a = seed & 0xffff;
  let b = seed >>> 16;
  let at = start;
  while (at < end) {
    const blockEnd = at + ADLER_BLOCK < end ? at + ADLER_BLOCK : end;
    // Eight bytes a turn: the weighted sum breaks the chain of additions that bytes one by one form.
    for (const last = blockEnd - 8; at <= last; at += 8) {
      const b0 = bytes[at] as number;
      const b1 = bytes[at + 1] as number;
      const b2 = bytes[at + 2] as number;
      const b3 = bytes[at + 3] as number;
      const b4 = bytes[at + 4] as number;
      const b5 = bytes[at + 5] as number;
      const b6 = bytes[at + 6] as number;
      const b7 = bytes[at + 7] as number;
      b = (b + 8 * a + 8 * b0 + 7 * b1 + 6 * b2 + 5 * b3 + 4 * b4 + 3 * b5 + 2 * b6 + b7) | 0;
      a = (a + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7) | 0;
    }
    for (; at < blockEnd; at++) {
      a = (a + (bytes[at] as number)) | 0;
      b = (b + a) | 0;
    }
    a %= ADLER_BASE;
    b %= ADLER_BASE;
  }
  return ((b << 16) | a) >>> 0;
}

const CRC_POLYNOMIAL = 0xedb88320;

/** Eight tables of 256: table k gives what a byte k places before the end adds to the sum. */
function crcTables(): Int32Array[] {
  const tables = Array.from({ length: 8 }, () => new Int32Array(256));
  const [first] = tables as [Int32Array];
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ CRC_POLYNOMIAL : crc >>> 1;
    first[byte] = crc;
  }
  for (let k = 1; k < 8; k++) {
    const before = tables[k - 1] as Int32Array;
    const table = tables[k] as Int32Array;
    for (let byte = 0; byte < 256; byte++) {
      const crc = before[byte] as number;
      table[byte] = (crc >>> 8) ^ (first[crc & 0xff] as number);
    }
  }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = crcTables() as [
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
  Int32Array,
];

/** CRC-32 of ISO 3309, eight bytes a turn. */
export function crc32(bytes: Buffer, start: number, end: number, seed = 0): number {
  let crc = ~seed;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    crc =
      (T7[(crc ^ (bytes[at] as number)) & 0xff] as number) ^
      (T6[((crc >>> 8) ^ (bytes[at + 1] as number)) & 0xff] as number) ^
      (T5[((crc >>> 16) ^ (bytes[at + 2] as number)) & 0xff] as number) ^
      (T4[(crc >>> 24) ^ (bytes[at + 3] as number)] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number);
  }
  for (; at < end; at++) {
    crc = (crc >>> 8) ^ (T0[(crc ^ (bytes[at] as number)) & 0xff] as number);
  }
  return ~crc >>> 0;
}
