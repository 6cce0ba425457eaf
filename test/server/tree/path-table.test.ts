import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DataNode } from '../../../src/server/tree/data-node.js';
import { PathTable } from '../../../src/server/tree/path-table.js';
import { Random } from '../../support/random.js';

const NAMES = ['a', 'b', 'ab', 'node-1', 'node-2', 'größe', '値', '\u{80}', 'x'.repeat(200)];

function randomPath(random: Random): string {
  const depth = 1 + random.below(3);
  return Array.from({ length: depth }, () => `/${random.pick(NAMES)}`).join('');
}

test('a path is found by its string and by its bytes, as in a map', () => {
  const random = new Random(1);
  const table = new PathTable(random.below(1 << 30));
  const model = new Map<string, DataNode>();
  let slot = 0;
  for (let step = 0; step < 20_000; step++) {
    const path = randomPath(random);
    if (random.oneIn(3)) {
      const node = new DataNode(path, '', 0, slot++);
      table.set(path, node);
      model.set(path, node);
    } else if (random.oneIn(4)) {
      table.delete(path);
      model.delete(path);
    }
    const asked = random.oneIn(2) ? path : randomPath(random);
    const expected = model.get(asked);
    assert.is(table.get(asked), expected);
    const bytes = Buffer.from(`before${asked}after`);
    const length = Buffer.byteLength(asked);
    const isAscii = length === asked.length;
    assert.is(table.find(bytes, 6, length), isAscii ? expected : undefined, asked);
  }
  assert.is(table.size, model.size);
});

test('bytes in another encoding find nothing', () => {
  const table = new PathTable();
  const node = new DataNode('/\u{e9}', '', 0, 0);
  table.set(node.path, node);
  assert.is(table.get('/\u{e9}'), node);
  assert.is(table.find(Buffer.from([0x2f, 0xe9]), 0, 2), undefined);
});

test('numbered names rarely share a hash, wherever their digits begin', () => {
  const table = new PathTable(12345);
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

test.run();
