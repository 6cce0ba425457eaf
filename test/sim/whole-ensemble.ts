import { Leader } from '../../src/server/quorum/leading/leader.js';
import type { Checks } from './checks.js';
import { afterPowerLoss, hasUncommitted, type StorageTraits } from './nodes/node-storage.js';
import type { ServerNode } from './nodes/server-node.js';
import type { Found } from './state-checks.js';
import { hex, Violation } from './violation.js';

type Servers = readonly ServerNode[];

/** The last zxid that the server has proposed, if it leads. */
export function proposedBy({ peer }: ServerNode): bigint {
  const broadcast = peer?.role instanceof Leader ? peer.role.broadcast : null;
  return broadcast?.outstanding.lastProposed ?? 0n;
}

/** Whether all serve the same txns, and nothing is in progress. */
export function areLevel(servers: Servers): boolean {
  const areAlike = servers.every(
    ({ peer, lastReal, disk }) =>
      peer?.isEstablished === true && disk.isIdle && lastReal === servers[0]?.lastReal,
  );
  return areAlike && !servers.some(hasUncommitted);
}

interface EndParts {
  readonly checks: Checks;
  readonly traits: StorageTraits;
  fail(message: string): void;
}

/** All servers have the same tree and membership, and their disks give the same tree. */
export async function compareAll(servers: Servers, parts: EndParts): Promise<void> {
  const { checks, traits, fail } = parts;
  const versions = new Set(servers.map(({ peer }) => peer?.membership.config.version));
  if (versions.size > 1) fail(`the memberships at the end: ${[...versions].join(', ')}`);
  for (const { sid, peer, disk, lastReal } of servers) {
    if (peer === null) continue;
    const compare = (name: string, found: Found): void =>
      checks.state.compare(name, found, !peer.isLeading);
    try {
      const { tree } = peer.data;
      const sessions = [...peer.server.state.sessions.values()];
      compare(`server ${sid} at the end`, { tree, sessions });
      const database = await afterPowerLoss(disk, traits);
      const found = { tree: database.tree, sessions: [...database.sessions.values()] };
      compare(`the disk of server ${sid} at the end`, found);
      const stored = database.tree.lastProcessedZxid;
      if (stored < lastReal)
        fail(`the disk of server ${sid} ends at ${hex(stored)} (expected ${hex(lastReal)})`);
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof Violation) fail(message);
      else fail(`the disk of server ${sid} cannot be read: ${message}`);
    }
  }
}
