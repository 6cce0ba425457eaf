import { canDraw } from '../terminal/ops-terminal.js';
import { ProgressLine } from '../terminal/progress-line.js';
import type { Job } from './calls/cli-world.js';

/**
 * The first SIGINT or SIGTERM, or output that nobody takes, aborts `work`, which cleans up. The
 * second signal kills the process.
 */
export async function runJob(
  work: (job: Job) => Promise<number>,
  outputEnded: AbortSignal,
): Promise<number> {
  const { stderr } = process;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  outputEnded.addEventListener('abort', interrupt);
  const isDrawn = stderr.isTTY && canDraw(process.env);
  const line = isDrawn ? new ProgressLine(stderr, () => performance.now(), 500) : undefined;
  const progress = (done: string, count: number, total: number) =>
    line?.show({ done, count, total, isShare: true });
  try {
    return await work({ signal: stop.signal, progress, clearProgress: () => line?.clear() });
  } finally {
    line?.clear();
    outputEnded.removeEventListener('abort', interrupt);
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
