import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type SnapshotLimits,
  SnapshotTrigger,
} from '../../../src/server/pipeline/snapshot-trigger.js';

const MANY = 1_000_000;
const SNAPSHOTS = 200;

function limitsOf(limits: Partial<SnapshotLimits>): SnapshotLimits {
  return { snapCount: MANY, snapSize: 0, growth: 0, ...limits };
}

/** The numbers of txns of `size` bytes between snapshots, each number once. */
function gapsOf(limits: Partial<SnapshotLimits>, size: number, snapshotSize = 0): number[] {
  const trigger = new SnapshotTrigger(limitsOf(limits), 7);
  const gaps = new Set<number>();
  for (let taken = 0, gap = 1; taken < SNAPSHOTS; gap++) {
    if (!trigger.isDue(size, { snapshotSize })) continue;
    gaps.add(gap);
    gap = 0;
    taken++;
  }
  return [...gaps].sort((a, b) => a - b);
}

test('a snapshot is due after more than half of snapCount, and at most all of it', () => {
  assert.equal(gapsOf({ snapCount: 10 }, 1), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapCount: 11, snapSize: -1 }, MANY), [6, 7, 8, 9, 10, 11]);
});

test('the least snapCount is 2', () => {
  for (const snapCount of [0, 1, 2]) assert.equal(gapsOf({ snapCount }, 1), [2]);
  assert.equal(gapsOf({ snapCount: 3 }, 1), [2, 3]);
});

test('a snapshot is due after more than half of snapSizeLimitInKb, and at most all of it', () => {
  assert.equal(gapsOf({ snapSize: 10 }, 1), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapSize: 10 }, 5), [2]);
  assert.equal(gapsOf({ snapSize: 1 }, 1), [1]);
});

test('the limit that is reached first decides, and both are counted from there', () => {
  assert.equal(gapsOf({ snapCount: 4, snapSize: 1000 }, 1), [3, 4]);
  assert.equal(gapsOf({ snapCount: 1000, snapSize: 4 }, 1), [3, 4]);
});

test('with a growth, the log pays: it reaches more than half of the tree, and at most all', () => {
  assert.equal(gapsOf({ snapCount: 2, growth: 1 }, 10, 100), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapCount: 2, growth: 0.5 }, 10, 200), [6, 7, 8, 9, 10]);
});

test('with a growth, snapCount is the least, and snapSizeLimitInKb the most', () => {
  assert.equal(gapsOf({ snapCount: 10, growth: 1 }, 10, 40), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapCount: 2, snapSize: 40, growth: 1 }, 10, 1000), [3, 4]);
});

test('a tree that shrinks lowers the length that is due', () => {
  const trigger = new SnapshotTrigger(limitsOf({ snapCount: 2, growth: 1 }), 7);
  for (let i = 0; i < 50; i++) assert.not(trigger.isDue(1, { snapshotSize: 100 }));
  assert.ok(trigger.isDue(1, { snapshotSize: 50 }));
});

test('txns that are logged at the start count', () => {
  for (let seed = 0; seed < 20; seed++) {
    for (const [limits, size, logged] of [
      [{ snapCount: 10 }, 1, { txns: 5, bytes: 5 }],
      [{ snapSize: 10 }, 1, { txns: 5, bytes: 5 }],
      [{ snapCount: 2, growth: 1 }, 100, { txns: 5, bytes: 500 }],
    ] as const) {
      const tree = { snapshotSize: 1000 };
      const fresh = new SnapshotTrigger(limitsOf(limits), seed);
      const started = new SnapshotTrigger(limitsOf(limits), seed, logged);
      for (let left = 5; left > 0; left--) assert.not(fresh.isDue(size, tree));
      let isDue = false;
      while (!isDue) {
        isDue = fresh.isDue(size, tree);
        assert.is(started.isDue(size, tree), isDue);
      }
    }
  }
});

test('after rearm, nothing is logged', () => {
  const trigger = new SnapshotTrigger(limitsOf({ snapCount: 10 }), 1, { txns: 9, bytes: 9 });
  trigger.rearm();
  for (let i = 0; i < 5; i++) assert.not(trigger.isDue(1, { snapshotSize: 0 }));
});

test.run();
