import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Simulation } from '../simulation.js';
import { PLANTED_FAULTS } from './plants.js';

// The simulator must be able to fail. It finds each of these faults with the intended check.

for (const { name, caught, seeds, from = 0, shape, ...plant } of PLANTED_FAULTS) {
  test(`it finds: ${name}, within ${seeds} seeds from ${from} on`, async () => {
    for (let seed = from; seed < from + seeds; seed++) {
      const options = { seed, servers: seed % 2 === 0 ? 3 : 5, steps: 8000, ...shape };
      const { violation } = await new Simulation({ ...options, plant }).run();
      if (violation === null) continue;
      assert.match(violation, caught, `seed ${seed}`);
      return;
    }
    assert.unreachable('it was not found');
  });
}

test.run();
