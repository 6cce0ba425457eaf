import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { aclText } from '../../../src/protocol/acl-codec.js';
import { type ACL, StatPersisted, StatRecord } from '../../../src/protocol/data.js';
import { OPEN_ACL_UNSAFE, READ_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { AclTable, OPEN_ACL_KEY } from '../../../src/server/tree/acl-table.js';
import { StatTable } from '../../../src/server/tree/stat-table.js';

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
  const out = new OutputArchive();
  table.writePersisted(out, slot);
  assert.is(out.length, 60);
  return StatPersisted.decode(out.take());
}

function shown(table: StatTable, slot: number): StatRecord {
  const out = new OutputArchive();
  table.writeStat(out, slot);
  assert.is(out.length, 68);
  return StatRecord.decode(out.take());
}

test('a Stat is exact for all of its bits', () => {
  const table = new StatTable();
  const slot = table.allocate(STAT, MAX);
  table.setDataLength(slot, 12);
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
  const slot = table.allocate({ ...STAT, cversion: 0 }, 0n);
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
  const slot = table.allocate(STAT, 0n);
  table.setDataLength(slot, 1);
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
    assert.ok(table.hasOwner(table.allocate({ ...STAT, ephemeralOwner: owner }, 0n)));
  }
  assert.not.ok(table.hasOwner(table.allocate({ ...STAT, ephemeralOwner: 0n }, 0n)));
});

test('slots are independent across chunks, and used again clean', () => {
  const table = new StatTable();
  const slots = Array.from({ length: 10_000 }, (_, i) =>
    table.allocate({ ...STAT, czxid: BigInt(i), cversion: 0 }, BigInt(i)),
  );
  for (const [i, slot] of slots.entries()) table.setDataLength(slot, i);
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
  const again = table.allocate({ ...STAT, cversion: 0 }, 0n);
  assert.is(again, freed);
  assert.is(table.digest(again), 0);
  assert.is(shown(table, again).dataLength, 0);
  assert.is(shown(table, again).numChildren, 0);
  assert.is(shown(table, slots[4095] ?? -1).czxid, 4095n);
  assert.is(shown(table, slots[4097] ?? -1).czxid, 4097n);
});

test('a Stat from the bytes of a snapshot is the one from its record', () => {
  const [fromRecord, fromBytes] = [new StatTable(), new StatTable()];
  const [a, b] = [
    fromRecord.allocate(STAT, 0n),
    fromBytes.allocatePersisted(Buffer.concat([Buffer.alloc(3), StatPersisted.encode(STAT)]), 3),
  ];
  assert.equal(persisted(fromBytes, b), STAT);
  assert.equal(shown(fromBytes, b), shown(fromRecord, a));
  fromBytes.setDataLength(b, 9);
  fromBytes.setNumChildren(b, 3);
  fromBytes.setPersisted(b, StatPersisted.encode({ ...STAT, version: 5 }), 0);
  assert.equal(shown(fromBytes, b), {
    ...shown(fromRecord, a),
    version: 5,
    cversion: 2 * STAT.cversion - 3,
    dataLength: 9,
    numChildren: 3,
  });
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
