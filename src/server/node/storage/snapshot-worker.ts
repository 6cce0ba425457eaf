/** The thread of snapshot-thread.ts. An error ends it, and reaches the thread that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import { type CompactionJob, compactSnapshot } from './compact-snapshot.js';
import { NODE_FILES } from './file-system.js';
import { type SumJob, sumFile } from './load-snapshot.js';
import type { SnapshotWork } from './snapshot-thread.js';

const work = workerData as SnapshotWork;
const done = work.kind === 'compact' ? compact(work.job) : sum(work.job);
done.catch((error: unknown) => {
  throw error;
});

function compact(job: CompactionJob): Promise<void> {
  // A buffer loses its class on the way.
  const reserved = job.reserved.map((node) => ({ ...node, stat: asBuffer(node.stat) }));
  return compactSnapshot(NODE_FILES, { ...job, reserved });
}

async function sum(job: SumJob): Promise<void> {
  const { count, words } = await sumFile(NODE_FILES, job);
  parentPort?.postMessage({ count, words }, [words.buffer as ArrayBuffer]);
}

function asBuffer<T>(stat: T): T | Buffer {
  return stat instanceof Uint8Array ? Buffer.from(stat) : stat;
}
