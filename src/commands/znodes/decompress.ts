import { loadZlib } from '../../base/load-on-demand.js';
import { SNAPPY_HEADER, SnappyReader } from '../../files/snappy.js';

export interface Decompressed {
  readonly data: Buffer;
  readonly format: 'gzip' | 'zlib' | 'zstd' | 'snappy';
}

/** In bytes: a small value may decompress to gigabytes. */
const MAX_LENGTH = 64 * 1024 * 1024;
const ZSTD = 0xfd2fb528;
/** The first bytes of the streams of snappy-java; a bare block of snappy has none. */
const SNAPPY = SNAPPY_HEADER.subarray(0, 8);

/** Undefined for other formats, damaged bytes, and results longer than the limit in bytes. */
export function decompress(data: Buffer, maxLength = MAX_LENGTH): Decompressed | undefined {
  const format = compressionOf(data);
  if (format === undefined) return undefined;
  if (format === 'snappy') return unsnappied(data, maxLength);
  const zlib = loadZlib();
  const limit = { maxOutputLength: maxLength };
  try {
    if (format === 'gzip') return { format, data: zlib.gunzipSync(data, limit) };
    if (format === 'zlib') return { format, data: zlib.inflateSync(data, limit) };
    // Node.js has it from 22.15 on.
    if (!('zstdDecompressSync' in zlib)) return undefined;
    const { zstdDecompressSync: read } = zlib as { zstdDecompressSync: typeof zlib.gunzipSync };
    return { format, data: read(data, limit) };
  } catch {
    return undefined;
  }
}

function unsnappied(data: Buffer, maxLength: number): Decompressed | undefined {
  const reader = new SnappyReader();
  const blocks: Buffer[] = [];
  let length = 0;
  try {
    for (const block of reader.push(data)) {
      length += block.length;
      if (length > maxLength) return undefined;
      blocks.push(block);
    }
    reader.end();
  } catch {
    return undefined;
  }
  return { format: 'snappy', data: Buffer.concat(blocks) };
}

/** By its first bytes; undefined for others. */
export function compressionOf(data: Buffer): Decompressed['format'] | undefined {
  if (data.length < 6) return undefined;
  const start = data.readUInt16BE(0);
  if (start === 0x1f8b) return 'gzip';
  if (data.readUInt32LE(0) === ZSTD) return 'zstd';
  if (data.subarray(0, SNAPPY.length).equals(SNAPPY)) return 'snappy';
  // RFC 1950: deflate with a window of 32 KiB, and a checksum in the first two bytes.
  return data[0] === 0x78 && start % 31 === 0 ? 'zlib' : undefined;
}
