import { join } from 'node:path';
import type { SnapshotFile } from '../../../files/recovery.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { uncompressed } from '../../../files/uncompressed.js';
import { faultOf, feedSnapshot } from '../../persistence/feed-snapshot.js';
import { Database } from '../../persistence/replay.js';
import { SnapshotSummer, type SnapshotSums } from '../../persistence/snapshot-sums.js';
import type { DataTreeOptions } from '../../tree/data-tree.js';
import { isForbidden, unusable } from './errors.js';
import type { FileSystem } from './file-system.js';
import type { ListedFile } from './folders.js';

const READ_SIZE = 1024 * 1024;
const MAX_REASON = 200;

interface SnapshotFolder {
  readonly fs: FileSystem;
  readonly snapFolder: string;
  /** In bytes. */
  readonly options: { readonly maxEntryLength: number };
}

/** Sums the znodes of snapshots of at least `fromBytes` on another thread. */
export interface Summing {
  readonly fromBytes: number;
  readonly run: (job: SumJob) => Promise<SnapshotSums>;
}

interface DatabaseFolder extends SnapshotFolder {
  readonly options: {
    readonly maxEntryLength: number;
    readonly tree: DataTreeOptions;
    readonly summing?: Summing | undefined;
    readonly onWarning: (message: string) => void;
  };
}

/** Receives the length of each piece of a file that was read. */
export type OnRead = (bytes: number) => void;

/** As listFiles finds it. */
export type ListedSnapshot = SnapshotFile & ListedFile;

/** Resolves to the database, or to why the snapshot is unusable. */
export async function loadDatabase(
  folder: DatabaseFolder,
  file: SnapshotFile,
  onRead?: OnRead,
): Promise<Database | string> {
  const { tree, summing } = folder.options;
  const isSummed = summing !== undefined && file.size >= summing.fromBytes;
  if (isSummed && tree.isDigestEnabled !== false) {
    const loaded = await loadOnTwoThreads(folder, file, summing, onRead);
    if (loaded !== undefined) return loaded;
  }
  const database = new Database(tree);
  const fault = await loadSnapshot(folder, database, file, onRead);
  if (fault !== undefined) return fault;
  database.finishSnapshot(file.zxid);
  return database;
}

/** Another thread computes the sums meanwhile. Resolves to undefined without its result. */
async function loadOnTwoThreads(
  folder: DatabaseFolder,
  file: SnapshotFile,
  { run }: Summing,
  onRead: OnRead | undefined,
): Promise<Database | string | undefined> {
  const { snapFolder, options } = folder;
  const { maxEntryLength, tree, onWarning } = options;
  const summing = run({ snapFolder, file, maxEntryLength }).catch((error: Error) => error);
  const database = new Database(tree);
  database.omitSums();
  const fault = await loadSnapshot(folder, database, file, onRead);
  const sums = await summing;
  if (fault !== undefined) return fault;
  if (sums instanceof Error) {
    const path = join(snapFolder, file.name);
    onWarning(`${path}: reading it again, because the thread that sums it failed: ${sums.message}`);
    return undefined;
  }
  database.finishSnapshot(file.zxid, sums);
  return database;
}

/**
 * Returns why the snapshot is unusable, or undefined.
 * @throws ServerError EDATA if the server may not read it
 */
export async function loadSnapshot(
  { fs, snapFolder, options }: SnapshotFolder,
  database: Database,
  file: SnapshotFile,
  onRead?: OnRead,
): Promise<string | undefined> {
  const reader = new SnapshotReader(options.maxEntryLength);
  try {
    return await feedPieces(database, reader, snapshotPieces(fs, snapFolder, file, onRead));
  } catch (error) {
    // It may be whole: an older one, or none, must not take its place.
    if (isForbidden(error)) {
      throw unusable(`${join(snapFolder, file.name)}: cannot read: ${error.message}`, error);
    }
    // The message quotes a damaged path with arbitrary content.
    const reason = JSON.stringify((error as Error).message.slice(0, MAX_REASON));
    return `at offset ${reader.offset}: ${reason}`;
  }
}

/** Plain data, so that it can go to another thread. */
export interface SumJob {
  readonly snapFolder: string;
  readonly file: SnapshotFile;
  /** In bytes. */
  readonly maxEntryLength: number;
}

/** The sums of the znodes of a snapshot. @throws Error for one that cannot be read */
export async function sumFile(fs: FileSystem, job: SumJob): Promise<SnapshotSums> {
  const summer = new SnapshotSummer(job.maxEntryLength);
  for await (const piece of snapshotPieces(fs, job.snapFolder, job.file)) summer.push(piece);
  return summer.end();
}

/** The uncompressed bytes of a snapshot. A piece is valid until the next one. */
export function snapshotPieces(
  fs: FileSystem,
  folder: string,
  { name, size, compression }: SnapshotFile,
  onRead?: OnRead,
): AsyncIterable<Buffer> {
  const bytes = readPieces(fs, join(folder, name), size, onRead);
  return uncompressed(compression === 'gz' ? copied(bytes) : bytes, compression);
}

/** A gunzip keeps its input. */
async function* copied(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** Reads the next piece while the caller parses one, into two memories in turn. */
async function* readPieces(
  fs: FileSystem,
  path: string,
  size: number,
  onRead?: OnRead,
): AsyncGenerator<Buffer> {
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
      onRead?.(length);
      ahead = read(1 - turn);
      yield (memory[turn] as Buffer).subarray(0, length);
    }
  } finally {
    await ahead.catch(() => undefined);
    await file.close();
  }
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
