/** kill -9 during writes: acknowledged writes are there, and refused ones are not. */
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stat } from '../../src/protocol/data.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import { ExitCode } from '../../src/server/main.js';
import { spawnBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { Random } from '../support/random.js';
import { waitFor } from '../support/wait-for.js';
import { encodeOp } from './support/encode-op.js';
import { LoadHistory, type LoadStep, type Subtree } from './support/load-history.js';
import { RawClient, type RawSession } from './support/raw-client.js';

const KILLS = 20;
const CLIENTS = 4;
const IN_FLIGHT = 32;
/** Low, so that the server writes snapshots and begins logs all the time. */
const CONFIG = { snapCount: '150' };

/** The writes of one client until the server was killed. */
interface Played {
  readonly top: string;
  readonly session: RawSession;
  /** All sent writes, in order. */
  readonly steps: readonly LoadStep[];
  /** The number of acknowledged writes. */
  readonly acknowledged: number;
  readonly lastZxid: bigint;
}

/** Writes until the server is killed, `IN_FLIGHT` requests at a time. */
async function play(
  port: number,
  top: string,
  random: Random,
  onAcknowledged: () => void,
): Promise<Played> {
  const client = await RawClient.connect(port);
  await create(client, top, 0);
  await create(client, `${top}-alive`, 1);
  const history = new LoadHistory(top, random);
  const steps: LoadStep[] = [];
  let acknowledged = 0;
  let lastZxid = 0n;
  const writeOn = async (): Promise<void> => {
    while (!client.isClosed) {
      const step = history.next();
      steps.push(step);
      const reply = await client.request(step.op.type, encodeOp(step.op, 0n));
      if (reply === undefined) return;
      assert.is(reply.err, step.err, `${JSON.stringify(step.op.value)} of ${top}`);
      lastZxid = reply.zxid;
      acknowledged++;
      onAcknowledged();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, writeOn));
  return { top, session: client.live, steps, acknowledged, lastZxid };
}

async function create(client: RawClient, path: string, flags: number): Promise<void> {
  const { err } = await client.call(OpCode.create, {
    path,
    data: null,
    acl: OPEN_ACL_UNSAFE,
    flags,
  });
  assert.is(err, 0, path);
}

async function readSubtree(client: RawClient, top: string): Promise<Subtree> {
  const { value } = await client.call(OpCode.getChildren, { path: top, watch: false });
  const { children } = value as { children: readonly string[] };
  const found = await Promise.all(
    children.map(async (name) => {
      const read = await client.call(OpCode.getData, { path: `${top}/${name}`, watch: false });
      const { data, stat } = read.value as { data: Buffer; stat: Stat };
      return [name, { data: data.toString(), version: stat.version }] as const;
    }),
  );
  return new Map(found);
}

/** The number of writes that the server has applied, found by their state. */
function findApplied({ top, steps, acknowledged }: Played, found: Subtree): Subtree {
  const candidates = [new Map(), ...steps.map(({ after }) => after)].slice(acknowledged);
  const match = candidates.find((state) => isSame(state, found));
  assert.ok(
    match,
    `${top}: ${acknowledged} of ${steps.length} writes were acknowledged, but no later state matches ${JSON.stringify([...found])}`,
  );
  return match ?? found;
}

function isSame(a: Subtree, b: Subtree): boolean {
  if (a.size !== b.size) return false;
  for (const [name, { data, version }] of a) {
    const other = b.get(name);
    if (other?.data !== data || other.version !== version) return false;
  }
  return true;
}

/** The session survives the server, and so does its ephemeral. */
async function checkSession(port: number, { top, session, lastZxid }: Played): Promise<void> {
  const client = await RawClient.connect(port, { session, lastZxidSeen: lastZxid });
  assert.is(client.live.id, session.id, `the session of ${top}`);
  const path = `${top}-alive`;
  const { err, value } = await client.call(OpCode.exists, { path, watch: false });
  assert.is(err, 0, path);
  assert.is((value as { stat: Stat }).stat.ephemeralOwner, session.id);
  await client.close();
  const reader = await RawClient.connect(port);
  assert.is((await reader.call(OpCode.exists, { path, watch: false })).err, -101, path);
  await reader.close();
}

test(`${KILLS} times kill -9 during writes: no acknowledged write is lost`, async () => {
  const home = makeTempDir('kill');
  const dataDir = join(home.path, 'data');
  const random = new Random(20);
  /** From all rounds: the data that must stay. */
  const settled = new Map<string, Subtree>();
  let server = await spawnBundled(dataDir, CONFIG);
  try {
    for (let round = 0; round < KILLS; round++) {
      let count = 0;
      const target = 50 + random.below(1500);
      const loads = Array.from({ length: CLIENTS }, (_, i) =>
        play(server.port, `/r${round}-c${i}`, new Random(round * CLIENTS + i), () => {
          count++;
        }),
      );
      await waitFor(`${target} acknowledged writes`, () => count >= target);
      await server.stop('SIGKILL');
      const played = await Promise.all(loads);
      server = await spawnBundled(dataDir, CONFIG);
      const reader = await RawClient.connect(server.port);
      for (const one of played) {
        settled.set(one.top, findApplied(one, await readSubtree(reader, one.top)));
      }
      for (const [top, expected] of settled) {
        assert.equal(await readSubtree(reader, top), expected, top);
      }
      await reader.close();
      for (const one of played) await checkSession(server.port, one);
    }
    const names = readdirSync(join(dataDir, 'version-2'));
    const snapshots = names.filter((name) => /^snapshot\.[0-9a-f]+$/.test(name));
    assert.ok(snapshots.length > KILLS / 2, `too few snapshots to prove anything: ${names}`);
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

test('a log that cannot be written ends the server with its own exit code, and acknowledges nothing', async () => {
  const home = makeTempDir('disk');
  const dataDir = join(home.path, 'data');
  const folder = join(dataDir, 'version-2');
  let server = await spawnBundled(dataDir, { snapCount: '10' });
  try {
    const client = await RawClient.connect(server.port);
    await create(client, '/a', 0);
    // The folder of the next log file is missing.
    renameSync(folder, `${folder}-gone`);
    const history = new LoadHistory('/a', new Random(1));
    const played: LoadStep[] = [];
    while (!client.isClosed && played.length < 100) {
      const step = history.next();
      const reply = await client.request(step.op.type, encodeOp(step.op, 0n));
      if (reply === undefined) break;
      played.push(step);
    }
    assert.is(await server.ended, ExitCode.DISK, server.output());
    assert.match(server.output(), /cannot write the transaction log/);
    renameSync(`${folder}-gone`, folder);
    server = await spawnBundled(dataDir, { snapCount: '10' });
    const reader = await RawClient.connect(server.port);
    assert.equal(await readSubtree(reader, '/a'), played.at(-1)?.after ?? new Map());
    await reader.close();
  } finally {
    await server.stop('SIGKILL');
    home.remove();
  }
});

test.run();
