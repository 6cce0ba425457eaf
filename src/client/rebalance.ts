/**
 * What becomes of a connection when the list of servers changes (Programmer's Guide, "Client
 * configuration: updating the list of servers", after ZOOKEEPER-1355): clients move so that each
 * server of the new list can expect as many, and no more of them move than that takes.
 */
import type { ServerAddress } from './connect-string.js';

export interface Rebalance {
  /** Must the present connection be given up? */
  readonly isMoving: boolean;
  /** Which servers to try first, each once, when it is; after that the list as usual. */
  readonly order: readonly ServerAddress[];
}

/**
 * @param current one of `old`: where the client is connected
 * @param old the list until now
 * @param next the new list, shuffled: the order in which servers of one kind are tried
 * @param random 0 to 1, asked once for the decision, and once for each server that may be of
 * either kind
 */
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
  // Of those that may stay, as many go as the servers that were added must get from each.
  const isMoving = !isKept || (hasGrown && random() < 1 - old.length / next.length);
  if (!isMoving) return { isMoving, order: [] };
  const shareOfKept = hasGrown ? 0 : shareForKept(kept.length, old.length, next.length);
  return { isMoving, order: mixed(kept, added, shareOfKept, random) };
}

export function isSame(a: ServerAddress, b: ServerAddress): boolean {
  return a.host === b.host && a.port === b.port && a.isSecure === b.isSecure;
}

/** How probably a client of a server that was removed goes to one that was kept. */
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
