import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CreateModes, type SessionClient } from '../../src/client/index.js';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { type RunningServer, startServer } from '../../src/server/main.js';
import { oracleTest } from '../support/apache/oracle.js';
import {
  makeSeats,
  type Seat,
  type Seats,
  waitUntilServing,
} from '../support/apache/oracle-ensemble.js';
import { ask, withClient } from '../support/peers/seat-client.js';
import { waitFor } from '../support/wait-for.js';

// Local sessions in mixed ensembles: the leader decides about their writes.

async function startOurs({ configFile }: Seat): Promise<RunningServer> {
  const result = parseConfig(readFileSync(configFile, 'utf8'), { fileName: configFile });
  if (!('config' in result)) throw new Error(result.errors[0]?.text);
  return startServer({ parsed: result.config, configFile });
}

/** An ensemble of three. `ours` is the bundled server, and starts first. */
async function within(
  ours: number,
  isUpgradeAllowed: boolean,
  work: (seats: Seats) => Promise<void>,
): Promise<void> {
  const config = {
    localSessionsEnabled: true,
    localSessionsUpgradingEnabled: isUpgradeAllowed,
  };
  const seats = await makeSeats({ participants: 3, config });
  let server: RunningServer | undefined;
  try {
    server = await startOurs(seats.of(ours));
    for (const { sid } of seats.all) if (sid !== ours) seats.startApache(sid);
    for (const seat of seats.all) await waitUntilServing(seat);
    const mode = ours === LEADER ? 'leader' : 'follower';
    assert.match(await ask(seats.of(ours), 'srvr'), new RegExp(`^Mode: ${mode}$`, 'm'));
    await work(seats);
  } finally {
    await server?.close();
    await seats.close();
  }
}

async function sessionsOf(seat: Seat): Promise<[local: string, global: string]> {
  const mntr = await ask(seat, 'mntr');
  const figure = (key: string) => new RegExp(`^zk_${key}\\t(\\d+)$`, 'm').exec(mntr)?.[1] ?? 'none';
  return [figure('local_sessions'), figure('global_sessions')];
}

/**
 * Apache's leader answers a sync, and accepts a local session, before it has applied all that its
 * followers have.
 */
async function waitForSynced(reader: SessionClient, isSeen: () => Promise<boolean>): Promise<void> {
  await waitFor('a change to be seen', async () => {
    await reader.sync('/');
    return isSeen();
  });
}

/** A local session of `seat` makes a change, and one of another server sees it. */
async function writeLocally(seat: Seat, other: Seat): Promise<void> {
  const path = `/by-${seat.sid}`;
  await withClient(seat, async (client) => {
    await client.create(path, Buffer.from('first'));
    await client.setData(path, Buffer.from('second'), 0);
    assert.equal(await sessionsOf(seat), ['1', '0'], `server ${seat.sid}`);
    await withClient(other, async (reader) => {
      await waitForSynced(reader, async () => {
        return (
          (await reader.exists(path)) !== null &&
          `${(await reader.getData(path)).data}` === 'second'
        );
      });
    });
  });
  assert.equal(await sessionsOf(seat), ['0', '0'], `server ${seat.sid}`);
}

/** With an ephemeral, the session becomes global. At its end, the ephemeral is deleted. */
async function upgrade(seat: Seat, other: Seat): Promise<void> {
  const path = `/ephemeral-${seat.sid}`;
  await withClient(other, async (reader) => {
    await withClient(seat, async (client) => {
      await Promise.all([
        client.create(`/before-${seat.sid}`, null),
        client.create(path, null, { mode: CreateModes.EPHEMERAL }),
        client.create(`${path}-more`, null, { mode: CreateModes.EPHEMERAL }),
      ]);
      assert.equal(await sessionsOf(seat), ['0', '1'], `server ${seat.sid}`);
      await waitForSynced(reader, async () => (await reader.exists(path)) !== null);
      assert.equal(await sessionsOf(other), ['1', '1'], `server ${other.sid}`);
    });
    await waitForSynced(reader, async () => (await reader.exists(path)) === null);
    assert.not.ok(await reader.exists(`${path}-more`));
  });
}

async function refuse(seat: Seat): Promise<void> {
  const mode = CreateModes.EPHEMERAL;
  await withClient(seat, async (client) => {
    const answers = await Promise.all([
      client.create(`/kept-${seat.sid}`, null).then(() => 'ok'),
      client.create(`/mine-${seat.sid}`, null, { mode }).catch((error) => error.code),
      client.exists(`/kept-${seat.sid}`).then((stat) => (stat === null ? 'none' : 'there')),
    ]);
    assert.equal(answers, ['ok', 'EPHEMERALONLOCALSESSION', 'there'], `server ${seat.sid}`);
  });
}

const LEADER = 3;
const KINDS: readonly [name: string, ours: number][] = [
  ['ours follows', 1],
  ['ours leads', LEADER],
];

for (const [name, ours] of KINDS) {
  oracleTest(`local sessions on every member, and made global (${name})`, async () => {
    await within(ours, true, async (seats) => {
      for (const seat of seats.all) {
        const other = seats.of((seat.sid % seats.all.length) + 1);
        await writeLocally(seat, other);
        await upgrade(seat, other);
      }
    });
  });

  oracleTest(`an ephemeral is refused on every member (${name})`, async () => {
    await within(ours, false, async (seats) => {
      for (const seat of seats.all) await refuse(seat);
    });
  });
}

test.run();
