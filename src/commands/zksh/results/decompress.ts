import { createRequire } from 'node:module';

export interface Decompressed {
  readonly data: Buffer;
  readonly format: 'gzip' | 'zlib' | 'zstd';
}

/** A small value may decompress to gigabytes. */
const MAX_LENGTH = 64 * 1024 * 1024;
const ZSTD = 0xfd2fb528;

/** Undefined for other formats and damaged bytes. */
export function decompress(data: Buffer): Decompressed | undefined {
  const format = formatOf(data);
  if (format === undefined) return undefined;
  // Loading zlib takes milliseconds, so other values do not load it.
  const zlib: typeof import('node:zlib') = createRequire(import.meta.url)('node:zlib');
  const limit = { maxOutputLength: MAX_LENGTH };
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

function formatOf(data: Buffer): Decompressed['format'] | undefined {
  if (data.length < 6) return undefined;
  const start = data.readUInt16BE(0);
  if (start === 0x1f8b) return 'gzip';
  if (data.readUInt32LE(0) === ZSTD) return 'zstd';
  // RFC 1950: deflate with a window of 32 KiB, and a checksum in the first two bytes.
  return data[0] === 0x78 && start % 31 === 0 ? 'zlib' : undefined;
}
