/** The thread of snapshot-thread.ts. An error ends it, and reaches the thread that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkSnapshot } from './check-snapshot.js';
import { type CompactionJob, compactSnapshot } from './compact-snapshot.js';
import { NODE_FILES } from './file-system.js';
import { type SumJob, sumFile } from './load-snapshot.js';
import type { SnapshotWork } from './snapshot-thread.js';

const work = workerData as SnapshotWork;
run(work).catch((error: unknown) => {
  throw error;
});

function run({ kind, job }: SnapshotWork): Promise<void> {
  switch (kind) {
    case 'compact':
      return compact(job);
    case 'check':
      return checkSnapshot(NODE_FILES, job).then((end) => parentPort?.postMessage(end));
    case 'sum':
      return sum(job);
  }
}

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
