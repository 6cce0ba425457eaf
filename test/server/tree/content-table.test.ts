import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { crc32 } from '../../../src/base/checksum.js';
import { RequestData } from '../../../src/files/txn-data.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { ContentTable } from '../../../src/server/tree/content-table.js';
import { NodeTable } from '../../../src/server/tree/node-table.js';
import { StatTable } from '../../../src/server/tree/stat-table.js';
import { Random } from '../../support/random.js';

const test = suite('ContentTable');

const STAT = Buffer.alloc(60);
const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');

type Data = string | null;

interface Znode {
  readonly path: string;
  data: Data;
}

/** A buffer in jute, after other bytes. */
function juteOf(before: Buffer, data: Data, after = 'after'): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(data === null ? -1 : data.length);
  return Buffer.concat([before, length, Buffer.from(data ?? '', 'latin1'), Buffer.from(after)]);
}

/** The table, and a Map of the same. */
class World {
  readonly stats = new StatTable();
  readonly table = new NodeTable();
  readonly content = new ContentTable(this.table, this.stats);
  readonly znodes = new Map<number, Znode>();
  private readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  add(path: string, data: Data): number {
    const slot = this.stats.allocateNew(1n, 1n, 0n);
    this.content.add(slot, path, this.given(data));
    this.znodes.set(slot, { path, data });
    return slot;
  }

  load(path: string, data: Data): number {
    const before = Buffer.from('before'.slice(this.random.below(6)));
    const slot = this.stats.allocatePersisted(STAT, 0);
    const dataAt = before.length + Buffer.byteLength(path);
    const bytes = juteOf(Buffer.concat([before, Buffer.from(path)]), data);
    this.content.load(slot, bytes, before.length, dataAt, Buffer.byteLength(path) === path.length);
    this.znodes.set(slot, { path, data });
    return slot;
  }

  setData(slot: number, data: Data): void {
    this.content.setData(slot, this.given(data));
    this.znodeOf(slot).data = data;
  }

  loadData(slot: number, data: Data): void {
    const before = Buffer.from('before'.slice(this.random.below(6)));
    this.content.loadData(slot, juteOf(before, data), before.length);
    this.znodeOf(slot).data = data;
  }

  /** The next znode gets its slot. */
  remove(slot: number): void {
    this.content.remove(slot);
    this.znodes.delete(slot);
    this.table.release(slot);
    assert.not.ok(this.table.isUsed(slot));
    this.stats.release(slot);
  }

  znodeOf(slot: number): Znode {
    return this.znodes.get(slot) as Znode;
  }

  check(slot: number): void {
    this.checkPath(slot);
    this.checkData(slot);
  }

