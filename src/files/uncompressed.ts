import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { SnapshotFile } from './recovery.js';
import { SnappyReader } from './snappy.js';

/** The uncompressed bytes of a snapshot. A gunzip keeps its input, so `gz` needs own pieces. */
export function uncompressed(
  bytes: AsyncIterable<Buffer>,
  compression: SnapshotFile['compression'],
): AsyncIterable<Buffer> {
  if (compression === 'snappy') return unsnappied(bytes);
  return compression === 'gz' ? unzipped(bytes) : bytes;
}

async function* unsnappied(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new SnappyReader();
  for await (const piece of bytes) yield* reader.push(piece);
  reader.end();
}

/** An error on either side ends the other; the reader of the result gets the error. */
function unzipped(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(bytes), createGunzip(), () => undefined);
}
