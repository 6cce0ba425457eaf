/**
 * A standalone server has no epochs, so its zxids may pass the end of an epoch's counter, as with
 * Apache's server. Both open such a directory, and so does an ensemble.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshotFileName } from '../../src/files/file-names.js';
import { writeSnapshot } from '../../src/files/snapshot.js';
import type { Stat } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { ExitCode } from '../../src/server/main.js';
import { sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { CONFIG_PATH } from '../../src/server/prep/prep-rules.js';
import { DataTree } from '../../src/server/tree/data-tree.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { makeSeats, type Seats, waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { type BundledProcess, runZkserver, spawnBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { RawClient } from './support/raw-client.js';
import { checkNoMismatches, checkSameEverywhere } from './support/same-everywhere.js';
import { type WalkedNode, walkTree } from './support/walk.js';

type Tree = ReadonlyMap<string, WalkedNode>;

const EPOCH = 1n << 32n;
/** The number of txns before the counter of an epoch ends. */
const LEFT = 3n;
const WRITES = 6;

/** Writes the snapshot of an empty tree whose last txn is `LEFT` before the end of `epoch`. */
function craftDataDir(dataDir: string, epoch = 0n): string {
  const tree = new DataTree();
  tree.lastProcessedZxid = (epoch + 1n) * EPOCH - LEFT;
  const content = { tree, sessions: [], zxid: tree.lastProcessedZxid };
  const folder = join(dataDir, 'version-2');
  mkdirSync(folder, { recursive: true });
  const bytes = Buffer.concat([...writeSnapshot(sourceOf(content, false))]);
  writeFileSync(join(folder, snapshotFileName(content.zxid)), bytes);
  return folder;
}

/** Creates, sets, and deletes. Every parent and child gets zxids from both epochs. */
async function write(client: RawClient, top: string): Promise<void> {
  const create = async (path: string): Promise<void> => {
    const request = { path, data: Buffer.from(path), acl: OPEN_ACL_UNSAFE, flags: 0 };
    assert.is((await client.call(OpCode.create, request)).err, 0, path);
  };
  await create(top);
  for (let i = 0; i < WRITES; i++) {
    await create(`${top}/${i}`);
    const data = Buffer.from(`changed ${i}`);
    const { err } = await client.call(OpCode.setData, { path: top, data, version: i });
    assert.is(err, 0, `set ${i} of ${top}`);
  }
  assert.is((await client.call(OpCode.delete, { path: `${top}/1`, version: -1 })).err, 0);
}

/** Compares the tree with the expected one, writes below `top`, and returns the new tree. */
async function takeTurn(port: number, top: string, before?: Tree): Promise<Tree> {
  const client = await RawClient.connect(port);
  try {
    if (before !== undefined) checkTree(await walkTree(client), before, `before ${top}`);
    await write(client, top);
    return await walkTree(client);
  } finally {
    await client.close();
  }
}

function checkTree(found: Tree, expected: Tree, what: string): void {
  assert.equal([...found.keys()], [...expected.keys()], what);
  for (const [path, node] of expected) {
    // An ensemble writes its members there.
    if (path !== CONFIG_PATH) assert.equal(found.get(path), node, `${what}: ${path}`);
  }
}

async function withOurs(
  dataDir: string,
  body: (server: BundledProcess) => Promise<Tree>,
): Promise<Tree> {
  const server = await spawnBundled(dataDir, { snapCount: '5' });
  try {
    return await body(server);
  } finally {
    await server.stop('SIGKILL');
  }
}

function zxidsOf(tree: Tree, path: string): Stat {
  const node = tree.get(path);
  if (node === undefined) throw new Error(`${path} is missing`);
  return node.stat;
}

