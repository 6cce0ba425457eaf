// conformance: runs against Apache's server, too.
/**
 * Files from Apache's server are read here; files written here are read by Apache's server and its
 * tools. All tests use one history with every kind of txn, made over the wire.
 */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionClient } from '../../src/client/base/client.js';
import { createClient } from '../../src/client/zookeeper.js';
import { logFileName, snapshotFileName, VERSION_DIR } from '../../src/files/file-names.js';
import { logsAmong, snapshotsAmong } from '../../src/files/recovery.js';
import { OPEN_ACL_KEY, writeSnapshot } from '../../src/files/snapshot.js';
import { type SnapshotItem, SnapshotReader } from '../../src/files/snapshot-reader.js';
import { readTxn, type TxnEntry, writeTxn } from '../../src/files/txn.js';
import { beginEntry, encodeLogHeader, endEntry, TxnLogReader } from '../../src/files/txn-log.js';
import { OutputArchive } from '../../src/jute/output-archive.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { type ACL, StatPersisted } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { Fold, type FoldNode } from '../server/persistence/fold.js';
import { oracleTest, spawnJava, startOracle } from '../support/apache/oracle.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { watchProcess } from '../support/machine/watched-process.js';

const MAX_ENTRY = 2 * 0xfffff;
const CHUNK = 64 * 1024;
const PROPERTIES = { 'zookeeper.extendedTypesEnabled': 'true' };
const READ_ALL: readonly ACL[] = [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }];
const OWN: readonly ACL[] = [{ perms: 31, id: { scheme: 'auth', id: '' } }];

/** One session that leaves every kind of txn in the log. */
async function makeTxns(client: SessionClient): Promise<void> {
  const quietly = (promise: Promise<unknown>) => promise.catch(() => undefined);
  await client.addAuth('digest', 'bob:secret');
  await client.create('/a', Buffer.from('one'));
  await client.create('/a/null', null);
  await client.create('/a/empty', Buffer.alloc(0), { acl: READ_ALL });
  await client.create('/a/own', Buffer.from('mine'), { acl: OWN });
  await client.create('/ü-ю-中', Buffer.alloc(20_000, 0x42));
  await client.create('/a/seq-', null, { mode: CreateModes.PERSISTENT_SEQUENTIAL });
  await client.create('/a/gone', null);
  await client.create('/a/eph', Buffer.from('e'), { mode: CreateModes.EPHEMERAL });
  await client.create('/box', null, { mode: CreateModes.CONTAINER });
  await client.create('/brief', null, { mode: CreateModes.PERSISTENT_WITH_TTL, ttl: 86_400_000 });
  await client.setData('/a', Buffer.from('two'));
  await client.setData('/a', null);
  await client.setACL('/ü-ю-中', OWN);
  await client.delete('/a/gone');
  await client.setACL('/a', READ_ALL);
  await quietly(client.create('/a', null));
  await quietly(client.delete('/no/such'));
  await client.create('/m', null);
  await client.multi([
    { op: 'create', path: '/m/1', data: Buffer.from('x') },
    { op: 'check', path: '/m', version: 0 },
    { op: 'set', path: '/m', data: Buffer.from('y') },
    { op: 'create', path: '/m/2', data: null, options: { acl: READ_ALL } },
    { op: 'delete', path: '/m/1' },
  ]);
  await quietly(
    client.multi([
      { op: 'delete', path: '/m/2' },
      { op: 'delete', path: '/m/9' },
    ]),
  );
}

async function withClient<T>(connectString: string, use: (client: SessionClient) => Promise<T>) {
  const client = createClient({ connectString });
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.close();
  }
}

interface History {
  readonly folder: string;
  /** Oldest first, each oldest txn first. */
  readonly logs: readonly { readonly name: string; readonly entries: readonly Buffer[] }[];
  readonly txns: readonly TxnEntry[];
}

const home = makeTempDir('apache-files');
let history: Promise<History> | undefined;

/** Made once: two runs of Apache's server on one data directory, the second to write a snapshot. */
function apacheHistory(): Promise<History> {
  history ??= makeHistory();
  return history;
}

async function makeHistory(): Promise<History> {
  const dataDir = join(home.path, 'apache');
  for (const use of [makeTxns, (client: SessionClient) => client.delete('/m/2')]) {
    const oracle = await startOracle({ dataDir, properties: PROPERTIES });
    try {
      await withClient(oracle.connectString, use);
      await oracle.stop();
    } finally {
      await oracle.close();
    }
  }
  const folder = join(dataDir, VERSION_DIR);
  const logs = logsAmong(listing(folder)).map(({ name }) => ({
    name,
    entries: readEntries(readFileSync(join(folder, name))),
  }));
  return {
    folder,
    logs,
    txns: logs.flatMap(({ entries }) => entries.map((entry) => readTxn(entry))),
  };
}

