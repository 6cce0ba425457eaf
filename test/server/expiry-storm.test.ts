/** Thousands of sessions that expire at once: each step handles some, and none remains. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effect } from '../../src/server/effects.js';
import { Database } from '../../src/server/persistence/replay.js';
import type { Server } from '../../src/server/server.js';
import { addNode } from '../support/bytes/add-node.js';
import { makeTestServer, SETTINGS } from './server-world.js';

type Append = Extract<Effect, { kind: 'append' }>;

/** Sessions, with an ephemeral each, that one step may end or apply; half of that as a slice. */
const STEP_LIMIT = 110;
const SESSIONS = 3000;
const SNAPSHOT_ZXID = 5n;

function ephemeralOf(owner: bigint): Buffer {
  const stat = Buffer.alloc(60);
  stat.writeBigInt64BE(owner, 44);
  return stat;
}

/** Every second of the sessions ends at one tick, the others much later. */
function storm(): Server {
  const database = new Database({});
  addNode(database, '', Buffer.alloc(0), -1n, Buffer.alloc(60));
  for (let i = 0; i < SESSIONS; i++) {
    const id = 0x1000n + BigInt(i);
    database.addSession(id, i % 2 === 0 ? 4000 : 40_000);
    addNode(database, `/n-${i}`, Buffer.from('x'), -1n, ephemeralOf(id));
  }
  database.finishSnapshot(SNAPSHOT_ZXID);
  const { tree, sessions } = database;
  return makeTestServer(SETTINGS, { tree, sessions: [...sessions.values()] });
}

const countOf = ({ firstZxid, lastZxid }: Append): number => Number(lastZxid - firstZxid) + 1;

test('a storm of expiries completes in slices, no faster than the disk', () => {
  const server = storm();
  const { state } = server;
  let nowMs = 0;
  const turn = (): { appends: Append[]; isMoreLeft: boolean } => {
    server.step({ kind: 'clock', wallMs: 1e12 + nowMs, monotonicMs: nowMs });
    const effects = server.drain();
    const appends = effects.filter((effect): effect is Append => effect.kind === 'append');
    for (const append of appends) assert.ok(countOf(append) <= STEP_LIMIT, `${countOf(append)}`);
    return { appends, isMoreLeft: effects.some(({ kind }) => kind === 'wake') };
  };
  // Due sessions end in a turn after the one that finds them.
  for (; nowMs < 5000; nowMs += 500) turn();
  turn();
  const written: Append[] = [];
  // While the disk says nothing the turns come to rest.
  for (let isMoreLeft = true; isMoreLeft; ) {
    const done = turn();
    written.push(...done.appends);
    isMoreLeft = done.isMoreLeft;
  }
  assert.ok(written.length >= 2 && written.length < 10, `${written.length} slices unsynced`);
  let asked = 0;
  while (state.sessions.size > SESSIONS / 2) {
    const append = written.shift();
    assert.ok(append !== undefined, `nothing is under way, and ${state.sessions.size} are left`);
    const before = state.sessions.size;
    server.step(append.whenDurable);
    assert.ok(before - state.sessions.size <= STEP_LIMIT);
    const effects = server.drain();
    asked += effects.some(({ kind }) => kind === 'wake') ? 1 : 0;
    written.push(...turn().appends);
  }
  assert.equal(written, []);
  assert.ok(asked > 10, 'each ack asks for the next slice');
  assert.is(state.tree.ephemeralsCount, SESSIONS / 2);
  assert.is(state.stats.metrics.view().counters.stale_sessions_expired, SESSIONS / 2);
  assert.is(state.tree.lastProcessedZxid, SNAPSHOT_ZXID + BigInt(SESSIONS / 2));
});

test.run();