oracleTest("both servers continue past 2^32 txns, each on the other's data", async () => {
  const home = makeTempDir('past-epoch');
  const dataDir = join(home.path, 'data');
  try {
    craftDataDir(dataDir);
    const first = await withOurs(dataDir, ({ port }) => takeTurn(port, '/ours'));
    const { czxid, mzxid } = zxidsOf(first, '/ours');
    assert.is(czxid, EPOCH - LEFT + 2n, 'the session takes one txn');
    assert.is(mzxid, EPOCH + 11n);
    // The counter 0 is a txn too.
    const zxids = [...first.values()].map(({ stat }) => stat.czxid);
    assert.ok(zxids.includes(EPOCH), `a znode made by ${EPOCH}: found ${zxids.join()}`);
    const again = await withOurs(dataDir, ({ port }) => takeTurn(port, '/again', first));
    const apache = await startOracle({ dataDir, config: { snapCount: 5 } });
    const theirs = await takeTurn(apache.port, '/theirs', again).finally(() => apache.close());
    await withOurs(dataDir, ({ port }) => takeTurn(port, '/last', theirs));
  } finally {
    home.remove();
  }
});

/** The seat has the data of standalone servers, and the others start empty. */
async function withSeats(
  participants: number,
  body: (seats: Seats, tree: Tree) => Promise<void>,
  memberEpoch = 0,
): Promise<void> {
  const seats = await makeSeats({ participants, config: { standaloneEnabled: false } });
  try {
    const { dataDir } = seats.of(1);
    const folder = craftDataDir(dataDir, BigInt(memberEpoch));
    if (memberEpoch > 0) {
      for (const name of EPOCH_FILES) writeFileSync(join(folder, name), `${memberEpoch}`);
    }
    await body(seats, await withOurs(dataDir, ({ port }) => takeTurn(port, '/alone')));
  } finally {
    await seats.close();
  }
}

const EPOCH_FILES = ['acceptedEpoch', 'currentEpoch'];

function epochsIn(dataDir: string): string[] {
  return EPOCH_FILES.map((name) => readFileSync(join(dataDir, 'version-2', name), 'latin1'));
}

for (const participants of [1, 3]) {
  test(`an ensemble of ${participants} continues from a standalone directory past 2^32 txns`, () =>
    withSeats(participants, async (seats, alone) => {
      // Without member 1, the empty members would form a quorum.
      const first = seats.all.slice(0, 2);
      const members = first.map(({ sid }) => seats.startBundled(sid));
      await Promise.all(first.map(waitUntilServing));
      for (const { sid } of seats.all.slice(2)) members.push(seats.startBundled(sid));
      await Promise.all(seats.all.map(waitUntilServing));
      const tree = await takeTurn(seats.of(1).clientPort, '/together', alone);
      // The epoch of its leader is after the one that the standalone server reached.
      assert.is(zxidsOf(tree, '/together').czxid >> 32n, 2n, members[0]?.output());
      for (const { dataDir } of seats.all) assert.equal(epochsIn(dataDir), ['2', '2']);
      await checkSameEverywhere(seats.all);
      for (const seat of seats.all) await checkNoMismatches(seat);
    }));
}

test("a member's directory that a standalone server moved past its epoch is refused", () =>
  withSeats(
    1,
    async (seats, alone) => {
      const seat = seats.of(1);
      const refused = runZkserver(['start-foreground', seat.configFile]);
      try {
        assert.is(await refused.ended, ExitCode.DATA, refused.output());
      } finally {
        await refused.stop('SIGKILL');
      }
      const advice =
        /If a standalone server wrote past epoch 1 here, delete currentEpoch and acceptedEpoch/;
      assert.match(refused.output(), advice);
      // Follows the advice.
      for (const name of EPOCH_FILES) rmSync(join(seat.dataDir, 'version-2', name));
      seats.startBundled(1);
      await waitUntilServing(seat);
      await takeTurn(seat.clientPort, '/together', alone);
      assert.equal(epochsIn(seat.dataDir), ['3', '3']);
    },
    1,
  ));

test.run();
