/**
 * Writes a snapshot from the last one and the log, without the tree, so another thread can do it.
 * The file is exact at its zxid. If its digest differs from the tree's at that zxid, it is refused,
 * and the caller writes a snapshot of the tree.
 */
import { join } from 'node:path';
import {
  logsAfter,
  logsAmong,
  ReplaySequence,
  type SnapshotFile,
  snapshotsAmong,
} from '../../../files/recovery.js';
import { writeSnapshot } from '../../../files/snapshot.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import { readTxn } from '../../../files/txn.js';
import { formatZxid } from '../../../protocol/zxid.js';
import { SnapshotChanges } from '../../persistence/snapshot-changes.js';
import { type MergeResult, SnapshotMerge } from '../../persistence/snapshot-merge.js';
import type { FileSystem } from './file-system.js';
import { listFiles } from './folders.js';
import { snapshotPieces } from './load-snapshot.js';
import { readSizeFor, scanLog } from './scan-log.js';
import { mayReuse, type SnapshotFileOptions, writeSnapshotFile } from './snapshot-file.js';

/** Plain data, so that it can go to another thread. */
export interface CompactionJob extends SnapshotFileOptions, MergeResult {
  readonly snapFolder: string;
  /** Has every txn up to `zxid` on the disk. */
  readonly logFolder: string;
  readonly path: string;
  /** Longest entry in bytes. */
  readonly maxEntryLength: number;
}

/** The bytes of log since the last snapshot. */
export async function logBytesToCompact({
  fs,
  snapFolder,
  logFolder,
}: Pick<CompactionJob, 'snapFolder' | 'logFolder'> & { fs: FileSystem }): Promise<number> {
  const [base] = snapshotsAmong(await listFiles(fs, snapFolder));
  const logs = logsAfter(logsAmong(await listFiles(fs, logFolder)), base?.zxid ?? 0n);
  return logs.reduce((sum, { size }) => sum + size, 0);
}

/** @throws Error when the files do not lead to the tree of the job */
export async function compactSnapshot(fs: FileSystem, job: CompactionJob): Promise<void> {
  const [base] = snapshotsAmong(await listFiles(fs, job.snapFolder));
  if (base === undefined || base.zxid >= job.zxid) {
    throw new Error('no older snapshot to begin with');
  }
  const changes = await readChanges(fs, job, base.zxid);
  const chunks = compacted(fs, job, base, changes);
  await writeSnapshotFile(fs, job.path, chunks, job.compression);
}

async function readChanges(
  fs: FileSystem,
  { logFolder, zxid: until, maxEntryLength }: CompactionJob,
  after: bigint,
): Promise<SnapshotChanges> {
  const changes = new SnapshotChanges();
  const sequence = new ReplaySequence(after);
  for (const { name, size } of logsAfter(logsAmong(await listFiles(fs, logFolder)), after)) {
    if (sequence.lastZxid === until) break;
    const file = await fs.open(join(logFolder, name), 'read');
    try {
      const take = ({ zxid, entry }: { zxid: bigint; entry: Buffer }): boolean => {
        const step = sequence.next(zxid);
        if (step.kind === 'gap') throw new Error(`${name}: ${step.reason}`);
        if (step.kind === 'apply') {
          const { head, txn } = readTxn(entry);
          changes.apply(head, txn);
        }
        return sequence.lastZxid < until;
      };
      await scanLog(file, maxEntryLength, take, readSizeFor(size));
    } finally {
      await file.close();
    }
  }
  if (sequence.lastZxid === until) return changes;
  throw new Error(`the log ends at zxid ${formatZxid(sequence.lastZxid)}`);
}

/** Yields the file in chunks, and reads the old one as needed. */
async function* compacted(
  fs: FileSystem,
  job: CompactionJob,
  base: SnapshotFile,
  changes: SnapshotChanges,
): AsyncGenerator<Buffer> {
  const reader = new SnapshotReader(job.maxEntryLength);
  const merge = new SnapshotMerge(job, reader, changes);
  const pieces = snapshotPieces(fs, job.snapFolder, base)[Symbol.asyncIterator]();
  try {
    for (const chunk of writeSnapshot(merge, job.snapshotChunkSize, mayReuse(job.compression))) {
      if (chunk.length > 0) yield chunk;
      if (!merge.needsInput) continue;
      const { value, done } = await pieces.next();
      if (done === true) reader.end();
      else reader.push(value);
    }
  } finally {
    await pieces.return?.();
  }
}
