import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN, restore, snapshot } from '../../server/node/storage/restore-world.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { waitFor } from '../../support/wait-for.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkSameEverywhere, leaderOf, modeOf } from '../support/same-everywhere.js';

// A bundled leader replaces the tree of Apache's followers.

/**
 * As -D of a JVM takes them. Apache's followers still follow when the first vote comes, and drop
 * it, so it must come again without the repeat.
 */
const PROPERTIES = {
  'zookeeper.fastleader.minNotificationInterval': '60000',
  ...Object.fromEntries(Object.entries(ADMIN).map(([key, value]) => [`zookeeper.${key}`, value])),
};

oracleTest("a restore at a bundled leader replaces the tree of Apache's followers", () =>
  withMixedEnsemble({ participants: 3 }, async (ensemble) => {
    const { seats } = ensemble;
    const leader = seats.of(3);
    ensemble.startTheirs(1);
    await ensemble.startOurs(3, PROPERTIES);
    await waitUntilServing(leader);
    ensemble.startTheirs(2);
    for (const seat of seats.all) await waitUntilServing(seat);
    assert.is(await modeOf(leader), 'leader');
    const adminPort = ensemble.ours.get(3)?.adminPort ?? 0;
    await withClient(seats.of(1), (client) => client.create('/kept', Buffer.from('old')));
    const bytes = await snapshot(adminPort);
    await withClient(seats.of(2), async (client) => {
      await client.setData('/kept', Buffer.from('new'));
      for (let i = 0; i < 50; i++) await client.create(`/later-${i}`, null);
    });
    assert.is((await restore(adminPort, bytes)).status, 200);
    await waitFor('a leader', async () => (await leaderOf(seats.all)) !== undefined);
    for (const seat of seats.all) {
      await waitUntilServing(seat);
      await withClient(seat, async (client) => {
        await client.sync('/');
        assert.is(`${(await client.getData('/kept')).data}`, 'old');
        assert.is(await client.exists('/later-0'), null);
        await client.create(`/after-${seat.sid}`, null);
      });
    }
    await checkSameEverywhere(seats.all);
    // A start from the files of each member gives the restored tree.
    for (const sid of [1, 2]) {
      await ensemble.stop(sid);
      ensemble.startTheirs(sid);
      await waitUntilServing(seats.of(sid));
    }
    await checkSameEverywhere(seats.all);
  }),
);

test.run();
