import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { Primary } from '../../../src/server/pipeline/primary.js';
import { SessionTracker } from '../../../src/server/session/session-tracker.js';
import type { DataTree } from '../../../src/server/tree/data-tree.js';
import type { Peer } from '../server-peer.js';
import { makeTestServer, SETTINGS, ServerWorld } from '../server-world.js';
import { TreeWorld } from '../tree/tree-world.js';

const EPOCH = 1n << 32n;
const MAX_INT = 2 ** 31 - 1;

/** A server with this tree. */
function serverOf({ tree }: TreeWorld): ServerWorld {
  const world = new ServerWorld();
  Object.assign(world, { server: makeTestServer(SETTINGS, { tree, sessions: [] }) });
  world.clock(0);
  return world;
}

function treeOf({ server }: ServerWorld): DataTree {
  return server.state.tree;
}

/** Compares every znode's digest, and their sum, with a fresh one. */
function audit(world: ServerWorld): void {
  treeOf(world).audit(0).poll(0);
}

test('the zxids of a standalone server count on past 2^32 txns', () => {
  const before = new TreeWorld();
  before.tree.lastProcessedZxid = EPOCH - 3n;
  const world = serverOf(before);
  const client = world.client();
  for (const path of ['/a', '/b', '/c']) client.push(client.create(path));
  world.ackAll();
  assert.equal(client.take(), ['create ok', 'create ok', 'create ok']);
  const tree = treeOf(world);
  const nodes = ['/a', '/b', '/c'].map((path) => tree.get(path));
  const czxids = nodes.map((node) => node && tree.statOf(node).czxid);
  assert.equal(czxids, [EPOCH - 1n, EPOCH, EPOCH + 1n]);
  assert.is(tree.lastProcessedZxid, EPOCH + 1n);
  audit(world);
});

for (const isPipelined of [true, false]) {
  const how = isPipelined ? 'in a pipeline' : 'one by one';
  test(`sequential creates past 2^31 under one parent, ${how}, are named as Apache's`, () => {
    const before = new TreeWorld();
    before.create('/p');
    before.create('/p/child', { parentCVersion: MAX_INT - 1 });
    const world = serverOf(before);
    const tree = treeOf(world);
    const client = world.client();
    for (let i = 0; i < 4; i++) {
      client.push(client.create('/p/s-', 2));
      if (!isPipelined) world.ackAll();
    }
    world.ackAll();
    const names = [...tree.paths()].filter((path) => path.includes('s-'));
    const first = ['/p/s-2147483646', '/p/s-2147483647'];
    if (isPipelined) {
      assert.equal(client.take(), Array(4).fill('create ok'));
      assert.equal(names.sort(), ['/p/s--2147483647', '/p/s--2147483648', ...first].sort());
    } else {
      const found = 'create NODEEXISTS';
      assert.equal(client.take(), ['create ok', 'create ok', found, found]);
      assert.equal(names.sort(), first);
    }
    const parent = tree.get('/p');
    assert.is(parent && tree.statOf(parent).cversion, MAX_INT);
    audit(world);
  });
}

test('a late request of a closed session is not taken for one of a local session elsewhere', () => {
  const world = new ServerWorld();
  const { sessions } = world.server.state;
  sessions.local = new SessionTracker(SETTINGS.tickTimeMs, 0);
  const primary = world.server.pipeline;
  if (!(primary instanceof Primary)) throw new Error('not a primary');
  const origin = { name: 'learner 2', synced: () => undefined };
  const forward = (sessionId: bigint, type: number, body: Buffer) => {
    primary.forwarded({
      origin,
      sessionId,
      cxid: 1,
      type,
      input: new InputArchive(body),
      ids: [],
      isOfKeeper: false,
    });
    world.drain();
    world.ackAll();
  };
  const create = (path: string) =>
    OPERATION_TABLE.get(OpCode.create)?.request?.encode({
      path,
      data: null,
      acl: OPEN_ACL_UNSAFE,
      flags: 0,
    }) ?? Buffer.alloc(0);
  const [upgraded, local] = [0x200_0000_0000_0001n, 0x200_0000_0000_0002n];
  forward(upgraded, OpCode.createSession, Buffer.from([0, 0, 16, 0]));
  forward(upgraded, OpCode.create, create('/early'));
  forward(upgraded, OpCode.closeSession, Buffer.alloc(0));
  forward(upgraded, OpCode.create, create('/late'));
  forward(local, OpCode.create, create('/local'));
  const found = ['/early', '/late', '/local'].filter((path) => treeOf(world).get(path));
  assert.equal(found, ['/early', '/local']);
});

const MINUTE_MS = 60_000;
const TTL_MS = BigInt(2 * MINUTE_MS);

/** One reaping a minute, so that the next one waits in a queue. */
function reapingWorld(): { world: ServerWorld; client: Peer } {
  const world = new ServerWorld({
    settings: { isTTLEnabled: true, maxSessionTimeoutMs: 60 * MINUTE_MS },
    containers: { checkIntervalMs: 1000, maxPerMinute: 1, maxNeverUsedMs: 0 },
  });
  return { world, client: world.client({ timeoutMs: 60 * MINUTE_MS }) };
}

function make(client: Peer, type: number, path: string): void {
  const flags = type === OpCode.createTTL ? 5 : 4;
  const rest = type === OpCode.createTTL ? { ttl: TTL_MS } : {};
  client.push(client.request(type, { path, data: null, acl: OPEN_ACL_UNSAFE, flags, ...rest }));
}

function remove(client: Peer, path: string): void {
  client.push(client.request(OpCode.delete, { path, version: -1 }));
}

/** Time passes until one of the paths is gone. @returns the one that is still queued */
function untilOneIsReaped(world: ServerWorld, paths: readonly string[]): string {
  for (let i = 0; i < 200; i++) {
    world.clock(1000);
    world.ackAll();
    const left = paths.filter((path) => treeOf(world).get(path) !== undefined);
    if (left.length < paths.length) return left[0] as string;
  }
  throw new Error(`none of ${paths.join()} was reaped`);
}

function makeAll(world: ServerWorld, client: Peer, type: number): string[] {
  const paths = ['/a', '/b'];
  for (const path of paths) {
    make(client, type, path);
    if (type === OpCode.createTTL) continue;
    client.push(client.create(`${path}/child`));
    remove(client, `${path}/child`);
  }
  world.ackAll();
  return paths;
}

for (const isCommitted of [true, false]) {
  const how = isCommitted ? 'committed' : 'pending';
  test(`a TTL znode lives on when it is refreshed while its reaping is queued, ${how}`, () => {
    const { world, client } = reapingWorld();
    const left = untilOneIsReaped(world, makeAll(world, client, OpCode.createTTL));
    client.push(client.setData(left));
    if (isCommitted) world.ackAll();
    world.clock(1.5 * MINUTE_MS);
    world.ackAll();
    assert.ok(treeOf(world).get(left), left);
    world.clock(2 * MINUTE_MS);
    world.ackAll();
    assert.not(treeOf(world).get(left), 'it goes when it is due again');
  });

  test(`a container made again while its reaping is queued lives on, ${how}`, () => {
    const { world, client } = reapingWorld();
    const left = untilOneIsReaped(world, makeAll(world, client, OpCode.createContainer));
    remove(client, left);
    make(client, OpCode.createContainer, left);
    if (isCommitted) world.ackAll();
    world.clock(1.5 * MINUTE_MS);
    world.ackAll();
    assert.ok(treeOf(world).get(left), 'one that never had a child stays');
    audit(world);
  });
}

test.run();