function listing(folder: string) {
  return readdirSync(folder).map((name) => ({ name, size: 0 }));
}

/** All entries of a log that must end properly. */
function readEntries(log: Buffer): Buffer[] {
  const reader = new TxnLogReader(MAX_ENTRY);
  const entries: Buffer[] = [];
  for (let at = 0; ; ) {
    const item = reader.next();
    if (item.kind === 'entry') {
      entries.push(Buffer.from(item.entry));
    } else if (item.kind === 'need-more') {
      if (at >= log.length) reader.end();
      else reader.push(log.subarray(at, at + CHUNK));
      at += CHUNK;
    } else {
      assert.is(item.kind, 'end');
      return entries;
    }
  }
}

function readSnapshot(file: Buffer): SnapshotItem[] {
  const reader = new SnapshotReader();
  reader.push(file);
  reader.end();
  const items: SnapshotItem[] = [];
  for (let item = reader.next(); item.kind !== 'end'; item = reader.next()) {
    if (item.kind === 'invalid') throw new Error(`at ${item.offset}: ${item.reason}`);
    items.push(item);
  }
  return items;
}

function foldUpTo(txns: readonly TxnEntry[], zxid: bigint): Fold {
  const fold = new Fold();
  for (const txn of txns) if (txn.head.zxid <= zxid) fold.apply(txn);
  return fold;
}

oracleTest("Apache's log reads, with every kind of txn in it", async () => {
  const { logs, txns } = await apacheHistory();
  assert.is(logs.length, 2);
  const types = new Set(txns.map(({ txn }) => txn.type));
  for (const type of [
    OpCode.create,
    OpCode.create2,
    OpCode.createContainer,
    OpCode.createTTL,
    OpCode.delete,
    OpCode.setData,
    OpCode.setACL,
    OpCode.multi,
    OpCode.error,
    OpCode.createSession,
    OpCode.closeSession,
  ]) {
    // The built-in client says create2 where the Java shell says create.
    if (type !== OpCode.create) assert.ok(types.has(type), `type ${type}`);
  }
  txns.forEach(({ head }, at) => {
    assert.is(head.zxid, BigInt(at + 1));
  });
});

oracleTest('the digest of every txn is that of the tree after it', async () => {
  const { txns } = await apacheHistory();
  const fold = new Fold();
  let compared = 0;
  for (const txn of txns) {
    fold.apply(txn);
    if (txn.digest === null) continue;
    assert.is(fold.digest(), txn.digest, `zxid ${txn.head.zxid}`);
    compared++;
  }
  assert.ok(compared > 15, `${compared} digests compared`);
});

oracleTest('reading and writing gives the same bytes again', async () => {
  const { logs } = await apacheHistory();
  for (const entry of logs.flatMap(({ entries }) => entries)) {
    assert.equal(reencode(readTxn(entry)), entry);
  }
});

function reencode({ head, txn, digest }: TxnEntry): Buffer {
  const out = new OutputArchive();
  writeTxn(out, head, txn, digest);
  return out.take();
}

oracleTest("Apache's snapshots read, and hold the tree of their zxid", async () => {
  const { folder, txns } = await apacheHistory();
  const snapshots = snapshotsAmong(listing(folder));
  assert.is(snapshots.length, 2);
  for (const { name, zxid } of snapshots) {
    const file = readFileSync(join(folder, name));
    assert.is(file.subarray(-5).toString('hex'), '000000012f');
    const items = readSnapshot(file);
    const fold = foldUpTo(txns, zxid);
    const nodes = nodesAmong(items);
    for (const [path, node] of fold.nodes) {
      if (path !== '/zookeeper/config') assert.equal(nodes.get(path), node, path);
    }
    assert.is(nodes.size, fold.nodes.size);
    const digest = items.find(({ kind }) => kind === 'digest');
    // Before its first txn Apache's server has not recorded a digest.
    const expected = zxid === 0n ? 0n : fold.digest();
    assert.equal(digest, { kind: 'digest', zxid, version: 2, digest: expected });
  }
});

