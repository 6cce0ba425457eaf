import { formatServerAddress, type ServerAddress } from '../base/connect-string.js';
import type { FailedAttempt } from '../base/errors.js';
import { faultCode, isRefused, isTls, isUnknownHost } from '../base/socket-fault.js';
import type { SessionOptions } from './session-contract.js';

type ListOptions = Pick<
  SessionOptions,
  'servers' | 'random' | 'connectRounds' | 'connectTimeoutMs' | 'isUnknownHostFinal'
>;

/** @returns why a connection must move, or undefined if it stays */
export type ServerChange = (list: ServerList, isConnected: boolean) => string | undefined;

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 1000;
/** They take less than a second: a server may be starting. */
const REFUSED_ROUNDS = 4;

/**
 * Chooses the next server to try, and the delay before it. A round tries the whole list without
 * delays; before each further round the delay doubles. A single server is never retried at once: a
 * server that closes every connection would cause a busy loop.
 */
export class ServerList {
  private readonly options: ListOptions;
  private readonly reasons = new Map<string, Error>();
  private index = -1;
  private servers: readonly ServerAddress[];
  /** Servers to try before the list, after an update. */
  private preferred: ServerAddress[] = [];
  private chosen: ServerAddress | undefined;
  /** Attempts since the last connection, or since the start. */
  private tries = 0;
  private wasConnected = false;

  constructor(options: ListOptions) {
    if (options.servers.length === 0)
      throw new RangeError('the list of servers is empty (expected at least one server)');
    this.options = options;
    this.servers = options.servers;
  }

  get current(): ServerAddress {
    return this.chosen ?? (this.servers[0] as ServerAddress);
  }

  get failedAttempts(): readonly FailedAttempt[] {
    return [...this.reasons].map(([server, fault]) => ({
      server,
      code: faultCode(fault),
      reason: fault.message,
    }));
  }

  /** Set if the first connection used up its rounds, or if no host exists or listens. */
  get exhausted(): Error | undefined {
    const { connectRounds, isUnknownHostFinal } = this.options;
    if (this.wasConnected || this.tries < this.servers.length) return undefined;
    if (isUnknownHostFinal) {
      const reasons = [...this.reasons.values()];
      if (reasons.every(isUnknownHost)) return new Error('no server of the list exists');
      const isTried = this.tries >= REFUSED_ROUNDS * this.servers.length;
      if (isTried && reasons.every(isRefused)) return new Error('no server of the list listens');
      if (isTried && reasons.every(isTls))
        return new Error('no server of the list speaks this TLS');
    }
    if (this.tries < connectRounds * this.servers.length) return undefined;
    const rounds = connectRounds === 1 ? 'one round' : `${connectRounds} rounds`;
    return new Error(`no server accepted the session in ${rounds} of the list`);
  }

  /** @returns the delay in ms before the next attempt, well below the session timeout */
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

  get others(): readonly ServerAddress[] {
    return this.servers.filter((server) => !isSame(server, this.current));
  }

  static toWritable(server: ServerAddress): ServerChange {
    return (list) => {
      list.preferred.unshift(server);
      return `${formatServerAddress(server)} is writable`;
    };
  }

  static toServers(servers: readonly ServerAddress[]): ServerChange {
    return (list, isConnected) =>
      list.update(servers, isConnected) ? 'the list of servers changed' : undefined;
  }

  /** The timeout of one attempt in ms: every server gets its turn in time. */
  attemptMs(timeoutMs: number): number {
    const { connectTimeoutMs } = this.options;
    const listMs = this.wasConnected ? timeoutMs : Math.min(timeoutMs, connectTimeoutMs);
    return listMs / this.servers.length;
  }

  /** The next loss starts a new round after this server. */
  connected(): void {
    this.tries = 0;
    this.preferred = [];
    this.index = this.servers.findIndex((server) => isSame(server, this.current));
    this.wasConnected = true;
    this.reasons.clear();
  }

  failed(reason: Error): void {
    this.reasons.set(formatServerAddress(this.current), reason);
  }
}

// Decides whether a client moves when the list of servers changes (Programmer's Guide, "Client
// configuration: updating the list of servers"; ZOOKEEPER-1355). Each server of the new list gets
// the same expected number of clients, and as few clients as possible move.

export interface Rebalance {
  readonly isMoving: boolean;
  /** Servers to try first, once each; then the list as usual. */
  readonly order: readonly ServerAddress[];
}

/** @param current one of `old` @param next shuffled @param random 0 to 1 */
export function rebalance(
  current: ServerAddress,
  old: readonly ServerAddress[],
  next: readonly ServerAddress[],
  random: () => number,
): Rebalance {
  const isKnown = (server: ServerAddress) => old.some((known) => isSame(known, server));
  const kept = next.filter(isKnown);
  const added = next.filter((server) => !isKnown(server));
  const isKept = kept.some((server) => isSame(server, current));
  const hasGrown = next.length > old.length;
  // Added servers take an equal share from each kept server.
  const isMoving = !isKept || (hasGrown && random() < 1 - old.length / next.length);
  if (!isMoving) return { isMoving, order: [] };
  const shareOfKept = hasGrown ? 0 : shareForKept(kept.length, old.length, next.length);
  return { isMoving, order: mixed(kept, added, shareOfKept, random) };
}

function isSame(a: ServerAddress, b: ServerAddress): boolean {
  return a.host === b.host && a.port === b.port && a.isSecure === b.isSecure;
}

/** The probability that a client of a removed server moves to a kept one. */
function shareForKept(kept: number, old: number, next: number): number {
  return (kept * (old - next)) / (next * (old - kept));
}

function mixed(
  kept: readonly ServerAddress[],
  added: readonly ServerAddress[],
  shareOfKept: number,
  random: () => number,
): readonly ServerAddress[] {
  const [fromKept, fromAdded] = [[...kept], [...added]];
  const order: ServerAddress[] = [];
  while (fromKept.length > 0 && fromAdded.length > 0) {
    const server = random() < shareOfKept ? fromKept.shift() : fromAdded.shift();
    if (server !== undefined) order.push(server);
  }
  return [...order, ...fromKept, ...fromAdded];
}
