import * as assert from 'uvu/assert';
import { Learner } from '../../../../src/server/quorum/learning/learner.js';
import type { EnsembleOptions } from './ensemble-options.js';
import { EnsembleWorld } from './ensemble-world.js';

const PORT = 2800;
export const LEADER = 3;
export const FOLLOWERS = [1, 2];
export const OBSERVER = 4;

/** Three participants that are observer masters while they follow, and observers. */
export function serving(observers = 1, options: EnsembleOptions = {}): EnsembleWorld {
  const world = new EnsembleWorld(3, observers, { observerMasterPort: PORT, ...options });
  world.start();
  world.allServe();
  assert.is(world.leader, LEADER);
  return world;
}

export function treeOf(world: EnsembleWorld, sid: number) {
  return world.member(sid).peer.data.tree;
}

/** The master of the observer. */
export function masterOf(world: EnsembleWorld, sid = OBSERVER): number {
  const { role } = world.member(sid).peer;
  return role instanceof Learner ? role.masterSid : -1;
}
