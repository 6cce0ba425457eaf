import type { SnapshotEnd } from '../../../files/recovery.js';
import { SnapshotReader } from '../../../files/snapshot-reader.js';
import type { FileSystem } from './file-system.js';
import { type SumJob, snapshotPieces } from './load-snapshot.js';

/** Checks snapshots of at least `fromBytes` on another thread. */
export interface Checking {
  readonly fromBytes: number;
  readonly run: (job: SumJob, signal: AbortSignal) => Promise<SnapshotEnd>;
}

/**
 * Reads a whole snapshot without making a tree of it.
 * @throws Error for a damaged one, or when `signal` aborts
 */
export async function checkSnapshot(
  fs: FileSystem,
  { snapFolder, file, maxEntryLength }: SumJob,
  signal?: AbortSignal,
): Promise<SnapshotEnd> {
  const check = new SnapshotCheck(maxEntryLength);
  for await (const piece of snapshotPieces(fs, snapFolder, file)) {
    signal?.throwIfAborted();
    check.push(piece);
  }
  return check.end();
}

class SnapshotCheck {
  private readonly reader: SnapshotReader;
  private sealed: SnapshotEnd['sealed'] = null;
  private reachedZxid: bigint | null = null;

  constructor(maxEntryLength: number) {
    this.reader = new SnapshotReader(maxEntryLength);
  }

  push(piece: Buffer): void {
    this.reader.push(piece);
    this.read();
  }

  end(): SnapshotEnd {
    this.reader.end();
    this.read();
    return { sealed: this.sealed, reachedZxid: this.reachedZxid };
  }

  private read(): void {
    const { reader } = this;
    for (;;) {
      while (reader.skipNode());
      const item = reader.next();
      if (item.kind === 'need-more' || item.kind === 'end') return;
      if (item.kind === 'invalid') throw new Error(`at offset ${item.offset}: ${item.reason}`);
      if (item.kind === 'digest') this.sealed = { zxid: item.zxid };
      if (item.kind === 'lastProcessedZxid') this.reachedZxid = item.zxid;
    }
  }
}
