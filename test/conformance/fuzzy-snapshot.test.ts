/**
 * The tree changes while a snapshot is written, so the snapshot holds a state that never existed.
 * With the log after it, each snapshot must give the true tree on either server.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SnapshotReader } from '../../src/files/snapshot-reader.js';
import type { Txn } from '../../src/files/txn.js';
import { type ACL, StatPersisted } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { DataTree } from '../../src/server/tree/data-tree.js';
import { hasOracle, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { placeOf } from '../support/bytes/add-node.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { Random } from '../support/random.js';
import { encodeOp } from './support/encode-op.js';
import { RawClient } from './support/raw-client.js';
import { type WalkedNode, walkTree } from './support/walk.js';
import type { Op } from './support/world.js';

/** Enough that a snapshot takes dozens of pieces, with writes between them. */
const ZNODES = 5000;
const WRITES = 12_000;
const IN_FLIGHT = 100;
const DATA_LENGTH = 400;
const MAX_ENTRY_LENGTH = 1024 * 1024;
const SNAPSHOTS_TRIED = 3;
/** A snapshot begins every few hundred writes, just after the previous one has ended. */
const CONFIG = { snapCount: '1500', tickTime: '2000' };

/** All of them permit reading. The ACL of a znode changes all the time. */
const ACLS: readonly (readonly ACL[])[] = [31, 29, 27, 23, 15].map((perms, i) => [
  { perms: 31, id: { scheme: 'world', id: 'anyone' } },
  { perms, id: { scheme: 'digest', id: `user${i}:x` } },
]);

class Load {
  private readonly random = new Random(11);

  first(index: number): Op {
    return this.create(pathOf(index));
  }

  next(): Op {
    const { random } = this;
    const path = pathOf(random.below(ZNODES));
    const child = `${path}/c${random.below(3)}`;
    switch (random.below(8)) {
      case 0:
        return { type: OpCode.setACL, value: { path, acl: random.pick(ACLS), version: -1 } };
      case 1:
        return { type: OpCode.delete, value: { path, version: -1 } };
      case 2:
        return this.create(path);
      case 3:
        return this.create(child);
      case 4:
        return { type: OpCode.delete, value: { path: child, version: -1 } };
      case 5:
        return { ...this.create(`${path}/s-`, random.pick([2, 3])), type: OpCode.create2 };
      case 6:
        return { type: OpCode.multi, ops: [this.set(path), this.create(child)] };
      default:
        return this.set(path);
    }
  }

  private create(path: string, flags = 0): Op {
    const acl = this.random.pick(ACLS);
    return { type: OpCode.create, value: { path, data: this.data(), acl, flags } };
  }

  private set(path: string): Op {
    return { type: OpCode.setData, value: { path, data: this.data(), version: -1 } };
  }

  private data(): Buffer {
    return Buffer.alloc(DATA_LENGTH, this.random.below(256));
  }
}

function pathOf(index: number): string {
  return `/n${index}`;
}

async function send(client: RawClient, ops: readonly Op[]): Promise<void> {
  await Promise.all(ops.map((op) => client.request(op.type, encodeOp(op, 0n))));
}

type Tree = ReadonlyMap<string, WalkedNode>;

async function write(dataDir: string): Promise<Tree> {
  const server = await startBundled({ dataDir, config: CONFIG });
  try {
    const client = await RawClient.connect(server.port);
    const load = new Load();
    for (let i = 0; i < ZNODES; i += IN_FLIGHT) {
      await send(
        client,
        Array.from({ length: IN_FLIGHT }, (_, k) => load.first(i + k)),
      );
    }
    for (let i = 0; i < WRITES; i += IN_FLIGHT) {
      await send(
        client,
        Array.from({ length: IN_FLIGHT }, () => load.next()),
      );
    }
    const tree = await walkTree(client);
    await client.drop();
    return tree;
  } finally {
    await server.close();
  }
}

async function checkTree(port: number, expected: Tree, what: string): Promise<void> {
  const client = await RawClient.connect(port);
  const found = await walkTree(client);
  await client.drop();
  for (const [path, node] of expected) assert.equal(found.get(path), node, `${what}: ${path}`);
  assert.is(found.size, expected.size, what);
}

