import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TxnLogReader } from '../../../src/files/txn-log.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { buildLog, setDataEntry } from '../../support/bytes/zk-files.js';
import { withClient } from '../../support/peers/seat-client.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkSameEverywhere, modeOf } from '../support/same-everywhere.js';
import { writeThrough } from '../support/write-through.js';

// Bundled and Apache's servers in one ensemble: who leads, how a member catches up, and whether
// all have the same tree at the end.

const TABLES: [name: string, ours: readonly number[], observers: number, leader: number][] = [
  ["a bundled server follows two of Apache's", [1], 0, 3],
  ["a bundled server leads two of Apache's", [3], 0, 3],
  ["two bundled servers, one of which leads, and one of Apache's", [2, 3], 0, 3],
  ["two bundled servers follow one of Apache's", [1, 2], 0, 3],
  ["a bundled server observes two of Apache's", [3], 1, 2],
  ['an Apache server observes two bundled ones', [1, 2], 1, 2],
];

for (const [name, sids, observers, leader] of TABLES) {
  oracleTest(`${name}: all others read the writes of every member`, () =>
    withMixedEnsemble({ participants: 3 - observers, observers }, async (ensemble) => {
      const { seats } = ensemble;
      // The first two elect the larger, and the third joins late.
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

/** How a returning member catches up with each kind of leader. */
const SYNCS: [name: string, away: 'ours' | 'theirs', leads: 'ours' | 'theirs'][] = [
  ["Apache's leader brings a bundled server in sync", 'ours', 'theirs'],
  ['a bundled leader brings an Apache server in sync', 'theirs', 'ours'],
];

/** The log text of either leader about the sync of a learner. */
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
      // Apache's leader does not log it.
      if (leads === 'ours') assert.match(said(), SAID.TRUNC);
      await checkSameEverywhere(seats.all);
      await writeThrough(awaySeat, [seats.of(2), leaderSeat]);

      await ensemble.stop(1);
      const snapsBefore = times(SAID.SNAP);
      rmSync(join(awaySeat.dataDir, 'version-2'), { recursive: true });
      // It lacks more than a leader keeps in memory.
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
      // The received txns are on its disk, and it restarts with them.
      await ensemble.stop(1);
      await start(1, away);
      await waitUntilServing(awaySeat);
      await checkSameEverywhere(seats.all);
    }),
  );
}

oracleTest('an Apache server is brought in sync by a bundled one from the log on the disk', () => {
  // After a restart, the txns in memory begin at the last snapshot.
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
    // It restarts with the received txns.
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

/** Logs one more txn, as a member that was cut off with a proposal that no follower acked. */
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
