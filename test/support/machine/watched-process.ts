import type { ChildProcess } from 'node:child_process';

/** The number of characters of output to keep, because long runs print much. */
const MAX_OUTPUT = 1 << 24;

export interface WatchedProcess {
  readonly process: ChildProcess;
  /** The output of both streams so far. */
  output(): string;
  /** Resolves with the exit code when it ends by itself, or with null after a signal. */
  readonly ended: Promise<number | null>;
  /** Sends `signal`, by default SIGTERM, and waits for the end. Resolves as `ended` does. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Collects the output of a process and reports its end. */
export function watchProcess(child: ChildProcess): WatchedProcess {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-MAX_OUTPUT);
    });
  }
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return {
    process: child,
    output: () => output,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
