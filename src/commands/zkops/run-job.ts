import { canDraw } from '../terminal/ops-terminal.js';
import { ProgressLine } from '../terminal/progress-line.js';
import type { Job } from './calls/cli-world.js';

/** The first SIGINT or SIGTERM aborts `work`, which cleans up. The second kills the process. */
export async function runJob(work: (job: Job) => Promise<number>): Promise<number> {
  const { stdout, stderr } = process;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // The reader of the output has left: stop.
  stdout.once('error', interrupt);
  const isDrawn = stderr.isTTY && canDraw(process.env);
  const line = isDrawn ? new ProgressLine(stderr, () => performance.now(), 500) : undefined;
  const progress = (done: string, count: number, total: number) =>
    line?.show({ done, count, total, isShare: true });
  try {
    return await work({ signal: stop.signal, progress, clearProgress: () => line?.clear() });
  } finally {
    line?.clear();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
