import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { freePort } from '../../support/machine/free-port.js';
import { ask, withClient } from '../../support/peers/seat-client.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { waitFor } from '../../support/wait-for.js';
import { checkMismatches } from '../support/mismatches.js';
import { type MixedEnsemble, withMixedEnsemble } from '../support/mixed-ensemble.js';
import { RawClient } from '../support/raw-client.js';
import { checkSameEverywhere, checkSameTrees, modeOf } from '../support/same-everywhere.js';
import { writeThrough } from '../support/write-through.js';

// Observers with observer masters: bundled ones with Apache's masters, and the reverse.
//
// A follower of Apache's 3.9.3 does not keep the txns that it gets before UPTODATE in its committed
// log, so an observer that connects to it next misses them. The digest of the next txn shows that,
// and the observer takes the whole tree. It may count mismatches, but its tree must be equal.

const LEADER = 3;
const FOLLOWERS = [1, 2];

type Whose = 'ours' | 'theirs';

interface Table {
  readonly name: string;
  readonly leader: Whose;
  readonly masters: Whose;
  /** Who runs the seats from 4 on. */
  readonly observers: readonly Whose[];
}

const TABLES: readonly Table[] = [
  {
    name: "bundled observers with Apache's masters, which follow a bundled leader",
    leader: 'ours',
    masters: 'theirs',
    observers: ['ours'],
  },
  {
    name: "observers of both kinds with bundled masters, which follow Apache's leader",
    leader: 'theirs',
    masters: 'ours',
    observers: ['theirs', 'ours'],
  },
];

function start({ startApart, startTheirs }: MixedEnsemble, sid: number, whose: Whose): void {
  if (whose === 'ours') startApart(sid);
  else startTheirs(sid);
}

/** Without a close of its connections. */
async function stop(ensemble: MixedEnsemble, sid: number): Promise<void> {
  await (ensemble.apart.get(sid) ?? ensemble.theirs.get(sid))?.stop('SIGKILL');
  await ensemble.stop(sid);
}

async function gauge(seat: Seat, name: string): Promise<number | undefined> {
  const found = new RegExp(`^zk_${name}\t(-?\\d+)$`, 'm').exec(
    await ask(seat, 'mntr').catch(() => ''),
  );
  return found === null ? undefined : Number(found[1]);
}

/** The master of the observer, or undefined while it has none. */
function masterOf(observer: Seat): Promise<number | undefined> {
  return gauge(observer, 'observer_master_id');
}

async function checkCounted({ seats }: MixedEnsemble, observers: readonly Seat[]): Promise<void> {
  const masters = await Promise.all(observers.map(masterOf));
  for (const sid of FOLLOWERS) {
    const count = masters.filter((master) => master === sid).length;
    assert.is(await gauge(seats.of(sid), 'synced_observers'), count, `at ${sid}`);
  }
  assert.is(await gauge(seats.of(LEADER), 'synced_observers'), 0);
}

/** A watch set at the observer fires for a write at the leader. */
async function checkWatch(observer: Seat, leader: Seat): Promise<void> {
  const path = `/watched-by-${observer.sid}`;
  const watcher = await RawClient.connect(observer.clientPort);
  await watcher.call(OpCode.exists, { path, watch: true });
  await withClient(leader, (client) => client.create(path));
  await waitFor('the event', () => watcher.take().some(({ kind }) => kind === 'event'));
  await watcher.close();
}

/**
 * The bundled server drops requests of a session at an observer that it has left. Apache's
 * executes them.
 */
async function checkLate(left: RawClient, path: string, reader: Seat): Promise<void> {
  const { err } = await left.call(OpCode.setData, { path, data: Buffer.from('late'), version: -1 });
  assert.is(err, ErrorCode.BADARGUMENTS);
  await withClient(reader, async (client) => {
    await client.sync(path);
    assert.is.not(`${(await client.getData(path)).data}`, 'late');
  });
}

