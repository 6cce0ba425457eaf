import { join } from 'node:path';
import type { SnapshotFile } from '../../persistence/recovery.js';
import type { Database } from '../../persistence/replay.js';
import { SnapshotReader } from '../../persistence/snapshot-reader.js';
import type { FileSystem } from './file-system.js';
import { feedPieces, uncompressed } from './snapshot-bytes.js';

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
    return await feedPieces(database, reader, snapshotPieces(fs, snapFolder, file));
  } catch (error) {
    // The message quotes a damaged path with arbitrary content.
    const reason = JSON.stringify((error as Error).message.slice(0, MAX_REASON));
    return `at offset ${reader.offset}: ${reason}`;
  }
}

/** The uncompressed bytes of a snapshot. A piece is valid until the next one. */
export function snapshotPieces(
  fs: FileSystem,
  folder: string,
  { name, size, compression }: SnapshotFile,
): AsyncIterable<Buffer> {
  const bytes = readPieces(fs, join(folder, name), size);
  return uncompressed(compression === 'gz' ? copied(bytes) : bytes, compression);
}

/** A gunzip keeps its input. */
async function* copied(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** Reads the next piece while the caller parses one, into two memories in turn. */
async function* readPieces(fs: FileSystem, path: string, size: number): AsyncGenerator<Buffer> {
  const file = await fs.open(path, 'read');
  const memory = [0, 1].map(() => Buffer.allocUnsafe(Math.max(1, Math.min(READ_SIZE, size))));
  let position = 0;
  const read = (turn: number) => {
    const reading = file.read(memory[turn] as Buffer, position);
    // The caller may be parsing when it fails, and learns of it with the next piece.
    reading.catch(() => undefined);
    return reading;
  };
  let ahead = read(0);
  try {
    for (let turn = 0; ; turn = 1 - turn) {
      const length = await ahead;
      if (length === 0) return;
      position += length;
      ahead = read(1 - turn);
      yield (memory[turn] as Buffer).subarray(0, length);
    }
  } finally {
    await ahead.catch(() => undefined);
    await file.close();
  }
}
