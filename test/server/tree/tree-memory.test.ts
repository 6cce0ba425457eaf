import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockStore } from '../../../src/server/tree/block-store.js';
import { leaveTree } from '../../../src/server/tree/tree-memory.js';

const CHUNK = 256 * 1024;

test('V8 does not count the memory of small blocks, but that of a large one', () => {
  const store = new BlockStore();
  store.allocate(150, 1);
  store.allocate(CHUNK, 2);
  const [small, large] = store.chunks.map(({ buffer }) => buffer as unknown);
  assert.instance(small, SharedArrayBuffer);
  assert.instance(large, ArrayBuffer);
});

test('V8 learns of freed memory in large portions', () => {
  const store = new BlockStore();
  const [length, count] = [150, 1_000_000];
  const blocks: number[] = [];
  for (let owner = 0; owner < count; owner++) blocks.push(store.allocate(length, owner));
  const counted = sizesCounted(() => {
    for (const block of blocks.reverse()) store.free(block, length);
  });
  assert.ok(counted.length > 0 && counted.every((size) => size >= PORTION), counted.join());
  assert.ok(counted.reduce((sum, size) => sum + size, 0) > length * count - PORTION);
});

test('V8 learns of a tree that another one replaced', () => {
  const [counted = 0] = sizesCounted(leaveTree);
  assert.ok(counted >= PORTION, `${counted}`);
});

const PORTION = 64 * 1024 * 1024;

/** The sizes in bytes of the buffers that are made only to be counted. */
function sizesCounted(run: () => void): number[] {
  const Real = ArrayBuffer;
  const sizes: number[] = [];
  class Counted extends Real {
    constructor(size: number) {
      super(size);
      sizes.push(size);
    }
  }
  Object.assign(globalThis, { ArrayBuffer: Counted });
  try {
    run();
  } finally {
    globalThis.ArrayBuffer = Real;
  }
  return sizes;
}

test.run();
