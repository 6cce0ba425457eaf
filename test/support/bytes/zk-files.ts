import { deflateSync, gzipSync } from 'node:zlib';
import { ByteBuilder } from './byte-builder.js';

export { ByteBuilder };

/** zlib's own Adler-32: the last four bytes of a zlib stream. */
export function zlibAdler32(bytes: Uint8Array): number {
  return deflateSync(bytes).subarray(-4).readUInt32BE();
}

/** zlib's own CRC-32: only the length follows it in a gzip stream. */
export function zlibCrc32(bytes: Uint8Array): number {
  return gzipSync(bytes).subarray(-8, -4).readUInt32LE();
}

export interface TxnParts {
  readonly zxid: bigint;
  readonly type: number;
  readonly body: Uint8Array;
  readonly clientId?: bigint;
  readonly cxid?: number;
  readonly time?: bigint;
}

/** An entry of the log: TxnHeader and body. */
export function buildEntry({ zxid, type, body, ...rest }: TxnParts): Buffer {
  return new ByteBuilder()
    .long(rest.clientId ?? 0x1000n)
    .int(rest.cxid ?? 1)
    .long(zxid)
    .long(rest.time ?? 1_700_000_000_000n)
    .int(type)
    .bytes(body)
    .build();
}

export function buildLogHeader(): Buffer {
  return new ByteBuilder().bytes(Buffer.from('ZKLG')).int(2).long(0n).build();
}

/** An entry with checksum, length, and 'B'. */
export function buildRecord(entry: Buffer): Buffer {
  return new ByteBuilder()
    .long(BigInt(zlibAdler32(entry)))
    .int(entry.length)
    .bytes(entry)
    .bytes(Buffer.from('B'))
    .build();
}

/** A whole log, followed by `padding` zeros. */
export function buildLog(entries: readonly Buffer[], padding = 0): Buffer {
  return Buffer.concat([buildLogHeader(), ...entries.map(buildRecord), Buffer.alloc(padding)]);
}

/** setData of `path`, the most frequent entry of logs. */
export function setDataEntry(zxid: bigint, path: string, data: Uint8Array): Buffer {
  const body = new ByteBuilder().string(path).buffer(data).int(1).build();
  return buildEntry({ zxid, type: 5, body });
}

/** A seal: the Adler-32 of all bytes before it, and "/". */
export function sealed(bytes: Buffer): Buffer {
  const seal = new ByteBuilder()
    .long(BigInt(zlibAdler32(bytes)))
    .string('/')
    .build();
  return Buffer.concat([bytes, seal]);
}
