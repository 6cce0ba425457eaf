import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shapeOf } from './shape.js';
import { Simulation } from './simulation.js';

// Seeds that found something once, each with what it was.

const STEPS = 20_000;

const FOUND: readonly (readonly [seed: number, what: string, servers?: number])[] = [
  [13, 'a member forgot in a restart that a reconfig was proposed, and two quorums went on'],
  [28, 'a leader that had forgotten a reconfig of its log committed without its quorum'],
  [39, 'a learner went back behind a reconfig that was committed between NEWLEADER and UPTODATE'],
  [60, 'a learner put a reconfig in force that was only proposed when it was brought in sync'],
  [10147, 'a quorum waited for one that only the proposed membership has, in rounds of its own'],
  [
    2506,
    'one that only the proposed membership lets vote joined as an observer: nobody counted it',
  ],
  [
    5326,
    'one that heard with its vote that it is a participant said that it observes: none joined',
  ],
  [333, 'one that became a participant as the leader handed over still said that it observes', 5],
];

for (const [seed, what, servers = 3] of FOUND) {
  test(`seed ${seed}: ${what}`, () => {
    const members = { servers, spares: servers === 3 ? 2 : 1, observers: 0 };
    const shape = { ...shapeOf(seed), ...members, hasObserverMasters: false };
    const { violation, reconfigs } = new Simulation({ seed, ...shape, steps: STEPS }).run();
    assert.is(violation, null);
    assert.ok(reconfigs > 0);
  });
}

test.run();
