import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockStore } from '../../../src/server/tree/block-store.js';
import { Random } from '../../support/random.js';

const test = suite('BlockStore');

const CHUNK = 256 * 1024;
const OWNER_SIZE = 4;

interface Entry {
  block: number;
  length: number;
  fill: number;
}

/** A store, and what each owner has in it. */
class World {
  readonly store = new BlockStore();
  readonly entries = new Map<number, Entry>();
  private readonly random: Random;
  private readonly owners: number[] = [];
  private readonly places = new Map<number, number>();
  private readonly lengths = new Set<number>();
  private nextOwner = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  allocate(length: number): number {
    const owner = this.nextOwner++;
    const block = this.store.allocate(length, owner);
    this.entries.set(owner, { block, length, fill: 0 });
    this.places.set(owner, this.owners.length);
    this.owners.push(owner);
    this.lengths.add(length);
    this.fill(owner);
    return owner;
  }

  /** Writes other bytes over its contents. */
  fill(owner: number): void {
    const entry = this.entryOf(owner);
    entry.fill = this.random.below(256);
    this.contentsOf(entry).fill(entry.fill);
  }

  free(owner: number): void {
    const { block, length } = this.entryOf(owner);
    const moved = this.store.free(block, length);
    this.entries.delete(owner);
    this.forget(owner);
    if (moved !== owner) this.entryOf(moved).block = block;
  }

  /** Another length in the same block, if it has room for it and is not too large. */
  resize(owner: number, length: number): void {
    const entry = this.entryOf(owner);
    if (!this.store.isSameSize(entry.length, length)) return;
    entry.length = length;
    this.fill(owner);
  }

  randomOwner(): number {
    return this.random.pick(this.owners);
  }

  get memory(): number {
    return this.store.chunks.reduce((sum, { length }) => sum + length, 0);
  }

