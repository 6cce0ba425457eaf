import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// After a pause of its own, a member first learns the time, then reads the waiting packets.

const TICK_MS = 1000;
const PAUSE_MS = 60 * TICK_MS;

for (const [sid, role] of [
  [1, 'following'],
  [3, 'leading'],
] as const) {
  test(`a member that was paused while ${role} reads the waiting packets before it judges silence`, () => {
    const world = new EnsembleWorld(3);
    world.start();
    world.allServe();
    const { peer } = world.member(sid);
    const pass = (ms: number) => {
      const { nowMs, wallMs } = peer;
      peer.step({ kind: 'clock', wallMs: wallMs + ms, monotonicMs: nowMs + ms });
    };
    assert.is(peer.role?.kind, role);
    pass(PAUSE_MS);
    assert.is(peer.role?.kind, role, 'packets may wait in its sockets');
    assert.ok(peer.nextWakeMs <= peer.nowMs + TICK_MS, 'it looks again soon');
    for (let left = 3; left > 0; left--) pass(TICK_MS);
    assert.is.not(peer.role?.kind, role, 'nothing waited');
  });
}

test.run();
