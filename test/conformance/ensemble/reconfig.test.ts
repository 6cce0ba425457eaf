import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { waitFor } from '../../support/wait-for.js';
import {
  changeMembers,
  checkKept,
  RECONFIGURABLE,
  waitForMembers,
} from '../support/change-members.js';
import { checkMismatches } from '../support/mismatches.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { leaderOf } from '../support/same-everywhere.js';

// Two bundled servers and one of Apache's change their membership under load: another Apache
// server joins, and a bundled one leaves.

/** The one of the first two with the larger sid leads. */
const TABLES: [name: string, ours: readonly number[], leader: number, leaving: number][] = [
  ['theirs leads', [1, 2], 3, 1],
  ['ours leads', [1, 3], 3, 1],
  ['a bundled server leads, and leaves', [1, 3], 3, 3],
];

for (const [name, ours, leads, leaving] of TABLES) {
  oracleTest(`an Apache server joins, and a bundled one leaves: ${name}`, () =>
    withMixedEnsemble({ participants: 4, initial: 3, config: RECONFIGURABLE }, async (ensemble) => {
      const { seats } = ensemble;
      const firstThree = [1, 2, 3].map(seats.of);
      for (const sid of [3, 1, 2]) {
        if (sid === 2) await waitUntilServing(seats.of(leads));
        if (ours.includes(sid)) ensemble.startApart(sid);
        else ensemble.startTheirs(sid);
      }
      for (const seat of firstThree) await waitUntilServing(seat);
      assert.is((await leaderOf(firstThree))?.sid, leads);
      const staying = seats.all.filter(({ sid }) => sid !== leaving);
      const connectString = seats.all.map((seat) => seat.connectString).join();
      const writers = await SteadyWriters.start(connectString, 3);
      try {
        await withClient(seats.of(2), async (watching) => {
          const events: string[] = [];
          const watch = ({ type, path }: { type: string; path: string }) =>
            void events.push(`${type} ${path}`);
          await watching.getConfig({ watch });
          ensemble.startTheirs(4);
          await waitUntilServing(seats.of(4));
          await changeMembers(seats.of(2), { joining: [`${seats.serverLines[3]}`] });
          await waitForMembers(seats.all, [1, 2, 3, 4]);
          await waitFor('the event of the config watch', () => events.length === 1);
          await writers.goOn();
          await watching.getConfig({ watch });
          await changeMembers(seats.of(2), { leaving: [leaving] });
          await waitForMembers(
            staying,
            staying.map(({ sid }) => sid),
          );
          await waitFor('the next event', () => events.length === 2);
          assert.equal(new Set(events), new Set(['NodeDataChanged /zookeeper/config']));
        });
        await waitFor('a leader', () => leaderOf(staying));
        await writers.goOn();
        await ensemble.stop(leaving);
        await writers.goOn();
        await writers.pause();
        await checkKept(writers, staying);
        for (const { sid } of staying) await checkMismatches(ensemble, sid);
      } finally {
        await writers.close();
      }
    }),
  );
}

test.run();