function nodesAmong(items: readonly SnapshotItem[]): Map<string, FoldNode> {
  const acls = new Map([[OPEN_ACL_KEY, OPEN_ACL_UNSAFE]]);
  const nodes = new Map<string, FoldNode>();
  for (const item of items) {
    if (item.kind === 'acl') acls.set(item.key, item.acl);
    if (item.kind !== 'node') continue;
    const acl = acls.get(item.aclKey) ?? [];
    nodes.set(item.path, { data: item.data, acl, stat: StatPersisted.decode(item.stat) });
  }
  return nodes;
}

/** Writes a data directory: a snapshot of the middle of the history, and the log after it. */
function writeDataDir(txns: readonly TxnEntry[]): {
  dataDir: string;
  log: string;
  snapshot: string;
} {
  const dataDir = join(home.path, 'ours');
  const folder = join(dataDir, VERSION_DIR);
  mkdirSync(folder, { recursive: true });
  const middle = txns.at(Math.floor(txns.length / 2))?.head.zxid ?? 0n;
  const snapshot = join(folder, snapshotFileName(middle));
  writeFileSync(snapshot, Buffer.concat([...snapshotOf(foldUpTo(txns, middle))]));
  const out = new OutputArchive();
  for (const txn of txns) {
    if (txn.head.zxid <= middle) continue;
    const start = beginEntry(out);
    out.writeBytes(reencode(txn));
    endEntry(out, start);
  }
  const log = join(folder, logFileName(middle + 1n));
  writeFileSync(log, Buffer.concat([encodeLogHeader(), out.take(), Buffer.alloc(100_000)]));
  return { dataDir, log, snapshot };
}

function snapshotOf(fold: Fold): Generator<Buffer> {
  const keys = new Map<string, { key: bigint; acl: readonly ACL[] }>();
  const nodes = [...fold.nodes].map(([path, { data, acl, stat }]) => {
    const text = JSON.stringify(acl);
    const known = keys.get(text) ?? { key: BigInt(keys.size + 1), acl };
    keys.set(text, known);
    return { path, data, aclKey: known.key, stat };
  });
  return writeSnapshot({
    zxid: fold.zxid,
    sessions: [...fold.sessions].map(([id, timeoutMs]) => ({ id, timeoutMs })),
    acls: keys.values(),
    nodes,
    digest: { zxid: fold.zxid, version: 2, digest: fold.digest() },
    lastProcessedZxid: fold.zxid,
  });
}

/** Runs one of Apache's tools to completion. */
async function runTool(...args: string[]): Promise<{ status: number | null; output: string }> {
  const { process: child, output, ended } = watchProcess(spawnJava(args));
  child.stdin?.end();
  return { status: await ended, output: output() };
}

oracleTest("Apache's tools and server read files written here", async () => {
  const { txns } = await apacheHistory();
  const { dataDir, log, snapshot } = writeDataDir(txns);
  const tools = 'org.apache.zookeeper.server';
  const dumped = await runTool(`${tools}.persistence.TxnLogToolkit`, '-d', '-v', log);
  assert.is(dumped.status, 0, dumped.output);
  assert.not.match(dumped.output, 'CRC ERROR');
  assert.match(dumped.output, `zxid 0x${txns.length.toString(16)} closeSession`);
  const shown = await runTool(`${tools}.SnapshotFormatter`, snapshot);
  assert.is(shown.status, 0, shown.output);
  assert.match(shown.output, '/ü-ю-中');

  const oracle = await startOracle({ dataDir, properties: PROPERTIES });
  try {
    await withClient(oracle.connectString, async (client) => {
      await client.addAuth('digest', 'bob:secret');
      await compareTrees(client, foldUpTo(txns, BigInt(txns.length)));
    });
    assert.not.match(oracle.output(), 'Digests are not matching');
  } finally {
    await oracle.close();
  }
});

async function compareTrees(client: SessionClient, fold: Fold): Promise<void> {
  for (const [path, node] of fold.nodes) {
    if (path === '' || path.startsWith('/zookeeper')) continue;
    const { data, stat } = await client.getData(path);
    assert.equal(data, node.data, path);
    const { cversion, ...stored } = node.stat;
    const { numChildren, dataLength, cversion: shown, ...fields } = stat;
    assert.is(dataLength, data?.length ?? 0);
    assert.is(shown, 2 * cversion - numChildren);
    const isSession = stored.ephemeralOwner > 0n;
    const expected = {
      ...stored,
      ctime: Number(stored.ctime),
      mtime: Number(stored.mtime),
      ephemeralOwner: isSession ? stored.ephemeralOwner : 0n,
    };
    assert.equal(fields, expected, path);
    assert.equal((await client.getACL(path)).acl, node.acl, path);
  }
}

test('the folder of this file is removed', () => {
  home.remove();
});

test.run();
