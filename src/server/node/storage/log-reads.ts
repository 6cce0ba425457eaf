/** Reads the log for learners, after all that was requested of the disk before. */
import { setTimeout as delay } from 'node:timers/promises';
import type { LogPlace, LogRange, LogTail } from '../../../files/recovery.js';
import { OutputArchive } from '../../../jute/output-archive.js';
import { PacketType, writePacket } from '../../quorum/wire/quorum-packet.js';
import type { DataDir } from './data-dir.js';
import { type ReadEnd, readTxns, searchLogs } from './stored-txns.js';

/** Before the first txn, much may have to be read, and a learner closes a link that is silent. */
const PING_MS = 100;
/** As many learners read on where they ended. */
const MAX_ENDS = 16;

export interface LogReadsOptions {
  readonly dir: DataDir;
  /** Resolves when earlier requests are on the disk; false if a write has failed. */
  readonly untilSettled: () => Promise<boolean>;
  readonly onWarning: (message: string) => void;
}

export class LogReads {
  private readonly options: LogReadsOptions;
  /**
   * By zxid: where readers ended. A learner reads again and again until memory has the rest; from
   * the beginning of the file each time, it would never catch up with many writes.
   */
  private readonly ends = new Map<bigint, ReadEnd>();

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
    const packets = this.settledTxns(tail);
    for (;;) {
      const next = yield* withPings(packets.next());
      if (next.done) {
        // A pass that read nothing may have begun at a wrong place.
        if (next.value.zxid > tail.after) this.keep(next.value);
        onEnd(next.value.zxid);
        return;
      }
      yield next.value;
    }
  }

  private async *settledTxns(tail: LogTail): AsyncGenerator<Buffer, ReadEnd, undefined> {
    await this.options.untilSettled();
    const from = this.ends.get(tail.after);
    this.ends.delete(tail.after);
    return yield* readTxns(this.options.dir, tail, from);
  }

  private keep(end: ReadEnd): void {
    this.ends.set(end.zxid, end);
    const [oldest] = this.ends.keys();
    if (this.ends.size > MAX_ENDS && oldest !== undefined) this.ends.delete(oldest);
  }

  /** The log was cut or replaced. */
  forgetEnds(): void {
    this.ends.clear();
  }
}

/** Yields a PING from time to time until the promise is settled. */
async function* withPings<Value>(
  awaited: Promise<Value>,
): AsyncGenerator<Buffer, Value, undefined> {
  const out = new OutputArchive(64);
  const settled = new AbortController();
  const end = (): void => settled.abort();
  awaited.then(end, end);
  for (;;) {
    await delay(PING_MS, undefined, { signal: settled.signal }).catch(() => undefined);
    if (settled.signal.aborted) return awaited;
    writePacket(out, PacketType.PING, 0n);
    yield out.take();
  }
}