  checkAll(): void {
    for (const slot of this.znodes.keys()) this.check(slot);
    assert.is(this.stats.count, this.znodes.size);
    const sizes = [...this.znodes.values()].map(
      ({ path, data }) => path.length + (data?.length ?? 0),
    );
    assert.is(
      this.content.size,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }

  /** As a string, or as bytes of a request. */
  private given(data: Data): Data | RequestData {
    if (data === null || this.random.oneIn(2)) return data;
    const before = Buffer.from('before'.slice(this.random.below(6)));
    const bytes = Buffer.concat([before, Buffer.from(data, 'latin1'), Buffer.from('after')]);
    return new RequestData(bytes, before.length, data.length);
  }

  private checkPath(slot: number): void {
    const { content } = this;
    const { path } = this.znodeOf(slot);
    const encoded = Buffer.from(path);
    const { length } = encoded;
    assert.ok(this.table.isUsed(slot));
    assert.is(content.pathOf(slot), path);
    assert.is(content.pathLength(slot), path.length);
    assert.is(content.prefixLength(slot), length === 1 ? 1 : length + 1);
    assert.ok(content.isAt(slot, path));
    for (const other of [`${path}x`, path.slice(0, -1), `x${path.slice(1)}`, path.toUpperCase()]) {
      assert.is(content.isAt(slot, other), other === path, other);
    }
    const bytes = Buffer.concat([Buffer.from('before'), encoded, Buffer.from('after')]);
    assert.ok(content.isAtBytes(slot, bytes, 6, length));
    assert.not.ok(content.isAtBytes(slot, bytes, 6, length - 1));
    assert.not.ok(content.isAtBytes(slot, bytes, 6, length + 1));
    assert.not.ok(content.isAtBytes(slot, bytes, 5, length));
    const from = this.random.below(length + 1);
    this.checkWritten(encoded, (out) => content.writePath(out, slot));
    this.checkWritten(encoded.subarray(from), (out) => content.writePath(out, slot, from));
  }

  private checkData(slot: number): void {
    const { content } = this;
    const { data } = this.znodeOf(slot);
    const bytes = Buffer.from(data ?? '', 'latin1');
    assert.is(this.stats.dataLength(slot), bytes.length);
    assert.is(content.isNull(slot), data === null);
    // A difference in a long text would be a long message.
    assert.ok(content.textOf(slot) === data, `text of ${slot}`);
    const view = content.dataOf(slot);
    assert.ok(data === null ? view === null : view?.equals(bytes), `bytes of ${slot}`);
    const seed = this.random.oneIn(2) ? 0 : this.random.below(0x1_0000_0000);
    assert.is(content.dataCrc(slot, seed), crc32(bytes, 0, bytes.length, seed));
    this.checkWritten(data === null ? null : bytes, (out) => content.writeData(out, slot));
    const path = Buffer.from(this.znodeOf(slot).path);
    const both = juteOf(path, data, '');
    this.checkWritten(both, (out) => content.writeTo(out, slot), path.length);
  }

  /** Also into an archive that has just enough memory, or a little less or more. */
  private checkWritten(bytes: Buffer | null, write: (out: OutputArchive) => void, first?: number) {
    const length = Buffer.alloc(4);
    length.writeInt32BE(first ?? bytes?.length ?? -1);
    const before = Buffer.alloc(1 + this.random.below(40), 'before');
    const after = Buffer.alloc(this.random.below(20), 'after');
    const expected = Buffer.concat([before, length, bytes ?? Buffer.alloc(0), after]);
    const room = expected.length - after.length + this.random.below(12) - 6;
    const out = new OutputArchive(this.random.oneIn(3) ? undefined : Math.max(1, room));
    out.writeBytes(before);
    write(out);
    out.writeBytes(after);
    assert.ok(out.take().equals(expected), 'what the archive has');
  }
}

const PATHS = [
  '/',
  '/a',
  '/é',
  '/Ã©',
  '/ü/日本/値',
  '/\u{1f600}/x',
  `/${'long'.repeat(60)}`,
  `/${'longer/'.repeat(200)}x`,
  `/${'日本'.repeat(100)}`,
];

function randomPath(random: Random): string {
  if (random.oneIn(3)) return random.pick(PATHS);
  return `/${'folder'.slice(random.below(6))}/node-${random.below(1_000_000)}`;
}

function randomData(random: Random): Data {
  if (random.oneIn(8)) return null;
  if (random.oneIn(8)) return '';
  if (random.oneIn(8)) return ALL_BYTES;
  const bytes = Buffer.from(Array.from({ length: 1 + random.below(30) }, () => random.below(256)));
  if (random.oneIn(2)) return bytes.toString('latin1');
  const length = random.oneIn(100) ? 300_000 : random.below(random.oneIn(10) ? 9000 : 600);
  return Buffer.alloc(length, bytes).toString('latin1');
}

for (const seed of [1, 2]) {
  test(`has what a Map has through random changes: seed ${seed}`, () => {
    const random = new Random(seed);
    const world = new World(seed);
    for (let step = 1; step <= 8000; step++) {
      const slots = world.znodes.size;
      const slot = random.below(Math.max(1, world.stats.slots));
      const isAdd = slots === 0 || !world.znodes.has(slot) || random.oneIn(4);
      let changed = slot;
      if (isAdd && random.oneIn(2)) changed = world.add(randomPath(random), randomData(random));
      else if (isAdd) changed = world.load(randomPath(random), randomData(random));
      else if (random.oneIn(4)) world.remove(slot);
      else if (random.oneIn(2)) world.setData(slot, randomData(random));
      else world.loadData(slot, randomData(random));
      if (world.znodes.has(changed)) world.check(changed);
      const other = random.below(world.stats.slots);
      if (world.znodes.has(other)) world.check(other);
      if (step % 2000 === 0) world.checkAll();
    }
    for (const slot of [...world.znodes.keys()]) world.remove(slot);
    assert.is(world.stats.count, 0);
  });
}

test('data of every length leaves the neighbors as they are', () => {
  const world = new World(3);
  const pattern = ALL_BYTES.repeat(4);
  const slots = ['/é', '/b', '/c'].map((path) => world.add(path, pattern.slice(0, 20)));
  for (let length = 0; length <= 1000; length++) {
    for (const slot of slots) world.setData(slot, pattern.slice(length % 7).slice(0, length));
    for (const slot of slots) world.check(slot);
  }
  const [, middle = -1] = slots;
  for (let length = 1000; length >= 0; length -= 3) {
    world.loadData(middle, pattern.slice(0, length));
    for (const slot of slots) world.check(slot);
  }
});

test('null, "", and back keep the path', () => {
  const world = new World(4);
  for (const path of ['/', '/a', '/é']) {
    const slot = world.add(path, null);
    for (const data of ['', null, 'x', '', 'xyz', null, ALL_BYTES, null]) {
      world.setData(slot, data);
      world.check(slot);
      world.loadData(slot, data);
      world.check(slot);
    }
  }
});

test('a path is not that whose characters are its bytes in UTF-8', () => {
  const world = new World(5);
  const bytes = Buffer.from('/é');
  assert.is(bytes.toString('latin1'), '/Ã©');
  for (const make of [world.add.bind(world), world.load.bind(world)]) {
    const [narrow, wide] = [make('/é', 'x'), make('/Ã©', 'y')];
    assert.ok(world.content.isAt(narrow, '/é'));
    assert.not.ok(world.content.isAt(narrow, '/Ã©'));
    assert.ok(world.content.isAt(wide, '/Ã©'));
    assert.not.ok(world.content.isAt(wide, '/é'));
    assert.ok(world.content.isAtBytes(narrow, bytes, 0, bytes.length));
    assert.not.ok(world.content.isAtBytes(wide, bytes, 0, bytes.length));
  }
});

test('a path in ASCII is not one whose characters have the same low bits', () => {
  const world = new World(6);
  const slot = world.add('/a', null);
  for (const other of ['/\u{161}', '/\u{e1}', '\u{12f}a']) {
    assert.not.ok(world.content.isAt(slot, other), other);
    assert.not.ok(world.content.isAt(world.add(other, null), '/a'), other);
  }
});

test('a znode is at or below a path in ASCII', () => {
  const world = new World(7);
  const isBelow = (path: string, top: string) => world.content.isBelow(world.add(path, ''), top);
  for (const path of ['/app', '/app/a', '/app/a/b']) assert.ok(isBelow(path, '/app'), path);
  for (const path of ['/', '/ap', '/apple', '/bpp', '/bpp/a']) assert.not.ok(isBelow(path, '/app'));
  // Its bytes are those of the path in UTF-8.
  assert.not.ok(isBelow('/\u{e1}/a', Buffer.from('/\u{e1}').toString('latin1')));
});

test.run();
