import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PLANTED_FAULTS } from './plants.js';
import { Simulation } from './simulation.js';

// The simulator must be able to fail: each of these faults it finds, and within how many seeds.

for (const { name, seeds, from = 0, shape, ...plant } of PLANTED_FAULTS) {
  test(`it finds: ${name}, within ${seeds} seeds from ${from} on`, () => {
    for (let seed = from; seed < from + seeds; seed++) {
      const options = { seed, servers: seed % 2 === 0 ? 3 : 5, steps: 8000, ...shape };
      if (new Simulation({ ...options, plant }).run().violation !== null) return;
    }
    assert.unreachable('it was not found');
  });
}

test.run();
