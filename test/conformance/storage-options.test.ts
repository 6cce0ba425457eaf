/**
 * Options of storage and of znode types end to end: the files they write, and the servers that
 * read them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SnapshotReader } from '../../src/files/snapshot-reader.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { waitFor } from '../support/wait-for.js';
import { RawClient } from './support/raw-client.js';
import { walkTree } from './support/walk.js';

const VERSION_DIR = 'version-2';

function create(path: string, data: Buffer | null = null, flags = 0) {
  return { path, data, acl: OPEN_ACL_UNSAFE, flags };
}

function filesOf(dataDir: string, prefix: string): string[] {
  const names = readdirSync(join(dataDir, VERSION_DIR));
  return names.filter((name) => name.startsWith(prefix) && !name.endsWith('.tmp')).sort();
}

type Start = (dataDir: string) => Promise<{ readonly port: number; close(): Promise<void> }>;

/** Writes 40 znodes below `top`. A snapshot is due every few txns. */
async function fill(port: number, top: string): Promise<void> {
  const client = await RawClient.connect(port);
  assert.is((await client.call(OpCode.create, create(top))).err, 0);
  for (let i = 0; i < 40; i++) {
    const value = create(`${top}/n${i}`, Buffer.from(`data ${i}`));
    assert.is((await client.call(OpCode.create, value)).err, 0);
  }
  await client.close();
}

async function treeOf(port: number): Promise<unknown> {
  const client = await RawClient.connect(port);
  const tree = await walkTree(client);
  await client.close();
  return tree;
}

/** The complete snapshots. A killed Apache server leaves an incomplete one. */
function unzip(home: string, names: readonly string[]): Buffer[] {
  return names.flatMap((name) => {
    try {
      return gunzipSync(readFileSync(join(home, VERSION_DIR, name)));
    } catch {
      return [];
    }
  });
}

/** Each server fills a part of the tree and must find the parts of all previous ones. */
async function passOn(starts: readonly Start[], isTorn = false): Promise<void> {
  const home = makeTempDir('gzip');
  let before: unknown;
  try {
    for (const [turn, start] of starts.entries()) {
      const server = await start(home.path);
      try {
        if (before !== undefined) assert.equal(await treeOf(server.port), before);
        await fill(server.port, `/turn-${turn}`);
        before = await treeOf(server.port);
      } finally {
        await server.close();
      }
    }
    const zipped = filesOf(home.path, 'snapshot.').filter((name) => name.endsWith('.gz'));
    const contents = unzip(home.path, zipped);
    const least = Math.max(starts.length, isTorn ? 0 : zipped.length);
    assert.ok(contents.length >= least, `${contents.length} compressed snapshots`);
    for (const content of contents) assert.is(content.toString('latin1', 0, 4), 'ZKSN');
  } finally {
    home.remove();
  }
}

const GZIP = { tickTime: '2000', snapCount: '20', 'snapshot.compression.method': 'gz' };
const startOurs: Start = (dataDir) => startBundled({ dataDir, config: GZIP });
const startTheirs: Start = (dataDir) => startOracle({ dataDir, config: GZIP });

test('compressed snapshots are written and read', async () => {
  await passOn([startOurs, startOurs, startOurs]);
});

oracleTest('Apache reads our compressed snapshots, and we read its own', async () => {
  await passOn([startOurs, startTheirs, startOurs, startTheirs], true);
});

oracleTest('a server without compression reads compressed snapshots', async () => {
  const plain = (dataDir: string) => startBundled({ dataDir, config: { snapCount: '100000' } });
  const home = makeTempDir('gzip');
  try {
    const theirs = await startTheirs(home.path);
    await fill(theirs.port, '/theirs');
    const before = await treeOf(theirs.port);
    await theirs.close();
    const ours = await plain(home.path);
    assert.equal(await treeOf(ours.port), before);
    await ours.close();
  } finally {
    home.remove();
  }
});

test('a snapshot is also due by the size of the log', async () => {
  const home = makeTempDir('snap-size');
  const server = await startBundled({
    dataDir: home.path,
    config: { snapCount: '100000', snapSizeLimitInKb: '64' },
  });
  try {
    const client = await RawClient.connect(server.port);
    const before = filesOf(home.path, 'snapshot.').length;
    for (let i = 0; i < 40; i++) {
      await client.call(OpCode.create, create(`/n${i}`, Buffer.alloc(8192)));
    }
    // 320 KB of log at one snapshot per 32 to 64 KB. Only one is written at a time.
    await waitFor('snapshots', () => filesOf(home.path, 'snapshot.').length > before);
    const logs = filesOf(home.path, 'log.').length;
    assert.ok(logs >= 5 && logs <= 11, `${logs} logs`);
    await client.close();
  } finally {
    await server.close();
    home.remove();
  }
});

test('without a size limit, the size of the log does not cause a snapshot', async () => {
  const home = makeTempDir('snap-size');
  const config = { snapCount: '100000', snapSizeLimitInKb: '-1' };
  const server = await startBundled({ dataDir: home.path, config });
  try {
    const client = await RawClient.connect(server.port);
    for (let i = 0; i < 20; i++) {
      await client.call(OpCode.create, create(`/n${i}`, Buffer.alloc(8192)));
    }
    assert.is(filesOf(home.path, 'log.').length, 1);
    await client.close();
  } finally {
    await server.close();
    home.remove();
  }
});

