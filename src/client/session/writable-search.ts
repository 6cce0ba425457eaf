import { setTimeout as pause } from 'node:timers/promises';
import type { ServerAddress } from '../base/connect-string.js';
import { askWord } from '../base/four-letter.js';
import type { TlsOptions } from '../base/tls.js';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 60_000;
const ANSWER_MS = 1000;

/** Asks the other servers for their mode (isro), one by one, with the pauses of ClientCnxn. */
export class WritableSearch {
  private readonly tls: TlsOptions | undefined;
  private readonly found: (server: ServerAddress) => void;
  private running: AbortController | undefined;

  constructor(tls: TlsOptions | undefined, found: (server: ServerAddress) => void) {
    this.tls = tls;
    this.found = found;
  }

  /** @param others called for each round */
  start(others: () => readonly ServerAddress[]): void {
    this.stop();
    this.running = new AbortController();
    this.search(others, this.running.signal).catch((error: unknown) => {
      queueMicrotask(() => {
        throw error;
      });
    });
  }

  stop(): void {
    this.running?.abort();
    this.running = undefined;
  }

  private async search(others: () => readonly ServerAddress[], signal: AbortSignal): Promise<void> {
    for (let tries = 0; ; tries++) {
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** tries, LONGEST_DELAY_MS);
      await pause(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      const servers = others();
      const server = servers[tries % servers.length];
      if (server === undefined || !(await this.isWritable(server, signal))) continue;
      if (!signal.aborted) this.found(server);
      return;
    }
  }

  private async isWritable(server: ServerAddress, signal: AbortSignal): Promise<boolean> {
    const tls = this.tls === undefined ? {} : { tls: this.tls };
    const asked = askWord(server, 'isro', { timeoutMs: ANSWER_MS, maxLength: 100, signal, ...tls });
    const answer = await asked.catch(() => undefined);
    return answer?.toString().trim() === 'rw';
  }
}
