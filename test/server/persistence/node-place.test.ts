import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Database } from '../../../src/server/persistence/replay.js';
import { contentCrc } from '../../../src/server/tree/digest.js';
import { addNode } from '../../support/bytes/add-node.js';

const STAT = Buffer.alloc(60);
const OPEN = -1n;

/** What the periodic audit of the tree computes again from the strings. */
function compareCrcs({ tree }: Database): void {
  for (const { path, data, slot } of tree.walk()) {
    if (path !== '/') assert.is(tree.stats.contentCrc(slot), contentCrc(path, data), path);
  }
}

test('the CRC-32 from the bytes of a snapshot is that of the strings', () => {
  const database = new Database({});
  addNode(database, '', null, OPEN, STAT);
  addNode(database, '/zookeeper', null, OPEN, STAT);
  for (const path of ['/a', '/a/long/enough/for/words', '/ü', '/日本', '/zookeeper/quota']) {
    for (const data of [null, Buffer.alloc(0), Buffer.from([0, 128, 255]), Buffer.alloc(100, 1)]) {
      for (const parent of parentsOf(path)) addNode(database, parent, null, OPEN, STAT);
      addNode(database, path, data, OPEN, STAT);
      compareCrcs(database);
    }
  }
});

test('a path with invalid UTF-8 has the CRC-32 of the path that clients see', () => {
  const database = new Database({});
  addNode(database, '', null, OPEN, STAT);
  const bytes = Buffer.alloc(4 + 2 + 4 + 8 + 60);
  bytes.set([0, 0, 0, 2, 0x2f, 0xff]);
  bytes.fill(0xff, 10, 18);
  database.addNode({ bytes, start: 0, pathEnd: 6, dataEnd: 10, end: bytes.length });
  assert.ok(database.tree.get('/\ufffd'));
  compareCrcs(database);
});

function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
}

test.run();
