/** One data directory, served in turn by the bundled server and by Apache's. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/base/four-letter.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { makeWorld } from './support/make-world.js';
import { RawClient, type RawSession } from './support/raw-client.js';
import { type WalkedNode, walkTree } from './support/walk.js';
import { WORLD_KINDS } from './support/world.js';
import { WorldRunner } from './support/world-runner.js';
import { digestId, SUPER_USER } from './support/world-values.js';

const REQUESTS = 400;
const CONFIG = {
  tickTime: '2000',
  maxSessionTimeout: '600000',
  extendedTypesEnabled: 'true',
  /** Gives several snapshots per turn, so that a start reads a snapshot and the log after it. */
  snapCount: '120',
  'znode.container.checkIntervalMs': '1000000000',
  'DigestAuthenticationProvider.superDigest': digestId(SUPER_USER),
};

/** The remaining state of a server: the whole tree, and the open sessions. */
interface Left {
  readonly tree: ReadonlyMap<string, WalkedNode>;
  readonly sessions: readonly RawSession[];
}

interface Serving {
  readonly port: number;
  stop(): Promise<void>;
}

type Start = (dataDir: string) => Promise<Serving>;

const startOurs: Start = async (dataDir) => {
  const server = await startBundled({ dataDir, config: CONFIG });
  return { port: server.port, stop: () => server.close() };
};

const startTheirs: Start = async (dataDir) => {
  const server = await startOracle({ dataDir, config: CONFIG });
  return { port: server.port, stop: () => server.close() };
};

/** Checks the state of the last server, then continues to write. */
async function takeTurn(port: number, seed: number, before: Left | undefined): Promise<Left> {
  const admin = await RawClient.connect(port);
  const auth = { type: 0, scheme: 'digest', auth: Buffer.from(SUPER_USER) };
  assert.is((await admin.call(OpCode.auth, auth)).err, 0);
  if (before !== undefined) {
    checkTrees(await walkTree(admin), before.tree);
    await checkSessions(port, before.sessions);
  }
  const sessions: RawSession[] = [...(before?.sessions ?? [])];
  for (const [index, kind] of WORLD_KINDS.entries()) {
    const world = makeWorld(seed + index, `/turn-${seed + index}`, kind, REQUESTS);
    const { runner } = await WorldRunner.start(port, world.clients);
    for (const step of world.steps) await runner.step(step);
    sessions.push(...(await runner.abandon()));
  }
  // The last txn of a turn is an error: it has a zxid, and changes nothing.
  await admin.request(OpCode.setData, Buffer.alloc(0));
  const tree = await walkTree(admin);
  // This session ends without a trace, because it created nothing.
  await admin.drop();
  return { tree, sessions };
}

/** Each session is resumed, and its ephemerals belong to it. */
async function checkSessions(port: number, sessions: readonly RawSession[]): Promise<void> {
  for (const session of sessions) {
    const client = await RawClient.connect(port, { session });
    assert.is(client.live.id, session.id);
    await client.drop();
  }
}

function checkTrees(
  found: ReadonlyMap<string, WalkedNode>,
  expected: ReadonlyMap<string, WalkedNode>,
): void {
  for (const [path, node] of expected) assert.equal(found.get(path), node, path);
  assert.equal([...found.keys()].sort(), [...expected.keys()].sort());
}

function countSnapshots(dataDir: string): number {
  const names = readdirSync(join(dataDir, 'version-2'));
  return names.filter((name) => name.startsWith('snapshot.')).length;
}

async function passOn(turns: readonly Start[], firstSeed: number): Promise<void> {
  const home = makeTempDir('data-dir');
  const dataDir = join(home.path, 'data');
  let left: Left | undefined;
  try {
    for (const [index, start] of turns.entries()) {
      const server = await start(dataDir);
      try {
        if (index === 1 && start === startTheirs) await checkDigests(server.port);
        left = await takeTurn(server.port, firstSeed + index * WORLD_KINDS.length, left);
      } finally {
        await server.stop();
      }
      assert.ok(countSnapshots(dataDir) > index + 1, 'snapshots were written');
    }
    const owners = [...(left?.tree.values() ?? [])].map(({ stat }) => stat.ephemeralOwner);
    assert.ok(new Set(owners).size > 3, 'several sessions own ephemerals');
  } finally {
    home.remove();
  }
}

/** Apache's server computes the digest while it replays our log, and compares. */
async function checkDigests(port: number): Promise<void> {
  const answer = await askWord({ host: '127.0.0.1', port }, 'mntr');
  assert.match(answer.toString(), /zk_digest_mismatches_count\t0\n/);
}

oracleTest('Apache continues on the data of the bundled server, and back again', async () => {
  await passOn([startOurs, startTheirs, startOurs, startTheirs], 100);
});

oracleTest('the bundled server continues on the data of Apache, and back again', async () => {
  await passOn([startTheirs, startOurs, startTheirs], 200);
});

test('the bundled server continues on its own data', async () => {
  await passOn([startOurs, startOurs, startOurs], 300);
});

test.run();
