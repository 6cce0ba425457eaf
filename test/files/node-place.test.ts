import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contentCrc, nodeDigest, orderPersisted } from '../../src/files/digest.js';
import { placeDigest } from '../../src/files/node-place.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { Database } from '../../src/server/persistence/replay.js';
import { addNode } from '../support/bytes/add-node.js';
import { ByteBuilder } from '../support/bytes/byte-builder.js';

const STAT = Buffer.alloc(60);
const OPEN = -1n;

/** What the periodic audit of the tree computes again from the strings. */
function compareCrcs({ tree }: Database): void {
  for (const node of tree.walk()) {
    const path = tree.pathOf(node);
    if (path === '/') continue;
    assert.is(tree.statOf(node).contentCrc, contentCrc(path, tree.dataOf(node)), path);
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

test('the digest from the bytes of a snapshot is that of the strings', () => {
  const stat = new ByteBuilder().long(0x0102030405060708n).long(0x1112131415161718n);
  stat.long(0x2122232425262728n).long(0x3132333435363738n).int(4).int(5).int(6).long(7n);
  const persisted = stat.long(0x4142434445464748n).build();
  const path = Buffer.from('/a');
  const data = Buffer.from('data');
  const bytes = new ByteBuilder().string('/a').int(4).build();
  const all = Buffer.concat([bytes, data, Buffer.alloc(8, 0xff), persisted]);
  const pathEnd = 4 + path.length;
  const place = { bytes: all, start: 0, pathEnd, dataEnd: bytes.length + 4, end: all.length };
  const ordered = Buffer.alloc(60);
  orderPersisted(persisted, ordered);
  assert.is(placeDigest(place), nodeDigest('/a', data, ordered));
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

test('a path beyond ASCII is found after a restart, and so are its children', () => {
  const database = new Database({});
  const { tree } = database;
  addNode(database, '', null, OPEN, STAT);
  for (const path of ['/ü', '/ü/日本', '/ü/日本/a', '/ü/日本/値']) {
    addNode(database, path, Buffer.from(path), OPEN, STAT);
    assert.is(tree.dataAt(path), Buffer.from(path).toString('latin1'), path);
  }
  // A snapshot may have a znode twice.
  addNode(database, '/ü/日本/a', Buffer.from('new'), OPEN, STAT);
  addNode(database, '/ü/日本/値', Buffer.from('new'), OPEN, STAT);
  const parent = tree.get('/ü/日本');
  const names = parent && [...tree.childrenOf(parent)].map((child) => tree.pathOf(child));
  assert.equal(names, ['/ü/日本/a', '/ü/日本/値']);
  assert.is(tree.dataAt('/ü/日本/値'), 'new');
  tree.apply({ sessionId: 1n, cxid: 1, zxid: 9n, time: 9n }, { type: OpCode.delete, path: '/ü' });
  for (const path of ['/ü', '/ü/日本', '/ü/日本/a', '/ü/日本/値']) {
    assert.is(tree.get(path), undefined, path);
  }
});

function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`);
}

test.run();
