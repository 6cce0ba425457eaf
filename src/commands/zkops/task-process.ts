import type { AskWord } from '../ensemble/ask.js';
import type { OpsTerminal } from '../terminal/ops-terminal.js';
import { progressBar } from './calls/progress.js';
import type { TaskGroup } from './calls/task.js';
import { runTask } from './task-cli.js';

/**
 * Runs a task with the streams and signals of this process. The first SIGINT or SIGTERM lets it
 * clean up behind itself, a second one ends it at once.
 */
export async function runTaskHere(
  group: TaskGroup,
  args: readonly string[],
  { ask, terminal }: { readonly ask: AskWord; readonly terminal: OpsTerminal },
): Promise<number> {
  const { stdout, stderr } = process;
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // Nobody reads any more: going on would be work for nothing.
  stdout.once('error', interrupt);
  try {
    return await runTask(group, args, {
      ask,
      now: () => new Date(),
      keyPassphrase: process.env['ZKOPS_KEY_PASSPHRASE'],
      writeOut: (text) => {
        if (stdout.write(text)) return undefined;
        return new Promise((resolve) => {
          stdout.once('drain', resolve);
          stdout.once('error', () => resolve());
        });
      },
      writeError: (text) => {
        stderr.write(text);
      },
      terminal,
      progress: progressBar(stderr, () => performance.now()),
      signal: stop.signal,
    });
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
