import * as assert from 'uvu/assert';
import { OPEN_ACL_UNSAFE } from '../../../../src/protocol/perms.js';
import type { CreateRequest } from '../../../../src/protocol/proto.js';
import { EnsembleWorld } from './ensemble-world.js';

export const EPHEMERAL = 1;
export const FOLLOWER = 1;
export const OTHER = 2;
export const LEADER = 3;
const OBSERVER = 4;
export const ALL = [FOLLOWER, OTHER, LEADER, OBSERVER];
/** One member of each kind. */
export const ROLES = [FOLLOWER, LEADER, OBSERVER];

/** Three participants, of which the last leads, and an observer. */
export function serving(isUpgradeAllowed: boolean): EnsembleWorld {
  const world = new EnsembleWorld(3, 1, { localSessions: { isUpgradeAllowed } });
  world.start();
  world.allServe();
  assert.is(world.leader, LEADER);
  return world;
}

/** No more data becomes durable, or all pending data does. */
export function holdDisks(world: EnsembleWorld, isHeld: boolean): void {
  for (const sid of ALL) world.member(sid).isDiskHeld = isHeld;
  world.settle();
}

export function zxidOf(world: EnsembleWorld): bigint {
  return world.member(LEADER).peer.data.tree.lastProcessedZxid;
}

/** The local and global sessions in the words of that member. */
export function counts(world: EnsembleWorld, sid: number): [local: number, global: number] {
  const { localSessionCount, globalSessionCount } = world.member(sid).peer.view;
  return [localSessionCount, globalSessionCount];
}

export function creation(path: string, flags: number): CreateRequest {
  return { path, data: null, acl: OPEN_ACL_UNSAFE, flags };
}
