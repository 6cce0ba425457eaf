import type { Job } from './calls/cli-world.js';
import { progressBar } from './calls/progress.js';

/**
 * Runs `work` with the signals and the terminal of this process. The first SIGINT or SIGTERM lets
 * it clean up, a second one ends it at once.
 */
export async function runJob(work: (job: Job) => Promise<number>): Promise<number> {
  const { stdout, stderr } = process;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // Nobody reads any more: going on would be work for nothing.
  stdout.once('error', interrupt);
  const progress = progressBar(stderr, () => performance.now());
  try {
    return await work({ signal: stop.signal, progress });
  } finally {
    progress.clear();
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