/** One session moves from the observer to its master, to the leader, and back. */
async function checkMoves(
  observer: Seat,
  master: Seat,
  leader: Seat,
  masters: Whose,
): Promise<void> {
  const path = `/moved-from-${observer.sid}`;
  await withClient(leader, (client) => client.create(path));
  let client = await RawClient.connect(observer.clientPort);
  let version = 0;
  for (const seat of [observer, master, leader, observer]) {
    const before = client;
    // A reconnect sees what the session saw before.
    const { zxid: lastZxidSeen } = await before.call(OpCode.sync, { path });
    client = await waitFor(`the session at ${seat.sid}`, async () => {
      const next = await RawClient.connect(seat.clientPort, { session: before.live, lastZxidSeen });
      return next.session === undefined ? undefined : next;
    });
    assert.is(client.live.id, before.live.id, `at ${seat.sid}`);
    const { err } = await client.call(OpCode.setData, { path, data: null, version: version++ });
    assert.is(err, 0, `at ${seat.sid}`);
    if (seat === master && masters === 'ours') await checkLate(before, path, leader);
    if (!before.isClosed) await before.drop();
  }
  await client.close();
}

/** When its master is killed, the observer connects to the other, with its clients' sessions. */
async function killMaster(
  ensemble: MixedEnsemble,
  observer: Seat,
  writers: SteadyWriters,
): Promise<number> {
  const master = (await masterOf(observer)) ?? 0;
  const other = FOLLOWERS.find((sid) => sid !== master);
  await stop(ensemble, master);
  await waitFor('another master', async () => (await masterOf(observer)) === other, 60_000);
  await waitUntilServing(observer);
  await writers.goOn();
  return master;
}

for (const { name, leader, masters, observers: kinds } of TABLES) {
  oracleTest(`observers, ${name}: writes, reads, moves, and a master that is killed`, async () => {
    const config = { observerMasterPort: await freePort(), maxSessionTimeout: 60_000 };
    const shape = { participants: 3, observers: kinds.length, areHostsApart: true, config };
    await withMixedEnsemble(shape, async (ensemble) => {
      const { seats } = ensemble;
      const observers = kinds.map((_, i) => seats.of(4 + i));
      start(ensemble, LEADER, leader);
      for (const sid of FOLLOWERS) {
        start(ensemble, sid, masters);
        // The first two elect the larger.
        await waitUntilServing(seats.of(LEADER));
        await waitUntilServing(seats.of(sid));
      }
      assert.is(await modeOf(seats.of(LEADER)), 'leader');
      for (const [i, whose] of kinds.entries()) start(ensemble, 4 + i, whose);
      for (const observer of observers) await waitUntilServing(observer);
      for (const observer of observers) {
        assert.is(await modeOf(observer), 'observer');
        const master = await waitFor('a master', () => masterOf(observer));
        assert.ok(FOLLOWERS.includes(master), `${master}`);
        const others = seats.all.filter((seat) => seat !== observer);
        await writeThrough(observer, others);
        await checkWatch(observer, seats.of(LEADER));
        await checkMoves(observer, seats.of(master), seats.of(LEADER), masters);
      }
      for (const sid of FOLLOWERS) await writeThrough(seats.of(sid), observers);
      await checkCounted(ensemble, observers);
      await checkSameEverywhere(seats.all);

      const places = observers.map(({ connectString }) => connectString).join();
      const writers = await SteadyWriters.start(places, 2);
      try {
        await writers.goOn();
        for (const observer of observers) {
          const killed = await killMaster(ensemble, observer, writers);
          start(ensemble, killed, masters);
          await waitUntilServing(seats.of(killed));
          await writers.goOn();
        }
        await stop(ensemble, LEADER);
        await writers.goOn();
        start(ensemble, LEADER, leader);
        await waitUntilServing(seats.of(LEADER));
        await writers.goOn();
        await writers.pause();
        await writers.checkKeptAt(seats.all);
        await checkSameTrees(seats.all);
        const exact =
          masters === 'ours' ? seats.all : seats.all.filter(({ role }) => role !== 'observer');
        for (const { sid } of exact) await checkMismatches(ensemble, sid);
      } finally {
        await writers.close();
      }
    });
  });
}

test.run();
