import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ChildTable } from '../../../src/server/tree/children.js';
import { ContentTable } from '../../../src/server/tree/content-table.js';
import { NodeTable } from '../../../src/server/tree/node-table.js';
import { StatTable } from '../../../src/server/tree/stat-table.js';

const test = suite('ChildTable');

class World {
  readonly stats = new StatTable();
  readonly table = new NodeTable();
  readonly children = new ChildTable(this.table, this.stats);
  private readonly content = new ContentTable(this.table, this.stats);

  /** @returns the slot of a znode without a parent */
  make(): number {
    const slot = this.stats.allocateNew(1n, 1n, 0n);
    this.content.add(slot, `/${slot}`, '');
    return slot;
  }

  add(parent: number): number {
    const slot = this.make();
    this.children.add(parent, slot);
    return slot;
  }

  /** Deletes a child; the next znode gets its slot. */
  remove(parent: number, slot: number): void {
    this.children.delete(parent, slot);
    this.children.release(slot);
    this.content.remove(slot);
    this.table.release(slot);
    this.stats.release(slot);
  }

  of(parent: number): number[] {
    return [...this.children.of(parent)];
  }
}

function worldOf(count: number) {
  const world = new World();
  const parent = world.make();
  const slots = Array.from({ length: count }, () => world.add(parent));
  return { world, children: world.children, stats: world.stats, parent, slots };
}

test('come in the order in which they were made', () => {
  const { world, children, stats, parent, slots } = worldOf(5);
  const [a = -1, b = -1, c = -1, d = -1, e = -1] = slots;
  children.delete(parent, b);
  const late = world.add(parent);
  assert.equal(world.of(parent), [a, c, d, e, late]);
  assert.is(stats.numChildren(parent), 5);
});

test('a znode without children has none', () => {
  const { world, children, stats, slots } = worldOf(2);
  const [leaf = -1] = slots;
  assert.equal(world.of(leaf), []);
  assert.equal(children.placesOf(leaf), []);
  assert.is(stats.numChildren(leaf), 0);
});

test('deleting a child twice, or an unknown one, changes nothing', () => {
  const { world, children, stats, parent, slots } = worldOf(2);
  const [a = -1, b = -1] = slots;
  children.delete(parent, a);
  children.delete(parent, a);
  children.delete(parent, world.make());
  children.delete(a, world.make());
  // The child of another znode, whose list has the same index.
  const other = world.make();
  const theirs = [world.add(other), world.add(other)];
  children.delete(other, b);
  assert.equal(world.of(other), theirs);
  assert.equal(world.of(parent), [b]);
  assert.is(stats.numChildren(parent), 1);
});

test('a child that was deleted may become one again', () => {
  const { world, children, stats, parent, slots } = worldOf(3);
  const [a = -1, b = -1, c = -1] = slots;
  children.delete(parent, a);
  assert.not.ok(children.isChild(a, parent));
  children.add(parent, a);
  assert.ok(children.isChild(a, parent));
  assert.equal(world.of(parent), [b, c, a]);
  assert.is(stats.numChildren(parent), 3);
});

for (const isSlotReused of [false, true]) {
  const how = isSlotReused ? 'and slots are used again' : 'and slots are new';
  test(`a queue that is never empty uses memory only for its entries, ${how}`, () => {
    const { world, children, stats, parent, slots } = worldOf(10);
    for (let i = 10; i < 10_000; i++) {
      const first = slots.shift() ?? -1;
      if (isSlotReused) world.remove(parent, first);
      else children.delete(parent, first);
      const slot = world.add(parent);
      assert.is(slot === first, isSlotReused);
      slots.push(slot);
      assert.ok(children.placesOf(parent).length < 64);
    }
    assert.equal(world.of(parent), slots);
    assert.is(stats.numChildren(parent), 10);
  });
}

test('an iteration sees every child that stays, and no deleted one', () => {
  const { world, children, parent, slots } = worldOf(1000);
  const seen = new Set<number>();
  for (const slot of children.of(parent)) {
    assert.ok(world.table.place(slot) >= 0, `${slot}`);
    assert.not(seen.has(slot), `${slot}`);
    seen.add(slot);
    // Deleted children are before and after the position, with several compactions.
    const position = slots.indexOf(slot);
    for (const by of [-3, -2, -1, 1, 2, 5]) {
      const at = position + by;
      const other = slots[at];
      if (other !== undefined && at % 4 !== 0) children.delete(parent, other);
    }
  }
  const left = world.of(parent);
  assert.ok(left.length >= 250);
  for (const slot of left) assert.ok(seen.has(slot), `${slot}`);
  assert.ok(children.placesOf(parent).length < 1000);
});

test('an iteration skips slots that znodes below another parent have by then', () => {
  const { world, children, stats, parent, slots } = worldOf(300);
  const other = world.make();
  const [first = -1, ...rest] = slots;
  const seen: number[] = [];
  for (const slot of children.of(parent)) {
    seen.push(slot);
    if (seen.length > 1) continue;
    // With gaps closed, the iteration continues over the places of before.
    for (const gone of rest.slice(0, 250)) world.remove(parent, gone);
    assert.ok(children.placesOf(parent).length < 150);
    for (let i = 0; i < 250; i++) world.add(other);
  }
  assert.equal(seen, [first, ...rest.slice(250)]);
  assert.equal(world.of(other).sort(), rest.slice(0, 250).sort());
  assert.is(stats.numChildren(parent), 50);
  assert.is(stats.numChildren(other), 250);
});

test('a child belongs to one parent', () => {
  const { children, parent, slots } = worldOf(2);
  const [a = -1, b = -1] = slots;
  assert.ok(children.isChild(a, parent));
  assert.not.ok(children.isChild(a, b));
  assert.not.ok(children.isChild(-1, parent));
});

test('the next znode of a slot has no children', () => {
  const { world, stats, parent, slots } = worldOf(2);
  const [a = -1] = slots;
  const below = world.add(a);
  world.remove(a, below);
  world.remove(parent, a);
  const again = world.add(parent);
  assert.is(again, a);
  assert.equal(world.of(again), []);
  assert.is(stats.numChildren(again), 0);
});

test('parents may have any slots', () => {
  const { world, stats, parent, slots } = worldOf(20_000);
  for (let at = 0; at < slots.length; at += 1999) {
    const slot = slots[at] ?? -1;
    const below = [world.add(slot), world.add(slot)];
    assert.equal(world.of(slot), below);
    assert.is(stats.numChildren(slot), 2);
    assert.is(world.table.parent(below[0] ?? -1), slot);
  }
  assert.equal(world.of(parent), slots);
});

test.run();
