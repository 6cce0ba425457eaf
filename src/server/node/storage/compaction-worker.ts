/** The thread of a compaction. An error ends it, and reaches the thread that started it. */
import { workerData } from 'node:worker_threads';
import { type CompactionJob, compactSnapshot } from './compact-snapshot.js';
import { NODE_FILES } from './file-system.js';

const job = workerData as CompactionJob;
// A buffer loses its class on the way.
const reserved = job.reserved.map((node) => ({ ...node, stat: asBuffer(node.stat) }));
compactSnapshot(NODE_FILES, { ...job, reserved }).catch((error: unknown) => {
  throw error;
});

function asBuffer<T>(stat: T): T | Buffer {
  return stat instanceof Uint8Array ? Buffer.from(stat) : stat;
}