test('a log begins a new file when it is longer than txnLogSizeLimitInKb', async () => {
  const home = makeTempDir('log-size');
  const config = { snapCount: '100000', txnLogSizeLimitInKb: '32' };
  try {
    const first = await startBundled({ dataDir: home.path, config });
    const client = await RawClient.connect(first.port);
    for (let i = 0; i < 20; i++) {
      await client.call(OpCode.create, create(`/n${i}`, Buffer.alloc(8192)));
    }
    await client.close();
    const before = await treeOf(first.port);
    await first.close();
    // 160 KB at 32 to 40 KB per file.
    const logs = filesOf(home.path, 'log.').length;
    assert.ok(logs >= 4 && logs <= 6, `${logs} logs`);
    const second = await startBundled({ dataDir: home.path, config });
    assert.equal(await treeOf(second.port), before);
    await second.close();
  } finally {
    home.remove();
  }
});

for (const isWritten of [true, false]) {
  test(`serializeLastProcessedZxid.enabled=${isWritten}`, async () => {
    const home = makeTempDir('last-zxid');
    const config = { snapCount: '20', 'serializeLastProcessedZxid.enabled': String(isWritten) };
    try {
      const server = await startBundled({ dataDir: home.path, config });
      await fill(server.port, '/a');
      await server.close();
      const snapshots = filesOf(home.path, 'snapshot.');
      assert.ok(snapshots.length > 1);
      for (const name of snapshots) {
        const named = BigInt(`0x${name.slice('snapshot.'.length)}`);
        const said = lastZxidOf(join(home.path, VERSION_DIR, name));
        if (!isWritten) assert.is(said, undefined, name);
        else assert.ok(said !== undefined && said >= named, `${name} says ${said}`);
      }
    } finally {
      home.remove();
    }
  });
}

/** The zxid after the last node and digest of a snapshot, or undefined if it has none. */
function lastZxidOf(path: string): bigint | undefined {
  const reader = new SnapshotReader(1 << 20);
  reader.push(readFileSync(path));
  reader.end();
  let zxid: bigint | undefined;
  for (;;) {
    const item = reader.next();
    if (item.kind === 'lastProcessedZxid') zxid = item.zxid;
    if (item.kind === 'invalid') throw new Error(`${path}: ${item.reason}`);
    if (item.kind === 'end' || item.kind === 'need-more') return zxid;
  }
}

test('datadir.autocreate=false creates no folder', async () => {
  const home = makeTempDir('autocreate');
  const dataDir = join(home.path, 'unmounted');
  try {
    await startBundled({ dataDir, config: { 'datadir.autocreate': 'false' } }).then(
      () => assert.unreachable(),
      (error: Error) =>
        assert.match(error.message, /unmounted: does not exist, and datadir\.autocreate/),
    );
    assert.equal(readdirSync(home.path), []);
    const server = await startBundled({
      dataDir: home.path,
      config: { 'datadir.autocreate': 'false' },
    });
    await server.close();
  } finally {
    home.remove();
  }
});

test('db.autocreate=false starts on an empty folder only after zkserver init', async () => {
  const home = makeTempDir('autocreate');
  const options = { dataDir: home.path, config: { 'db.autocreate': 'false' } };
  try {
    await startBundled(options).then(
      () => assert.unreachable(),
      (error: Error) =>
        assert.match(error.message, /empty \(expected data, as db\.autocreate is false\)/),
    );
    writeFileSync(join(home.path, 'initialize'), '');
    const first = await startBundled(options);
    await first.close();
    assert.not.ok(readdirSync(home.path).includes('initialize'));
    // The folder has a database now, so it needs no init.
    const second = await startBundled(options);
    await second.close();
  } finally {
    home.remove();
  }
});

const TTL = { path: '/ttl', data: null, acl: OPEN_ACL_UNSAFE, flags: 5, ttl: 50n };

test('TTL nodes are unknown without extendedTypesEnabled', async () => {
  const server = await startBundled();
  try {
    const client = await RawClient.connect(server.port);
    assert.is((await client.call(OpCode.createTTL, TTL)).err, ErrorCode.UNIMPLEMENTED);
    await client.close();
  } finally {
    await server.close();
  }
});

test('with extendedTypesEnabled, a TTL node survives a restart and expires', async () => {
  const home = makeTempDir('ttl');
  const config = { extendedTypesEnabled: 'true', 'znode.container.checkIntervalMs': '1000000' };
  const reaping = { ...config, 'znode.container.checkIntervalMs': '20' };
  try {
    const first = await startBundled({ dataDir: home.path, config });
    const maker = await RawClient.connect(first.port);
    assert.is((await maker.call(OpCode.createTTL, TTL)).err, 0);
    assert.is(
      (await maker.call(OpCode.createTTL, { ...TTL, path: '/kept', ttl: 3_600_000n })).err,
      0,
    );
    await maker.close();
    await first.close();
    const second = await startBundled({ dataDir: home.path, config: reaping });
    try {
      const client = await RawClient.connect(second.port);
      const exists = async (path: string) =>
        (await client.call(OpCode.exists, { path, watch: false })).err;
      await waitFor('the end of /ttl', async () => (await exists('/ttl')) === ErrorCode.NONODE);
      assert.is(await exists('/kept'), 0);
      await client.close();
    } finally {
      await second.close();
    }
  } finally {
    home.remove();
  }
});

test.run();
