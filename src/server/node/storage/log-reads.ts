/** Reads the log for learners, after all that was requested of the disk before. */
import type { LogPlace, LogRange, LogTail } from '../../persistence/log-search.js';
import type { DataDir } from './data-dir.js';
import { readTxns, searchLogs } from './stored-txns.js';

export interface LogReadsOptions {
  readonly dir: DataDir;
  /** Resolves when earlier requests are on the disk; false if a write has failed. */
  readonly untilSettled: () => Promise<boolean>;
  readonly onWarning: (message: string) => void;
}

export class LogReads {
  private readonly options: LogReadsOptions;

  constructor(options: LogReadsOptions) {
    this.options = options;
  }

  /** `onDone` gets where a learner's history leaves the log's; null if the log is unusable. */
  search(range: LogRange, sizeFactor: number, onDone: (place: LogPlace | null) => void): void {
    this.find(range, sizeFactor).then(onDone, (error: Error) => {
      this.options.onWarning(`cannot search the log for a learner: ${error.message}`);
      onDone(null);
    });
  }

  private async find(range: LogRange, sizeFactor: number): Promise<LogPlace | null> {
    if (!(await this.options.untilSettled())) return null;
    return await searchLogs(this.options.dir, range, sizeFactor);
  }

  /** @param onEnd gets the last zxid, after everything else was taken */
  async *txns(tail: LogTail, onEnd: (zxid: bigint) => void): AsyncGenerator<Buffer> {
    await this.options.untilSettled();
    onEnd(yield* readTxns(this.options.dir, tail));
  }
}