  get liveBytes(): number {
    return [...this.entries.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** How many size classes were ever in use. */
  get classes(): number {
    const sorted = [...this.lengths].sort((a, b) => a - b);
    return sorted.filter((length, i) => {
      const before = sorted[i - 1];
      return before === undefined || !this.store.isSameSize(before, length);
    }).length;
  }

  checkOne(owner: number): void {
    const entry = this.entryOf(owner);
    const contents = this.contentsOf(entry);
    assert.is(contents.length, entry.length, `owner ${owner} has room`);
    if (contents.equals(Buffer.alloc(entry.length, entry.fill))) return;
    throw new Error(`owner ${owner}: its ${entry.length} bytes have changed`);
  }

  /** Every block has its bytes, and shares none with another. */
  check(): void {
    const { store } = this;
    const byChunk = new Map<Buffer, { start: number; end: number }[]>();
    for (const [owner, { block, length }] of this.entries) {
      this.checkOne(owner);
      const start = store.startOf(block) - OWNER_SIZE;
      const chunk = store.chunkOf(block);
      const ranges = byChunk.get(chunk) ?? [];
      if (ranges.length === 0) byChunk.set(chunk, ranges);
      ranges.push({ start, end: start + OWNER_SIZE + length });
      assert.is(start % 8, 0);
    }
    for (const [chunk, ranges] of byChunk) {
      ranges.sort((a, b) => a.start - b.start);
      let end = 0;
      for (const range of ranges) {
        assert.ok(range.start >= end, `${range.start} is before ${end}`);
        end = range.end;
      }
      assert.ok(end <= chunk.length);
    }
  }

  private entryOf(owner: number): Entry {
    const entry = this.entries.get(owner);
    assert.ok(entry, `owner ${owner} has a block`);
    return entry as Entry;
  }

  private contentsOf({ block, length }: Entry): Buffer {
    const start = this.store.startOf(block);
    return this.store.chunkOf(block).subarray(start, start + length);
  }

  private forget(owner: number): void {
    const at = this.places.get(owner) as number;
    const last = this.owners.pop() as number;
    this.places.delete(owner);
    if (last === owner) return;
    this.owners[at] = last;
    this.places.set(last, at);
  }
}

function randomLength(random: Random): number {
  if (random.oneIn(300)) return 1 + random.below(350 * 1024);
  if (random.oneIn(30)) return 1 + random.below(20_000);
  return 1 + random.below(random.oneIn(3) ? 2000 : 150);
}

/** The least that a class keeps of chunks that it no longer needs. */
function checkAllGivenBack(world: World): void {
  assert.is(world.entries.size, 0);
  const kept = world.store.chunks.filter(({ length }) => length > 0);
  assert.ok(kept.length <= world.classes, `${kept.length} chunks, ${world.classes} classes`);
  for (const { length } of kept) assert.ok(length <= CHUNK, `a chunk of ${length} bytes`);
}

for (const seed of [1, 2, 3]) {
  test(`keeps the bytes of each owner through random changes: seed ${seed}`, () => {
    const random = new Random(seed);
    const world = new World(seed);
    // It grows, shrinks, and grows again.
    for (let step = 1; step <= 30_000; step++) {
      const isGrowing = Math.floor(step / 5000) % 2 === 0;
      const isFree = random.below(10) < (isGrowing ? 3 : 7);
      if (world.entries.size === 0 || !isFree) {
        world.allocate(randomLength(random));
      } else if (random.oneIn(4)) {
        const owner = world.randomOwner();
        const { length } = world.entries.get(owner) as Entry;
        world.resize(owner, Math.max(1, length + random.below(33) - 16));
      } else {
        world.free(world.randomOwner());
      }
      if (world.entries.size > 0) world.checkOne(world.randomOwner());
      if (step % 2500 === 0) world.check();
    }
    while (world.entries.size > 0) world.free(world.randomOwner());
    checkAllGivenBack(world);
  });
}

test('blocks of every length up to 2100 leave their neighbors as they are', () => {
  const world = new World(4);
  for (let length = 1; length <= 2100; length++) {
    const [before, middle, after] = [1, 2, 3].map(() => world.allocate(length)) as [
      number,
      number,
      number,
    ];
    world.fill(middle);
    for (const owner of [before, middle, after]) world.checkOne(owner);
  }
  world.check();
  for (const owner of [...world.entries.keys()]) if (owner % 3 === 1) world.free(owner);
  world.check();
  for (const owner of [...world.entries.keys()].reverse()) world.free(owner);
  checkAllGivenBack(world);
});

test('lengths of one class fit in the same block, which is at most an eighth too large', () => {
  const store = new BlockStore();
  for (let length = 1; length < 20_000; length++) {
    assert.ok(store.isSameSize(length, length));
    const isShared = store.isSameSize(length, length + 1);
    assert.is(store.isSameSize(length + 1, length), isShared);
    const more = length + Math.ceil((length + OWNER_SIZE) / 8) + 8;
    assert.not.ok(store.isSameSize(length, more), `${length} and ${more}`);
  }
});

for (const length of [
  CHUNK / 2 - 12,
  CHUNK / 2,
  CHUNK - 12,
  CHUNK - 4,
  CHUNK,
  CHUNK + 1,
  1 << 22,
]) {
  test(`a block of ${length} bytes is given back at once if it has a chunk of its own`, () => {
    const world = new World(5);
    const owners = Array.from({ length: 6 }, () => world.allocate(length));
    world.check();
    for (const owner of owners) {
      world.free(owner);
      world.check();
      // One with the last block, and a spare one.
      const most = (world.entries.size * 9 * (length + OWNER_SIZE + 8)) / 8 + 2 * CHUNK;
      assert.ok(world.memory <= most, `${world.memory} bytes`);
    }
    checkAllGivenBack(world);
    if (length > CHUNK) assert.is(world.memory, 0);
  });
}

test('an empty chunk is used again', () => {
  const world = new World(6);
  const before = Array.from({ length: 3000 }, () => world.allocate(100));
  const { memory } = world;
  for (let turn = 0; turn < 20; turn++) {
    for (const owner of before.splice(0)) world.free(owner);
    assert.ok(world.memory <= CHUNK);
    for (let i = 0; i < 3000; i++) before.push(world.allocate(100));
    assert.is(world.memory, memory);
  }
  world.check();
});

test('the last block of a class may be freed and made again for ever', () => {
  const world = new World(7);
  for (let i = 0; i < 1000; i++) {
    const owner = world.allocate(50);
    assert.is(world.store.chunks.length, 1);
    world.checkOne(owner);
    world.free(owner);
  }
});

test('the memory of 90 % at random is given back', () => {
  const world = new World(8);
  const lengths = [100, 300, 1000, 5000, 40_000, 150_000, 300_000];
  for (const length of lengths) {
    for (let bytes = 0; bytes < 6 * 1024 * 1024; bytes += length) world.allocate(length);
  }
  assert.is(world.classes, lengths.length);
  const before = world.memory;
  const most = world.entries.size;
  while (world.entries.size * 10 > most) world.free(world.randomOwner());
  // A class has a chunk that is not full, and a spare one.
  const limit = (world.liveBytes * 9) / 8 + 16 * world.entries.size + 2 * CHUNK * world.classes;
  assert.ok(world.memory <= limit, `${world.memory} bytes for ${world.liveBytes}`);
  assert.ok(world.memory < before / 3, `${world.memory} of ${before} bytes`);
  world.check();
  while (world.entries.size > 0) world.free(world.randomOwner());
  checkAllGivenBack(world);
});

test.run();
