/** Works on snapshots on another thread, so that the server keeps serving or loading. */
import { Worker } from 'node:worker_threads';
import type { SnapshotSums } from '../../persistence/snapshot-sums.js';
import type { CompactionJob } from './compact-snapshot.js';
import type { SumJob } from './load-snapshot.js';

export type SnapshotWork =
  | { readonly kind: 'compact'; readonly job: CompactionJob }
  | { readonly kind: 'sum'; readonly job: SumJob };

/** @throws Error as compactSnapshot does, or if the thread cannot run */
export async function compactOnThread(job: CompactionJob): Promise<void> {
  await runOnThread({ kind: 'compact', job });
}

/** @throws Error as sumFile does, or if the thread cannot run */
export async function sumOnThread(job: SumJob): Promise<SnapshotSums> {
  const [sums] = await runOnThread({ kind: 'sum', job });
  return sums as SnapshotSums;
}

/** Resolves to the messages of the thread, at its end. */
function runOnThread(work: SnapshotWork): Promise<readonly unknown[]> {
  const extension = import.meta.url.endsWith('.cjs') ? 'cjs' : 'js';
  const url = new URL(`./snapshot-worker.${extension}`, import.meta.url);
  return new Promise((resolve, reject) => {
    const messages: unknown[] = [];
    const worker = new Worker(url, { workerData: work });
    worker.on('message', (message) => messages.push(message));
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve(messages);
      else reject(new Error(`its thread ended with ${code}`));
    });
  });
}
