import { formatServerAddress, type ServerAddress } from './connect-string.js';
import type { SessionOptions } from './session-contract.js';

/** Where a server failed last: "host:port" and a sentence. */
export interface FailedAttempt {
  readonly server: string;
  readonly reason: string;
}

type ListOptions = Pick<
  SessionOptions,
  'servers' | 'random' | 'connectRounds' | 'connectTimeoutMs'
>;

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

/**
 * Which server to try next, and how long to wait before it: a round goes through the whole list
 * without waiting, and before each further round the wait doubles. One lone server is never tried
 * again at once, or a server that closes every connection would be dialled in a busy loop.
 */
export class ServerList {
  private readonly options: ListOptions;
  /** Why each server failed last since there was a connection. */
  private readonly reasons = new Map<string, string>();
  private index = -1;
  /** Since the last connection, or since the start. */
  private tries = 0;
  private wasConnected = false;

  constructor(options: ListOptions) {
    if (options.servers.length === 0) throw new RangeError('expected at least one server');
    this.options = options;
  }

  /** The one that `next` chose last. */
  get current(): ServerAddress {
    return this.options.servers[Math.max(this.index, 0)] as ServerAddress;
  }

  get failedAttempts(): readonly FailedAttempt[] {
    return [...this.reasons].map(([server, reason]) => ({ server, reason }));
  }

  /** Set when the first connection has taken all the rounds that it may. */
  get exhausted(): Error | undefined {
    const { connectRounds, servers } = this.options;
    if (this.wasConnected || this.tries < connectRounds * servers.length) return undefined;
    const rounds = connectRounds === 1 ? 'one round' : `${connectRounds} rounds`;
    return new Error(`no server took the session in ${rounds} of the list`);
  }

  /**
   * Goes on to the next server; returns the ms to wait before it is dialled.
   * @param timeoutMs the session's, which must not be slept through
   */
  next(timeoutMs: number): number {
    const { length } = this.options.servers;
    this.index = (this.index + 1) % length;
    const tries = this.tries++;
    const isRepeat = tries > 0 || (length === 1 && this.wasConnected);
    if (tries % length !== 0 || !isRepeat) return 0;
    const delayMs = FIRST_DELAY_MS * 2 ** Math.floor(tries / length);
    const longestMs = Math.min(LONGEST_DELAY_MS, timeoutMs / 6, delayMs);
    return Math.round(longestMs * (0.5 + this.options.random() / 2));
  }

  /** How long one attempt may take, so that every server has its turn in time. */
  attemptMs(timeoutMs: number): number {
    const { connectTimeoutMs, servers } = this.options;
    const listMs = this.wasConnected ? timeoutMs : Math.min(timeoutMs, connectTimeoutMs);
    return listMs / servers.length;
  }

  /** The current one took the session: the next loss starts a new round behind it. */
  connected(): void {
    this.tries = 0;
    this.wasConnected = true;
    this.reasons.clear();
  }

  /** The current one failed. */
  failed(reason: Error): void {
    this.reasons.set(formatServerAddress(this.current), reason.message);
  }
}
