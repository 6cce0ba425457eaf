import type { ServerAddress } from './connect-string.js';

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;

/**
 * Which server to try next, and how long to wait before it: a round goes through the whole list
 * without waiting, and before each further round the wait doubles. One lone server is never tried
 * again at once, or a server that closes every connection would be dialled in a busy loop.
 */
export class ServerList {
  readonly servers: readonly ServerAddress[];
  private readonly random: () => number;
  private index = -1;
  /** Since the last connection, or since the start. */
  private tries = 0;
  private isFirstRound = true;

  /** @param random 0 to 1, spreads clients that lost the same server */
  constructor(servers: readonly ServerAddress[], random: () => number) {
    if (servers.length === 0) throw new RangeError('expected at least one server');
    this.servers = servers;
    this.random = random;
  }

  /** How many whole rounds of the list `next` has given since the last connection. */
  get rounds(): number {
    return Math.floor(this.tries / this.servers.length);
  }

  /** @param longestDelayMs so that a short session is not slept through */
  next(longestDelayMs: number): { server: ServerAddress; delayMs: number } {
    const { length } = this.servers;
    this.index = (this.index + 1) % length;
    const tries = this.tries++;
    const isRoundStart =
      tries % length === 0 && (tries > 0 || (length === 1 && !this.isFirstRound));
    const server = this.servers[this.index] as ServerAddress;
    if (!isRoundStart) return { server, delayMs: 0 };
    const round = Math.floor(tries / length);
    const longest = Math.min(LONGEST_DELAY_MS, longestDelayMs, FIRST_DELAY_MS * 2 ** round);
    return { server, delayMs: Math.round(longest * (0.5 + this.random() / 2)) };
  }

  /** A server took the session: the next loss starts a new round behind it. */
  connected(): void {
    this.tries = 0;
    this.isFirstRound = false;
  }
}
