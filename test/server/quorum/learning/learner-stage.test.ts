import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type LearnerStage,
  patienceMs,
  phaseOf,
  WAITING,
} from '../../../../src/server/quorum/learning/learner.js';
import { LIMITS } from '../../../sim/nodes/peer-parts.js';

const FOREVER = Number.POSITIVE_INFINITY;
const limits = { ...LIMITS, tickTimeMs: 100, initLimit: 7, syncLimit: 3 };

for (const [stage, phase, patience] of [
  ['connecting', 'discovery', 700],
  ['registering', 'discovery', 700],
  ['accepting', 'synchronization', FOREVER],
  ['acknowledged', 'synchronization', 700],
  ['receiving-snapshot', 'synchronization', 700],
  ['restoring', 'synchronization', FOREVER],
  ['syncing', 'synchronization', 700],
  ['persisting', 'synchronization', FOREVER],
  ['synced', 'synchronization', 300],
  ['serving', 'broadcast', 300],
] as const satisfies [LearnerStage, string, number][]) {
  test(`a learner that is ${stage} is in ${phase}, and waits ${patience} ms`, () => {
    assert.is(phaseOf(stage, null), phase);
    assert.is(phaseOf(stage, 'diff'), stage === 'serving' ? 'broadcast' : 'diff');
    assert.is(patienceMs(stage, limits), patience);
    assert.is(WAITING.has(stage), patience === FOREVER);
  });
}

test.run();
