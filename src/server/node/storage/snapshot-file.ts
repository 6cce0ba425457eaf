import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { writeSnapshot } from '../../persistence/snapshot.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import { sourceOf } from '../../persistence/snapshot-source.js';
import type { FileSystem } from './file-system.js';

export interface SnapshotFileOptions {
  /** snapshot.compression.method=gz */
  readonly isCompressed: boolean;
  /** serializeLastProcessedZxid.enabled: snapshots end with the last zxid of the tree. */
  readonly isLastZxidWritten: boolean;
  /** Approximate number of bytes of a snapshot to write in one turn. */
  readonly snapshotChunkSize?: number | undefined;
}

/**
 * Writes in pieces, so that the server keeps serving; it is durable when this resolves. Removes an
 * incomplete file, because the log needs the space.
 */
export async function writeSnapshotFile(
  fs: FileSystem,
  path: string,
  content: SnapshotContent,
  options: SnapshotFileOptions,
): Promise<void> {
  try {
    await writePieces(fs, path, content, options);
  } catch (error) {
    await fs.unlink(path).catch(() => undefined);
    throw error;
  }
}

async function writePieces(
  fs: FileSystem,
  path: string,
  content: SnapshotContent,
  { isCompressed, isLastZxidWritten, snapshotChunkSize }: SnapshotFileOptions,
): Promise<void> {
  const file = await fs.open(path, 'replace', { mode: 0o644 });
  try {
    const chunks = writeSnapshot(sourceOf(content, isLastZxidWritten), snapshotChunkSize);
    const stream = isCompressed ? Readable.from(chunks).compose(createGzip()) : chunks;
    let position = 0;
    for await (const chunk of stream) {
      const bytes = chunk as Buffer;
      await file.write([bytes], position);
      position += bytes.length;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
