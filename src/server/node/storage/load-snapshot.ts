import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import type { SnapshotFile } from '../../persistence/recovery.js';
import type { Database } from '../../persistence/replay.js';
import { SnappyReader } from '../../persistence/snappy.js';
import { SnapshotReader } from '../../persistence/snapshot-reader.js';
import type { FileSystem } from './file-system.js';

const READ_SIZE = 1024 * 1024;
const MAX_REASON = 200;

interface SnapshotFolder {
  readonly fs: FileSystem;
  readonly snapFolder: string;
  /** In bytes. */
  readonly options: { readonly maxEntryLength: number };
}

/** Returns why the snapshot is unusable, or undefined. */
export async function loadSnapshot(
  { fs, snapFolder, options }: SnapshotFolder,
  database: Database,
  file: SnapshotFile,
): Promise<string | undefined> {
  const reader = new SnapshotReader(options.maxEntryLength);
  try {
    for await (const piece of snapshotPieces(fs, snapFolder, file)) {
      reader.push(piece);
      const fault = faultOf(feedSnapshot(database, reader));
      if (fault !== undefined) return fault;
    }
  } catch (error) {
    // The message quotes a damaged path with arbitrary content.
    const reason = JSON.stringify((error as Error).message.slice(0, MAX_REASON));
    return `at offset ${reader.offset}: ${reason}`;
  }
  reader.end();
  return faultOf(feedSnapshot(database, reader));
}

/** The uncompressed bytes of a snapshot. */
export function snapshotPieces(
  fs: FileSystem,
  folder: string,
  { name, size, compression }: SnapshotFile,
): AsyncIterable<Buffer> {
  const bytes = readPieces(fs, join(folder, name), size);
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

async function* readPieces(fs: FileSystem, path: string, size: number): AsyncGenerator<Buffer> {
  const file = await fs.open(path, 'read');
  try {
    for (let position = 0; ; ) {
      // A gunzip keeps its input, so each piece needs separate memory.
      const piece = Buffer.allocUnsafe(Math.max(1, Math.min(READ_SIZE, size - position)));
      const length = await file.read(piece, position);
      if (length === 0) return;
      position += length;
      yield piece.subarray(0, length);
    }
  } finally {
    await file.close();
  }
}
