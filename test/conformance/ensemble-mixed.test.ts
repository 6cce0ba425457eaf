import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TxnLogReader } from '../../src/server/persistence/txn-log.js';
import { oracleTest } from '../support/oracle.js';
import { type Seat, waitUntilServing } from '../support/oracle-ensemble.js';
import { withClient } from '../support/seat-client.js';
import { buildLog, setDataEntry } from '../support/zk-files.js';
import { withMixedEnsemble } from './support/mixed-ensemble.js';
import { checkSameEverywhere, modeOf } from './support/same-everywhere.js';
import { writeThrough } from './support/write-through.js';

// Our servers beside Apache's in one ensemble: who leads whom, how a member catches up, and whether
// all have the same tree in the end.

const TABLES: [name: string, ours: readonly number[], observers: number, leader: number][] = [
  ['ours follows two of theirs', [1], 0, 3],
  ['ours leads two of theirs', [3], 0, 3],
  ['two of ours, one of which leads, and one of theirs', [2, 3], 0, 3],
  ['two of ours follow one of theirs', [1, 2], 0, 3],
  ['ours observes two of theirs', [3], 1, 2],
  ['theirs observes two of ours', [1, 2], 1, 2],
];

for (const [name, sids, observers, leader] of TABLES) {
  oracleTest(`${name}: writes by every member are read at all others`, () =>
    withMixedEnsemble({ participants: 3 - observers, observers }, async (ensemble) => {
      const { seats } = ensemble;
      // The first two elect the larger; the third comes late.
      const order = [leader, ...seats.all.map(({ sid }) => sid).filter((sid) => sid !== leader)];
      for (const sid of order) {
        if (sid === order[2]) await waitUntilServing(seats.of(leader));
        if (sids.includes(sid)) await ensemble.startOurs(sid);
        else ensemble.startTheirs(sid);
      }
      for (const seat of seats.all) await waitUntilServing(seat);
      assert.is(await modeOf(seats.of(leader)), 'leader');
      if (observers > 0) assert.is(await modeOf(seats.of(3)), 'observer');
      for (const seat of seats.all) {
        await writeThrough(
          seat,
          seats.all.filter((other) => other !== seat),
        );
      }
      await checkSameEverywhere(seats.all);
    }),
  );
}

/** How a member that was away catches up: as whoever leads it says. */
const SYNCS: [name: string, away: 'ours' | 'theirs', leads: 'ours' | 'theirs'][] = [
  ['ours is brought in sync by theirs', 'ours', 'theirs'],
  ['theirs is brought in sync by ours', 'theirs', 'ours'],
];

/** What a leader says when it brings a learner in sync, ours or Apache's. */
const SAID = {
  DIFF: /syncing .* by DIFF|Sending DIFF/,
  TRUNC: /syncing .* by TRUNC/,
  SNAP: /syncing .* by SNAP|Sending snapshot/,
};

