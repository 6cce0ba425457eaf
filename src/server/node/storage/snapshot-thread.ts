/** Works on snapshots on another thread, so that the server keeps serving or loading. */
import { Worker } from 'node:worker_threads';
import type { SnapshotEnd } from '../../../files/recovery.js';
import type { SnapshotSums } from '../../persistence/snapshot-sums.js';
import type { CompactionJob } from './compact-snapshot.js';
import type { SumJob } from './load-snapshot.js';

export type SnapshotWork =
  | { readonly kind: 'compact'; readonly job: CompactionJob }
  | { readonly kind: 'check'; readonly job: SumJob }
  | { readonly kind: 'sum'; readonly job: SumJob };

/** @throws Error as compactSnapshot does, if the thread cannot run, or when `signal` aborts */
export async function compactOnThread(job: CompactionJob, signal: AbortSignal): Promise<void> {
  await runOnThread({ kind: 'compact', job }, signal);
}

/** @throws Error as checkSnapshot does, if the thread cannot run, or when `signal` aborts */
export async function checkOnThread(job: SumJob, signal: AbortSignal): Promise<SnapshotEnd> {
  const [end] = await runOnThread({ kind: 'check', job }, signal);
  return end as SnapshotEnd;
}

/** @throws Error as sumFile does, or if the thread cannot run */
export async function sumOnThread(job: SumJob): Promise<SnapshotSums> {
  const [sums] = await runOnThread({ kind: 'sum', job });
  return sums as SnapshotSums;
}

/** Resolves to the messages of the thread, at its end. */
async function runOnThread(work: SnapshotWork, signal?: AbortSignal): Promise<readonly unknown[]> {
  signal?.throwIfAborted();
  const extension = import.meta.url.endsWith('.cjs') ? 'cjs' : 'js';
  const url = new URL(`./snapshot-worker.${extension}`, import.meta.url);
  const messages: unknown[] = [];
  const worker = new Worker(url, { workerData: work });
  const end = (): void => {
    worker.terminate();
  };
  signal?.addEventListener('abort', end);
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', (message) => messages.push(message));
      worker.once('error', reject);
      worker.once('exit', (code) => {
        if (code === 0) resolve(messages);
        else reject(new Error(`its thread ended with ${code}`));
      });
    });
  } finally {
    signal?.removeEventListener('abort', end);
    signal?.throwIfAborted();
  }
}
