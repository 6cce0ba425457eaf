import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { ContentTable } from '../../../src/server/tree/content-table.js';
import { NodeTable } from '../../../src/server/tree/node-table.js';
import { NO_SLOT, PathTable } from '../../../src/server/tree/path-table.js';
import { StatTable } from '../../../src/server/tree/stat-table.js';
import { Random } from '../../support/random.js';

const NAMES = ['a', 'b', 'ab', 'node-1', 'node-2', 'größe', '値', '\u{80}', 'x'.repeat(200)];

function randomPath(random: Random): string {
  const depth = 1 + random.below(3);
  return Array.from({ length: depth }, () => `/${random.pick(NAMES)}`).join('');
}

/** A table with the paths that it finds, and a Map of the same. */
class World {
  readonly stats = new StatTable();
  readonly content = new ContentTable(new NodeTable(), this.stats);
  readonly table: PathTable;
  readonly model = new Map<string, number>();

  constructor(seed?: number) {
    this.table = new PathTable(this.content, seed);
  }

  /** A znode that its path does not find yet. */
  make(path: string): number {
    const slot = this.stats.allocateNew(1n, 1n, 0n);
    this.content.add(slot, path, '');
    return slot;
  }

  add(path: string): number {
    const slot = this.make(path);
    this.table.insert(this.table.hashOf(path), slot);
    this.model.set(path, slot);
    return slot;
  }

  /** The next znode gets its slot. */
  remove(path: string): void {
    const slot = this.model.get(path);
    this.table.delete(path, slot ?? 0);
    if (slot === undefined) return;
    this.model.delete(path);
    this.content.remove(slot);
    this.stats.release(slot);
  }

  /** As a znode that is deleted and created again, in another slot. */
  replace(path: string): void {
    const before = this.model.get(path);
    const slot = this.make(path);
    if (before !== undefined) this.remove(path);
    this.table.insert(this.table.hashOf(path), slot);
    this.model.set(path, slot);
  }

  expected(path: string): number {
    return this.model.get(path) ?? NO_SLOT;
  }

  find(path: string, hash?: number): number {
    const bytes = Buffer.from(`before${path}after`);
    return this.table.find(bytes, 6, Buffer.byteLength(path), hash);
  }

  check(): void {
    assert.is(this.table.size, this.model.size);
    for (const [path, slot] of this.model) assert.is(this.table.get(path), slot, path);
  }
}

test('a path is found by its string and by its bytes, as in a map', () => {
  const random = new Random(1);
  const world = new World(random.below(1 << 30));
  for (let step = 0; step < 20_000; step++) {
    const path = randomPath(random);
    if (random.oneIn(3)) world.replace(path);
    else if (random.oneIn(4)) world.remove(path);
    const asked = random.oneIn(2) ? path : randomPath(random);
    const expected = world.expected(asked);
    assert.is(world.table.get(asked), expected);
    assert.is(world.find(asked), expected, asked);
  }
  world.check();
});

test('bytes in another encoding find nothing', () => {
  const world = new World();
  const slot = world.add('/\u{e9}');
  assert.is(world.table.get('/\u{e9}'), slot);
  assert.is(world.table.find(Buffer.from([0x2f, 0xe9]), 0, 2), NO_SLOT);
  // These two bytes are the name of the other in UTF-8.
  const other = world.add('/\u{c3}\u{a9}');
  assert.is(world.table.get('/\u{e9}'), slot);
  assert.is(world.table.get('/\u{c3}\u{a9}'), other);
  assert.is(world.table.find(Buffer.from('/\u{e9}', 'utf8'), 0, 3), slot);
});

test('numbered names rarely share a hash, wherever their digits begin', () => {
  const { table } = new World(12345);
  for (const folder of ['/a', '/ab', '/abc', '/abcd']) {
    for (const nameOf of [
      (i: number) => `${folder}/n${i}`,
      (i: number) => `${folder}/n${String(i).padStart(10, '0')}`,
    ]) {
      const hashes = new Set(Array.from({ length: 100_000 }, (_, i) => table.hashOf(nameOf(i))));
      // Random hashes would share one in a million; a thousandth costs nothing.
      assert.ok(hashes.size > 99_900, `${nameOf(0)}: ${100_000 - hashes.size} shared`);
    }
  }
});

test('the hash of a path is that of its bytes', () => {
  const { table } = new World(77);
  for (let length = 1; length < 40; length++) {
    const path = `/${'node-0123456789'.repeat(3).slice(0, length - 1)}`;
    const bytes = Buffer.from(`before${path}after`);
    assert.is(table.hashOfBytes(bytes, 6, length), table.hashOf(path), path);
  }
});

test('paths that share a hash are distinct', () => {
  const world = new World();
  const hash = world.table.hashOf('/none');
  const paths = ['/a', '/b', '/a/b', '/\u{e9}', '/e'];
  const slots = paths.map((path) => world.make(path));
  for (const slot of slots) world.table.insert(hash, slot);
  for (const [i, path] of paths.entries()) {
    assert.is(world.table.get(path, hash), slots[i], path);
    assert.is(world.find(path, hash), slots[i], path);
  }
  assert.is(world.table.get('/none'), NO_SLOT);
  assert.is(world.find('/none'), NO_SLOT);
});

