import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import type { SnapshotFile } from '../../persistence/recovery.js';
import type { Database } from '../../persistence/replay.js';
import { SnappyReader } from '../../persistence/snappy.js';
import type { SnapshotReader } from '../../persistence/snapshot-reader.js';

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

/** Fills a database. @returns why the snapshot is unusable, or undefined. Throws as `pieces` do. */
export async function feedPieces(
  database: Database,
  reader: SnapshotReader,
  pieces: AsyncIterable<Buffer>,
): Promise<string | undefined> {
  for await (const piece of pieces) {
    reader.push(piece);
    const fault = faultOf(feedSnapshot(database, reader));
    if (fault !== undefined) return fault;
  }
  reader.end();
  return faultOf(feedSnapshot(database, reader));
}