test('every snapshot written under load gives the same tree', async () => {
  const home = makeTempDir('fuzzy');
  const dataDir = join(home.path, 'data');
  try {
    const tree = await write(dataDir);
    const folder = join(dataDir, 'version-2');
    const snapshots = readdirSync(folder).filter((name) => name.startsWith('snapshot.'));
    assert.ok(snapshots.length > 3, snapshots.join());
    const zxidOf = (name: string) => Number.parseInt(name.slice('snapshot.'.length), 16);
    const newestFirst = snapshots.sort((a, b) => zxidOf(b) - zxidOf(a));
    const fuzzy = newestFirst.filter((name) => latestChange(join(folder, name)) > zxidOf(name));
    assert.ok(fuzzy.length > 1, 'the tree changed while snapshots were written');
    for (const newest of fuzzy.slice(0, SNAPSHOTS_TRIED)) {
      const copy = join(home.path, newest);
      cpSync(dataDir, copy, { recursive: true });
      const newer = newestFirst.slice(0, newestFirst.indexOf(newest));
      for (const name of newer) rmSync(join(copy, 'version-2', name));
      await checkOn(copy, tree, newest);
      rmSync(copy, { recursive: true });
    }
  } finally {
    home.remove();
  }
});

/** The zxid of the latest change in a snapshot, which is beyond its name if it is fuzzy. */
function latestChange(path: string): number {
  const reader = new SnapshotReader(MAX_ENTRY_LENGTH);
  reader.push(readFileSync(path));
  reader.end();
  let latest = 0;
  for (let item = reader.next(); item.kind !== 'end'; item = reader.next()) {
    assert.is.not(item.kind, 'invalid', path);
    if (item.kind !== 'node') continue;
    const { mzxid, pzxid } = StatPersisted.decode(item.stat);
    latest = Math.max(latest, Number(mzxid), Number(pzxid));
  }
  return latest;
}

async function checkOn(dataDir: string, tree: Tree, newest: string): Promise<void> {
  const warnings: string[] = [];
  const ours = await startBundled({
    dataDir,
    config: { tickTime: '2000' },
    onWarning: (text) => warnings.push(text),
  });
  try {
    await checkTree(ours.port, tree, `bundled, from ${newest}`);
    assert.equal(warnings, []);
  } finally {
    await ours.close();
  }
  if (!hasOracle) return;
  const theirs = await startOracle({ dataDir, config: { tickTime: 2000 } });
  try {
    await checkTree(theirs.port, tree, `Apache, from ${newest}`);
  } finally {
    await theirs.close();
  }
}

const STAT = {
  czxid: 1n,
  mzxid: 1n,
  ctime: 0n,
  mtime: 0n,
  version: 0,
  cversion: 0,
  aversion: 0,
  ephemeralOwner: 0n,
  pzxid: 1n,
};

function replay(tree: DataTree, zxid: bigint, txn: Txn): void {
  tree.apply({ sessionId: 1n, cxid: 0, zxid, time: 0n }, txn);
}

function load(tree: DataTree, path: string, data: string, stat: StatPersisted): void {
  const place = placeOf(path, Buffer.from(data), -1n, StatPersisted.encode(stat));
  tree.load(place, OPEN_ACL_UNSAFE, Buffer.byteLength(path) === path.length);
}

function createTxn(path: string): Txn {
  const node = { path, data: '', acl: OPEN_ACL_UNSAFE, isEphemeral: false };
  return { type: OpCode.create, ...node, parentCVersion: 1, ttl: 0n };
}

function childrenOf(tree: DataTree, path: string): string[] {
  const node = tree.get(path);
  return node === undefined ? [] : [...tree.childrenOf(node)].map((child) => tree.pathOf(child));
}

test('a child created after the snapshot began is not lost when its parent is re-created', () => {
  // Apache writes such snapshots: /a was deleted, created again, and given /a/b during the walk.
  const tree = new DataTree();
  load(tree, '/a', '', STAT);
  load(tree, '/a/b', '', { ...STAT, czxid: 4n });
  replay(tree, 2n, { type: OpCode.delete, path: '/a' });
  assert.is(tree.get('/a/b'), undefined);
  replay(tree, 3n, createTxn('/a'));
  replay(tree, 4n, createTxn('/a/b'));
  assert.equal(childrenOf(tree, '/a'), ['/a/b']);
});

test('a znode that a snapshot contains twice is one child', () => {
  const tree = new DataTree();
  load(tree, '/a', 'old', STAT);
  load(tree, '/a', 'new', { ...STAT, czxid: 5n });
  assert.equal(childrenOf(tree, '/'), ['/a']);
  assert.is(tree.dataAt('/a'), 'new');
  replay(tree, 6n, { type: OpCode.delete, path: '/a' });
  assert.equal(childrenOf(tree, '/'), []);
});

test.run();