for (const [name, away, leads] of SYNCS) {
  oracleTest(`${name}: DIFF, TRUNC and SNAP`, () =>
    withMixedEnsemble({ participants: 3 }, async (ensemble) => {
      const { seats, notes, theirs } = ensemble;
      const start = async (sid: number, whose: 'ours' | 'theirs'): Promise<void> => {
        if (whose === 'ours') await ensemble.startOurs(sid);
        else ensemble.startTheirs(sid);
      };
      const said = (): string => {
        const ofTheirs = [...theirs.values()].map((member) => member.output());
        return [...ofTheirs, ...[...notes.values()].flat()].join('\n');
      };
      const awaySeat = seats.of(1);
      const leaderSeat = seats.of(3);
      await start(3, leads);
      await start(2, leads);
      await waitUntilServing(leaderSeat);
      await start(1, away);
      await waitUntilServing(awaySeat);
      assert.is(await modeOf(leaderSeat), 'leader');
      await withClient(leaderSeat, (client) => client.create('/before', null));

      await ensemble.stop(1);
      await withClient(leaderSeat, async (client) => {
        for (let i = 0; i < 50; i++) await client.create(`/n${i}`, Buffer.from(`${i}`));
      });
      const times = (what: RegExp): number => said().split(what).length - 1;
      const diffsBefore = times(SAID.DIFF);
      await start(1, away);
      await waitUntilServing(awaySeat);
      assert.ok(times(SAID.DIFF) > diffsBefore);
      await checkSameEverywhere(seats.all);

      await ensemble.stop(1);
      addUncommitted(awaySeat);
      assert.ok(isLogged(awaySeat, 'never committed'));
      await start(1, away);
      await waitUntilServing(awaySeat);
      assert.not.ok(isLogged(awaySeat, 'never committed'));
      // Apache's leader says nothing of it.
      if (leads === 'ours') assert.match(said(), SAID.TRUNC);
      await checkSameEverywhere(seats.all);
      await writeThrough(awaySeat, [seats.of(2), leaderSeat]);

      await ensemble.stop(1);
      const snapsBefore = times(SAID.SNAP);
      rmSync(join(awaySeat.dataDir, 'version-2'), { recursive: true });
      // Behind it is more than a leader keeps in memory.
      await withClient(leaderSeat, async (client) => {
        for (let i = 0; i < 40; i++) {
          const creates = Array.from({ length: 20 }, () => client.setData('/before', null));
          await Promise.all(creates);
        }
      });
      await start(1, away);
      await waitUntilServing(awaySeat);
      assert.ok(times(SAID.SNAP) > snapsBefore);
      await checkSameEverywhere(seats.all);
      await writeThrough(seats.of(2), [awaySeat, leaderSeat]);
      // What it was sent is on its disk: it comes back with it.
      await ensemble.stop(1);
      await start(1, away);
      await waitUntilServing(awaySeat);
      await checkSameEverywhere(seats.all);
    }),
  );
}

oracleTest('theirs is brought in sync by ours from the log on the disk', () => {
  // What is kept in memory begins at the last snapshot when a server starts anew.
  const config = { snapCount: 10, snapshotSizeFactor: 0 };
  return withMixedEnsemble({ participants: 3, config }, async (ensemble) => {
    const { seats, notes } = ensemble;
    const leaderSeat = seats.of(3);
    await ensemble.startOurs(3);
    ensemble.startTheirs(1);
    await waitUntilServing(leaderSeat);
    await withClient(leaderSeat, (client) => client.create('/before', null));
    await ensemble.startOurs(2);
    await waitUntilServing(seats.of(2));
    await ensemble.stop(1);
    await withClient(leaderSeat, async (client) => {
      for (let i = 0; i < 60; i++) await client.create(`/n${i}`, Buffer.alloc(1000, `${i} `));
    });
    for (const sid of [2, 3]) await ensemble.stop(sid);
    for (const sid of [2, 3]) await ensemble.startOurs(sid);
    await waitUntilServing(leaderSeat);
    assert.is(await modeOf(leaderSeat), 'leader');
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(1));
    const said = notes.get(3)?.filter((note) => /^syncing server 1 /.test(note)) ?? [];
    assert.match(said.at(-1) ?? '', /by DIFF from the log$/);
    await checkSameEverywhere(seats.all);
    await writeThrough(seats.of(1), [seats.of(2), leaderSeat]);
    // It comes back with what it was sent.
    await ensemble.stop(1);
    ensemble.startTheirs(1);
    await waitUntilServing(seats.of(1));
    await checkSameEverywhere(seats.all);
  });
});

function isLogged({ dataDir }: Seat, text: string): boolean {
  const folder = join(dataDir, 'version-2');
  const logs = readdirSync(folder).filter((name) => name.startsWith('log.'));
  return logs.some((name) => readFileSync(join(folder, name)).includes(text));
}

/** Logs a txn behind the last one, as a member that was cut off with a proposal nobody acked. */
function addUncommitted({ dataDir }: Seat): void {
  const folder = join(dataDir, 'version-2');
  let last = 0n;
  for (const name of readdirSync(folder).filter((candidate) => candidate.startsWith('log.'))) {
    const reader = new TxnLogReader(1 << 21);
    reader.push(readFileSync(join(folder, name)));
    reader.end();
    for (let item = reader.next(); item.kind === 'entry'; item = reader.next()) {
      if (item.zxid > last) last = item.zxid;
    }
  }
  const next = last + 1n;
  const log = buildLog([setDataEntry(next, '/before', Buffer.from('never committed'))]);
  writeFileSync(join(folder, `log.${next.toString(16)}`), log);
}

test.run();
