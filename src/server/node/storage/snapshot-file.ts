import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { SnapshotCompression } from '../../../files/file-names.js';
import { packChunk, SNAPPY_HEADER } from '../../../files/snappy.js';
import type { FileSystem } from './file-system.js';

export interface SnapshotFileOptions {
  /** snapshot.compression.method */
  readonly compression: SnapshotCompression;
  /** serializeLastProcessedZxid.enabled */
  readonly isLastZxidWritten: boolean;
  /** Approximate bytes to write in one turn. */
  readonly snapshotChunkSize?: number | undefined;
}

/** On a slow disk, a sync of a whole tree would take minutes, and nothing can end a sync early. */
const SYNCED_BYTES = 16 * 1024 * 1024;

/** Whether the memory of a chunk may change once the next is asked for: a gzip keeps its input. */
export function mayReuse(compression: SnapshotCompression): boolean {
  return compression !== 'gz';
}

/**
 * Writes in pieces, so that the server keeps serving; durable when it resolves. Removes an
 * incomplete file, because the log needs the space.
 * @param chunks the file before compression; see `mayReuse`
 * @throws Error when `signal` aborts
 */
export async function writeSnapshotFile(
  fs: FileSystem,
  path: string,
  chunks: Chunks,
  compression: SnapshotCompression,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await writePieces(fs, path, compressed(chunks, compression), signal);
  } catch (error) {
    await fs.unlink(path).catch(() => undefined);
    throw error;
  }
}

async function writePieces(
  fs: FileSystem,
  path: string,
  chunks: Chunks,
  signal: AbortSignal | undefined,
): Promise<void> {
  const file = await fs.open(path, 'replace');
  try {
    let position = 0;
    let synced = 0;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      await file.write([chunk], position);
      position += chunk.length;
      if (position - synced < SYNCED_BYTES) continue;
      await file.datasync();
      synced = position;
    }
    signal?.throwIfAborted();
    await file.sync();
  } finally {
    await file.close();
  }
}

type Chunks = Iterable<Buffer> | AsyncIterable<Buffer>;

function compressed(chunks: Chunks, compression: SnapshotCompression): Chunks {
  // An error on either side ends the other, and reaches the reader of the result only.
  if (compression === 'gz') return pipeline(Readable.from(chunks), createGzip(), () => undefined);
  return compression === 'snappy' ? snappied(chunks) : chunks;
}

async function* snappied(chunks: Chunks): AsyncGenerator<Buffer> {
  yield SNAPPY_HEADER;
  for await (const chunk of chunks) yield packChunk(chunk);
}
