import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shapeOf } from './shape.js';
import { Simulation } from './simulation.js';

// Seeds that found something once, each with what it was.

const STEPS = 20_000;

const FOUND: readonly (readonly [seed: number, what: string])[] = [
  [13, 'a member forgot in a restart that a reconfig was proposed, and two quorums went on'],
  [28, 'a leader that had forgotten a reconfig of its log committed without its quorum'],
  [39, 'a learner went back behind a reconfig that was committed between NEWLEADER and UPTODATE'],
  [60, 'a learner put a reconfig in force that was only proposed when it was brought in sync'],
];

for (const [seed, what] of FOUND) {
  test(`seed ${seed}: ${what}`, () => {
    const shape = { ...shapeOf(seed), servers: 3, spares: 2 };
    const { violation, reconfigs } = new Simulation({ seed, ...shape, steps: STEPS }).run();
    assert.is(violation, null);
    assert.ok(reconfigs > 0);
  });
}

test.run();
