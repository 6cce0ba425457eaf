import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { writeSnapshot } from '../../persistence/snapshot.js';
import type { SnapshotContent } from '../../persistence/snapshot-content.js';
import { sourceOf } from '../../persistence/snapshot-source.js';
import type { FileSystem } from './file-system.js';

export interface SnapshotFileOptions {
  /** snapshot.compression.method=gz */
  readonly isCompressed: boolean;
  /** serializeLastProcessedZxid.enabled: snapshots end in the zxid that the tree had reached. */
  readonly isLastZxidWritten: boolean;
  /** So many bytes of a snapshot are written in one turn, about. */
  readonly snapshotChunkSize?: number | undefined;
}

/**
 * Writes piece by piece, so that the server serves on; it is on the disk when this resolves. What
 * could not be written whole is removed: its space belongs to the log.
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
