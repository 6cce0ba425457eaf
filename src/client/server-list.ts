import { formatServerAddress, type ServerAddress } from './connect-string.js';
import { isSame, rebalance } from './rebalance.js';
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
  private servers: readonly ServerAddress[];
  /** After an update: those to try before the list's turn comes again. */
  private preferred: ServerAddress[] = [];
  private chosen: ServerAddress | undefined;
  /** Since the last connection, or since the start. */
  private tries = 0;
  private wasConnected = false;

  constructor(options: ListOptions) {
    if (options.servers.length === 0) throw new RangeError('expected at least one server');
    this.options = options;
    this.servers = options.servers;
  }

  /** The one that `next` chose last. */
  get current(): ServerAddress {
    return this.chosen ?? (this.servers[0] as ServerAddress);
  }

  get failedAttempts(): readonly FailedAttempt[] {
    return [...this.reasons].map(([server, reason]) => ({ server, reason }));
  }

  /** Set when the first connection has taken all the rounds that it may. */
  get exhausted(): Error | undefined {
    const { connectRounds } = this.options;
    if (this.wasConnected || this.tries < connectRounds * this.servers.length) return undefined;
    const rounds = connectRounds === 1 ? 'one round' : `${connectRounds} rounds`;
    return new Error(`no server took the session in ${rounds} of the list`);
  }

  /**
   * Goes on to the next server; returns the ms to wait before it is dialled.
   * @param timeoutMs the session's, which must not be slept through
   */
  next(timeoutMs: number): number {
    const { length } = this.servers;
    const preferred = this.preferred.shift();
    if (preferred !== undefined) {
      this.chosen = preferred;
      return 0;
    }
    this.index = (this.index + 1) % length;
    this.chosen = this.servers[this.index];
    const tries = this.tries++;
    const isRepeat = tries > 0 || (length === 1 && this.wasConnected);
    if (tries % length !== 0 || !isRepeat) return 0;
    const delayMs = FIRST_DELAY_MS * 2 ** Math.floor(tries / length);
    const longestMs = Math.min(LONGEST_DELAY_MS, timeoutMs / 6, delayMs);
    return Math.round(longestMs * (0.5 + this.options.random() / 2));
  }

  /**
   * Another list takes the place of this one.
   * @param isConnected is there a connection, which may have to move so that all servers get their
   * share?
   * @returns whether the present connection, or the attempt at one, is to be given up
   */
  update(servers: readonly ServerAddress[], isConnected: boolean): boolean {
    const { current, servers: old } = this;
    this.servers = servers;
    this.index = servers.findIndex((server) => isSame(server, current));
    this.tries = 0;
    this.preferred = [];
    if (!isConnected) {
      if (this.index === -1) this.chosen = undefined;
      return this.index === -1;
    }
    const { isMoving, order } = rebalance(current, old, servers, this.options.random);
    this.preferred = [...order];
    return isMoving;
  }

  /** How long one attempt may take, so that every server has its turn in time. */
  attemptMs(timeoutMs: number): number {
    const { connectTimeoutMs } = this.options;
    const listMs = this.wasConnected ? timeoutMs : Math.min(timeoutMs, connectTimeoutMs);
    return listMs / this.servers.length;
  }

  /** The current one took the session: the next loss starts a new round behind it. */
  connected(): void {
    this.tries = 0;
    this.preferred = [];
    this.index = this.servers.findIndex((server) => isSame(server, this.current));
    this.wasConnected = true;
    this.reasons.clear();
  }

  /** The current one failed. */
  failed(reason: Error): void {
    this.reasons.set(formatServerAddress(this.current), reason.message);
  }
}
