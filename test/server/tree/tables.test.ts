import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { type ACL, Stat, StatPersisted } from '../../../src/protocol/data.js';
import { OPEN_ACL_UNSAFE, READ_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { AclTable, aclText, OPEN_ACL_KEY } from '../../../src/server/tree/acl-table.js';
import { DataNode } from '../../../src/server/tree/data-node.js';
import { PathTable } from '../../../src/server/tree/path-table.js';
import { StatTable } from '../../../src/server/tree/stat-table.js';
import { Random } from '../../support/random.js';

const MAX = 0x7fff_ffff_ffff_ffffn;
const MIN = -0x8000_0000_0000_0000n;

const STAT: StatPersisted = {
  czxid: MAX,
  mzxid: MIN,
  ctime: -1n,
  mtime: 0xffff_ffffn,
  version: 0x7fff_ffff,
  cversion: 5,
  aversion: -0x8000_0000,
  ephemeralOwner: MIN,
  pzxid: (1n << 53n) + 1n,
};

function persisted(table: StatTable, slot: number): StatPersisted {
  const bytes = Buffer.alloc(60);
  table.copyPersisted(slot, new DataView(bytes.buffer, bytes.byteOffset), 0);
  return StatPersisted.decode(bytes);
}

function shown(table: StatTable, slot: number): Stat {
  const out = new OutputArchive();
  table.writeStat(out, slot);
  assert.is(out.length, 68);
  return Stat.decode(out.take());
}

test('a Stat is exact for all of its bits', () => {
  const table = new StatTable();
  const slot = table.allocate(STAT, MAX, 12);
  assert.equal(persisted(table, slot), STAT);
  assert.equal(shown(table, slot), {
    czxid: MAX,
    mzxid: MIN,
    ctime: -1n,
    mtime: 0xffff_ffffn,
    version: 0x7fff_ffff,
    cversion: 10,
    aversion: -0x8000_0000,
    ephemeralOwner: MAX,
    dataLength: 12,
    numChildren: 0,
    pzxid: (1n << 53n) + 1n,
  });
  assert.is(table.czxid(slot), MAX);
  assert.is(table.mzxid(slot), MIN);
  assert.is(table.mtime(slot), 0xffff_ffffn);
  assert.is(table.pzxid(slot), (1n << 53n) + 1n);
  assert.is(table.version(slot), 0x7fff_ffff);
  assert.is(table.cversion(slot), 5);
  assert.is(table.aversion(slot), -0x8000_0000);
  assert.is(table.ephemeralOwner(slot), MIN);
});

test('clients see twice the creates less the children that are there', () => {
  const table = new StatTable();
  const slot = table.allocate({ ...STAT, cversion: 0 }, 0n, 0);
  for (const [creates, children, cversion] of [
    [0, 0, 0],
    [1, 1, 1],
    [1, 0, 2],
    [5, 2, 8],
    [0, 1, -1],
    [0x4000_0000, 0, -0x8000_0000],
  ] as const) {
    table.setCversion(slot, creates);
    table.setNumChildren(slot, children);
    assert.is(shown(table, slot).cversion, cversion);
    assert.is(shown(table, slot).numChildren, children);
  }
});

test('a change touches its own fields', () => {
  const table = new StatTable();
  const slot = table.allocate(STAT, 0n, 1);
  const before = shown(table, slot);
  table.setData(slot, 7n, 8n, 9, 10);
  assert.equal(shown(table, slot), { ...before, mzxid: 7n, mtime: 8n, version: 9, dataLength: 10 });
  table.setPzxid(slot, 11n);
  table.setAversion(slot, 12);
  table.setDataLength(slot, 13);
  assert.equal(shown(table, slot), {
    ...before,
    mzxid: 7n,
    mtime: 8n,
    version: 9,
    dataLength: 13,
    pzxid: 11n,
    aversion: 12,
  });
});

test('an owner of any bits is an owner', () => {
  const table = new StatTable();
  for (const owner of [1n, MIN, -1n, 1n << 32n, MAX]) {
    assert.ok(table.hasOwner(table.allocate({ ...STAT, ephemeralOwner: owner }, 0n, 0)));
  }
  assert.not.ok(table.hasOwner(table.allocate({ ...STAT, ephemeralOwner: 0n }, 0n, 0)));
});

test('slots are independent across chunks, and used again clean', () => {
  const table = new StatTable();
  const slots = Array.from({ length: 10_000 }, (_, i) =>
    table.allocate({ ...STAT, czxid: BigInt(i), cversion: 0 }, BigInt(i), i),
  );
  assert.is(new Set(slots).size, slots.length);
  slots.forEach((slot, i) => {
    const stat = shown(table, slot);
    assert.is(stat.czxid, BigInt(i));
    assert.is(stat.ephemeralOwner, BigInt(i));
    assert.is(stat.dataLength, i);
  });
  const freed = slots[4096] ?? -1;
  table.setNumChildren(freed, 3);
  table.setDigest(freed, 0xffff_ffff);
  assert.is(table.digest(freed), 0xffff_ffff);
  table.release(freed);
  const again = table.allocate({ ...STAT, cversion: 0 }, 0n, 0);
  assert.is(again, freed);
  assert.is(table.digest(again), 0);
  assert.is(shown(table, again).numChildren, 0);
  assert.is(shown(table, slots[4095] ?? -1).czxid, 4095n);
  assert.is(shown(table, slots[4097] ?? -1).czxid, 4097n);
});

test('a Stat from the bytes of a snapshot is the one from its record', () => {
  const [fromRecord, fromBytes] = [new StatTable(), new StatTable()];
  const [a, b] = [
    fromRecord.allocate(STAT, 0n, 7),
    fromBytes.allocatePersisted(StatPersisted.encode(STAT), 0, 7),
  ];
  assert.equal(persisted(fromBytes, b), STAT);
  assert.equal(shown(fromBytes, b), shown(fromRecord, a));
  fromBytes.setPersisted(b, StatPersisted.encode({ ...STAT, version: 5 }), 0, 9, 3);
  assert.equal(shown(fromBytes, b), {
    ...shown(fromRecord, a),
    version: 5,
    cversion: 2 * STAT.cversion - 3,
    dataLength: 9,
    numChildren: 3,
  });
});

test('a path finds its znode, whatever shard it is in', () => {
  const table = new PathTable();
  const paths = ['', '/', '/a', '/ü', ...Array.from({ length: 5000 }, (_, i) => `/p/${i}`)];
  paths.forEach((path, i) => {
    table.set(path, new DataNode(path, null, OPEN_ACL_KEY, i));
  });
  assert.is(table.size, paths.length);
  for (const [i, path] of paths.entries()) assert.is(table.get(path)?.slot, i);
  assert.is(table.get('/p'), undefined);
});

test('the count of paths follows creates and deletes', () => {
  const table = new PathTable();
  const node = new DataNode('/a', null, OPEN_ACL_KEY, 0);
  table.set('/a', node);
  table.set('/a', node);
  assert.is(table.size, 1);
  table.delete('/b');
  assert.is(table.size, 1);
  table.delete('/a');
  table.delete('/a');
  assert.is(table.size, 0);
  assert.is(table.get('/a'), undefined);
});

test('through 200,000 changes it holds what a Map holds, in long runs too', () => {
  for (const paths of [64, 20_000]) {
    const random = new Random(paths);
    const table = new PathTable();
    const model = new Map<string, DataNode>();
    for (let i = 0; i < 100_000; i++) {
      const path = `/${random.below(paths).toString(36)}`;
      if (random.oneIn(2)) {
        const node = new DataNode(path, null, OPEN_ACL_KEY, i);
        table.set(path, node);
        model.set(path, node);
      } else {
        table.delete(path);
        model.delete(path);
      }
      const asked = `/${random.below(paths).toString(36)}`;
      assert.is(table.get(asked), model.get(asked));
    }
    assert.is(table.size, model.size);
    for (const [path, node] of model) assert.is(table.get(path), node);
  }
});

test('sequential znodes are spread over the shards', () => {
  const table = new PathTable();
  for (let i = 0; i < 25_600; i++) {
    const path = `/q/n${String(i).padStart(10, '0')}`;
    table.set(path, new DataNode(path, null, OPEN_ACL_KEY, i));
  }
  const { shards } = table as unknown as { shards: readonly { readonly count: number }[] };
  const largest = Math.max(...shards.map(({ count }) => count));
  assert.ok(largest < 25_600 / 32, `${largest} in one shard`);
});

const ACL_A: readonly ACL[] = [{ perms: 1, id: { scheme: 'digest', id: 'u:x' } }];

test('the open ACL is not kept: its key is Apache’s', () => {
  const table = new AclTable();
  assert.is(table.acquire(OPEN_ACL_UNSAFE), OPEN_ACL_KEY);
  assert.is(OPEN_ACL_KEY, -1);
  assert.equal(table.get(OPEN_ACL_KEY), OPEN_ACL_UNSAFE);
  table.release(OPEN_ACL_KEY);
  assert.equal([...table.entries()], []);
});

test('an ACL is kept once, for as long as it is used', () => {
  const table = new AclTable();
  const key = table.acquire(ACL_A);
  assert.is(table.acquire([...ACL_A]), key);
  assert.is.not(table.acquire(READ_ACL_UNSAFE), key);
  assert.equal(table.get(key), ACL_A);
  assert.is([...table.entries()].length, 2);
  table.release(key);
  assert.equal(table.get(key), ACL_A);
  table.release(key);
  assert.equal(table.get(key), []);
  assert.is([...table.entries()].length, 1);
  // A key that is free now is not given to another ACL.
  assert.is.not(table.acquire(ACL_A), key);
});

test('ACLs differ by order, by perms and by where scheme and id divide', () => {
  const entry = (perms: number, scheme: string, id: string): ACL => ({ perms, id: { scheme, id } });
  const texts = [
    [entry(1, 'a', 'b')],
    [entry(2, 'a', 'b')],
    [entry(1, 'a:b', '')],
    [entry(1, 'a', 'b'), entry(1, 'c', 'd')],
    [entry(1, 'c', 'd'), entry(1, 'a', 'b')],
    [entry(1, 'a', 'b"],1:["c')],
    [],
  ].map(aclText);
  assert.is(new Set(texts).size, texts.length);
});

test('a znode is younger than a zxid by all 64 bits', () => {
  const zxids = [-1n, 0n, 1n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 1n << 32n, MAX];
  for (const czxid of zxids) {
    const table = new StatTable();
    const slot = table.allocateNew(czxid, 0n, 0n);
    for (const zxid of zxids)
      assert.is(table.isYounger(slot, zxid), czxid > zxid, `${czxid} ${zxid}`);
  }
});

test.run();
