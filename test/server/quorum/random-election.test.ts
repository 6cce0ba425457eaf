import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../support/random.js';
import { ElectionSimulation } from './worlds/election-simulation.js';

// Elections with crashes and broken connections. The test name has the seed.

/** From the last repair to one common leader. An election takes a small part of it. */
const BOUND_MS = 30_000;

for (const size of [3, 5, 7]) {
  test(`${size} servers without faults elect the best of them, fast`, () => {
    for (let seed = 0; seed < 100; seed++) {
      const name = `seed ${seed}`;
      const world = new ElectionSimulation(new Random(seed), size, { count: 0, maxDelayMs: 20 });
      const before = world.members.map(({ sid, epoch, zxid }) => ({ sid, epoch, zxid }));
      before.sort((a, b) => b.epoch - a.epoch || Number(b.zxid - a.zxid) || b.sid - a.sid);
      world.run(BOUND_MS, () => world.agreed() !== undefined);
      assert.is(world.agreed(), before[0]?.sid, name);
      assert.ok(world.nowMs < 200, `${name}: no server needed to wait (${world.nowMs} ms)`);
    }
  });

  test(`${size} servers agree on one leader when the faults end`, () => {
    for (let seed = 0; seed < 150; seed++) {
      const name = `seed ${seed}`;
      const random = new Random(seed);
      const faults = { count: 5 + random.below(40), maxDelayMs: 1 + random.below(400) };
      const world = new ElectionSimulation(random, size, faults);
      for (let count = 0; count < faults.count; count++) {
        world.run(world.nowMs + random.below(2000));
        world.disturb();
      }
      world.heal();
      const healedAtMs = world.nowMs;
      world.run(healedAtMs + BOUND_MS, () => world.agreed() !== undefined);
      assert.is.not(world.agreed(), undefined, `${name}: no leader`);
      for (const [epoch, leaders] of world.leaders) {
        assert.is(leaders.size, 1, `${name}: epoch ${epoch} has leaders ${[...leaders]}`);
      }
      const leader = world.agreed();
      world.run(world.nowMs + BOUND_MS);
      assert.is(world.agreed(), leader, `${name}: it did not last`);
    }
  });
}

test.run();
