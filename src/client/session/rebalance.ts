/**
 * Decides whether a client moves when the list of servers changes (Programmer's Guide, "Client
 * configuration: updating the list of servers"; ZOOKEEPER-1355). Each server of the new list gets
 * the same expected number of clients, and as few clients as possible move.
 */
import type { ServerAddress } from '../base/connect-string.js';

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

export function isSame(a: ServerAddress, b: ServerAddress): boolean {
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
