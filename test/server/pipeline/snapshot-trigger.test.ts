import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type SnapshotLimits,
  SnapshotTrigger,
} from '../../../src/server/pipeline/snapshot-trigger.js';

const MANY = 1_000_000;
const SNAPSHOTS = 200;

/** The numbers of txns of `size` bytes between snapshots, each number once. */
function gapsOf(limits: SnapshotLimits, size: number): number[] {
  const trigger = new SnapshotTrigger(limits, 7);
  const gaps = new Set<number>();
  for (let taken = 0, gap = 1; taken < SNAPSHOTS; gap++) {
    if (!trigger.isDue(size)) continue;
    gaps.add(gap);
    gap = 0;
    taken++;
  }
  return [...gaps].sort((a, b) => a - b);
}

test('a snapshot is due after more than half of snapCount, and at most all of it', () => {
  assert.equal(gapsOf({ snapCount: 10, snapSize: 0 }, 1), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapCount: 11, snapSize: -1 }, MANY), [6, 7, 8, 9, 10, 11]);
});

test('the least snapCount is 2', () => {
  for (const snapCount of [0, 1, 2]) assert.equal(gapsOf({ snapCount, snapSize: 0 }, 1), [2]);
  assert.equal(gapsOf({ snapCount: 3, snapSize: 0 }, 1), [2, 3]);
});

test('a snapshot is due after more than half of snapSizeLimitInKb, and at most all of it', () => {
  assert.equal(gapsOf({ snapCount: MANY, snapSize: 10 }, 1), [6, 7, 8, 9, 10]);
  assert.equal(gapsOf({ snapCount: MANY, snapSize: 10 }, 5), [2]);
  assert.equal(gapsOf({ snapCount: MANY, snapSize: 1 }, 1), [1]);
});

test('the limit that is reached first decides, and both are counted from there', () => {
  assert.equal(gapsOf({ snapCount: 4, snapSize: 1000 }, 1), [3, 4]);
  assert.equal(gapsOf({ snapCount: 1000, snapSize: 4 }, 1), [3, 4]);
});

test('txns that are logged at the start count', () => {
  const limits = { snapCount: 10, snapSize: 0 };
  for (let seed = 0; seed < 20; seed++) {
    const [fresh, started] = [
      new SnapshotTrigger(limits, seed),
      new SnapshotTrigger(limits, seed, 5),
    ];
    for (let left = 5; left > 0; left--) assert.not(fresh.isDue(1));
    let isDue = false;
    while (!isDue) {
      isDue = fresh.isDue(1);
      assert.is(started.isDue(1), isDue);
    }
  }
});

test.run();
