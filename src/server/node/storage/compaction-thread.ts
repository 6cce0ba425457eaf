/** Runs a compaction on another thread, so that the server keeps serving. */
import { Worker } from 'node:worker_threads';
import type { CompactionJob } from './compact-snapshot.js';

/** @throws Error as compactSnapshot does, or if the thread cannot run */
export function compactOnThread(job: CompactionJob): Promise<void> {
  const extension = import.meta.url.endsWith('.cjs') ? 'cjs' : 'js';
  const url = new URL(`./compaction-worker.${extension}`, import.meta.url);
  return new Promise((resolve, reject) => {
    const worker = new Worker(url, { workerData: job });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`its thread ended with ${code}`));
    });
  });
}
