import type { ChildProcess } from 'node:child_process';

/** What a process said last, in characters: those of long runs say much. */
const MAX_OUTPUT = 1 << 24;

export interface WatchedProcess {
  readonly process: ChildProcess;
  /** Of both of its streams, so far. */
  output(): string;
  /** Resolves with the exit code when it ends by itself, null after a signal. */
  readonly ended: Promise<number | null>;
  /** Sends `signal`, by default SIGTERM, and waits for the end; resolves as `ended`. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Keeps what a process says, and knows when it is over. */
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
