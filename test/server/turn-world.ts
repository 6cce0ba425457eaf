/** Worlds with large trees, and what the server does for their clients in each turn. */
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import type { ServerSettings } from '../../src/server/state/server-state.js';
import type { Peer } from './server-peer.js';
import { ServerWorld } from './server-world.js';

export const MIB = 1024 * 1024;

export function makeWorld(settings: Partial<ServerSettings> = {}): ServerWorld {
  return new ServerWorld({ settings: { maxFrameLength: 2 * MIB, ...settings } });
}

/** As if the client had created them before. */
export function apply(
  world: ServerWorld,
  { sessionId }: Peer,
  path: string,
  isEphemeral = false,
): void {
  const { tree, prep } = world.server.state;
  const head = { sessionId, cxid: 0, zxid: tree.lastProcessedZxid, time: 0n };
  const acl = OPEN_ACL_UNSAFE;
  const rest = { data: null, acl, isEphemeral, parentCVersion: -1, ttl: 0n };
  tree.startDigesting();
  tree.applyPart(head, { type: OpCode.create, path, ...rest });
  tree.stopDigesting();
  prep.outstanding.digest.copy(tree.digest);
}

export function fill(
  world: ServerWorld,
  peer: Peer,
  parent: string,
  count: number,
  isEphemeral = false,
): void {
  apply(world, peer, parent);
  for (let i = 0; i < count; i++) apply(world, peer, `${parent}/n${i}`, isEphemeral);
}

export function sentTo(world: ServerWorld, peer: Peer): number {
  return world.server.state.connections.get(peer.id)?.stats.sent ?? 0;
}

export function limitsOf(world: ServerWorld): string[] {
  return world.effects.flatMap((effect) =>
    effect.kind === 'report' && effect.report.kind === 'limit-exceeded'
      ? [effect.report.limit]
      : [],
  );
}

/** The turn after: each waiting connection is read again, in the order of the server. */
export function nextTurn(
  world: ServerWorld,
  peers: readonly Peer[],
  order: readonly number[],
): number[] {
  const byId = new Map(peers.map((peer) => [peer.id, peer]));
  for (const id of order) {
    const peer = byId.get(id);
    if (peer === undefined) continue;
    peer.isAwaited = false;
    world.server.step({ kind: 'drained', connection: id });
  }
  return awaited(world);
}

export function awaited(world: ServerWorld): number[] {
  return world
    .drain()
    .flatMap((effect) => (effect.kind === 'await-reading' ? [effect.connection] : []));
}