test('of two paths that share a hash, one may be deleted', () => {
  const random = new Random(2);
  const { table } = new World();
  const byHash = new Map<number, string>();
  const pairs: (readonly [string, string])[] = [];
  for (let i = 0; i < 2_000_000 && pairs.length < 3; i++) {
    const path = `/${random.below(1 << 30).toString(36)}${random.below(1 << 30).toString(36)}`;
    const hash = table.hashOf(path);
    const other = byHash.get(hash);
    if (other !== undefined && other !== path) pairs.push([other, path]);
    byHash.set(hash, path);
  }
  assert.is(pairs.length, 3);
  for (const pair of pairs) {
    for (const [gone, kept] of [pair, [pair[1], pair[0]] as const]) {
      const world = new World();
      for (const path of pair) world.add(path);
      world.check();
      world.remove(gone);
      assert.is(world.table.get(gone), NO_SLOT);
      assert.is(world.find(gone), NO_SLOT);
      assert.is(world.find(kept), world.expected(kept));
      world.check();
    }
  }
});

test('a path finds its znode, whatever shard it is in', () => {
  const world = new World();
  const root = world.add('/');
  world.table.setNameless(root);
  const paths = ['/a', '/ü', ...Array.from({ length: 5000 }, (_, i) => `/p/${i}`)];
  for (const path of paths) world.add(path);
  // The root has two.
  assert.is(world.table.size, paths.length + 2);
  for (const path of paths) assert.is(world.table.get(path), world.expected(path));
  for (const path of ['', '/']) assert.is(world.table.get(path), root);
  assert.is(world.table.get('/p'), NO_SLOT);
});

test('the count of paths follows creates and deletes', () => {
  const world = new World();
  const { table } = world;
  assert.is(table.get(''), NO_SLOT);
  const slot = world.add('/a');
  assert.is(table.size, 1);
  table.setNameless(slot);
  table.setNameless(slot);
  assert.is(table.size, 2);
  table.delete('/b', slot);
  table.delete('/a', slot + 1);
  assert.is(table.size, 2);
  assert.is(table.get('/a'), slot);
  table.delete('/a', slot);
  table.delete('/a', slot);
  assert.is(table.size, 1);
  assert.is(table.get('/a'), NO_SLOT);
});

test('a path that was just used does not find the znode that was deleted', () => {
  const world = new World();
  const slot = world.add('/a');
  world.table.remember('/a', slot, world.table.hashOf('/a'));
  assert.is(world.table.get('/a'), slot);
  world.remove('/a');
  assert.is(world.table.get('/a'), NO_SLOT);
  assert.is(world.add('/b'), slot);
  assert.is(world.table.get('/a'), NO_SLOT);
  assert.is(world.table.get('/b'), slot);
});

test('a path is read whether a znode has it or not, and again after its znode was deleted', () => {
  const world = new World();
  const read = (path: string): string => {
    const out = new OutputArchive();
    out.writeString(path);
    return world.table.readPath(new InputArchive(out.take()));
  };
  for (const path of ['/a', '/b', '/\u{e1}']) world.add(path);
  for (const path of ['/a', '/a', '/b', '/\u{e1}', '/missing', '/b']) assert.is(read(path), path);
  world.remove('/b');
  world.add('/c');
  for (const path of ['/b', '/c', '/b']) assert.is(read(path), path);
});

test('through 200,000 changes it holds what a Map holds, in long runs too', () => {
  for (const paths of [64, 20_000]) {
    const random = new Random(paths);
    const world = new World();
    for (let i = 0; i < 100_000; i++) {
      const path = `/${random.below(paths).toString(36)}`;
      if (random.oneIn(2)) world.replace(path);
      else world.remove(path);
      const asked = `/${random.below(paths).toString(36)}`;
      assert.is(world.table.get(asked), world.expected(asked));
    }
    world.check();
  }
});

test('sequential znodes are spread over the shards', () => {
  const world = new World();
  for (let i = 0; i < 25_600; i++) world.add(`/q/n${String(i).padStart(10, '0')}`);
  const { shards } = world.table as unknown as {
    shards: readonly { readonly count: number }[];
  };
  const largest = Math.max(...shards.map(({ count }) => count));
  assert.ok(largest < 25_600 / 32, `${largest} in one shard`);
});

/** With this seed, the state of the hash is 0 after the path, which has four bytes. */
function seedOfZero(path: string): number {
  const word = Buffer.from(path).readInt32LE();
  const product = Math.imul(word, 0xcc9e2d51 | 0);
  return product ^ (product >>> 15) ^ 4;
}

test('no hash is 0, which marks a free place', () => {
  for (const path of ['/abc', '/xyz', '/~~~']) {
    const world = new World(seedOfZero(path));
    const bytes = Buffer.from(`before${path}`);
    assert.is(world.table.hashOf(path), 1);
    assert.is(world.table.hashOfBytes(bytes, 6, 4), 1);
    assert.is.not(world.table.hashOf('/abd'), 1);
    world.add(path);
    world.add('/other');
    assert.is(world.table.get(path), world.expected(path));
    world.check();
  }
});

test('paths of all lengths have hashes of their own', () => {
  const { table } = new World(7);
  const hashes = new Set<number>();
  const paths = new Set<string>();
  for (let i = 0; i < 20_000; i++) {
    paths.add(`/${i}`);
    paths.add(`/${i % 100}/${i.toString(36).padStart(8, '0')}`);
  }
  for (const path of paths) hashes.add(table.hashOf(path));
  // Of 40,000 random numbers of 32 bits, hardly one is like another.
  assert.ok(paths.size - hashes.size < 5, `${paths.size - hashes.size} are alike`);
});

test.run();
