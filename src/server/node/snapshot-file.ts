import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { writeSnapshot } from '../persistence/snapshot.js';
import { sourceOf } from '../persistence/snapshot-source.js';
import type { SnapshotContent } from '../snapshot-content.js';

export interface SnapshotFileOptions {
  /** snapshot.compression.method=gz */
  readonly isCompressed: boolean;
  /** serializeLastProcessedZxid.enabled: snapshots end in the zxid that the tree had reached. */
  readonly isLastZxidWritten: boolean;
}

/** Writes piece by piece, so that the server serves on; it is on the disk when this resolves. */
export async function writeSnapshotFile(
  path: string,
  content: SnapshotContent,
  { isCompressed, isLastZxidWritten }: SnapshotFileOptions,
): Promise<void> {
  const handle = await open(path, 'w', 0o644);
  try {
    const chunks = Readable.from(writeSnapshot(sourceOf(content, isLastZxidWritten)));
    const stream = isCompressed ? chunks.compose(createGzip()) : chunks;
    for await (const chunk of stream) await handle.writeFile(chunk as Buffer);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
