import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkSameEverywhere } from '../support/same-everywhere.js';

// A follower of 3.8.0 fails if its leader commits, between NEWLEADER and UPTODATE, a proposal that
// it sent before NEWLEADER (ZOOKEEPER-4394). It then syncs again, and logs the same txns twice.

const JOINS = 4;
const WRITERS = 12;

oracleTest('an Apache follower joins a busy bundled leader at the first attempt', () =>
  withMixedEnsemble({ participants: 3 }, async (ensemble) => {
    const { seats } = ensemble;
    const ours = [seats.of(1), seats.of(2)];
    for (const { sid } of ours) ensemble.startApart(sid);
    for (const seat of ours) await waitUntilServing(seat);
    const connectString = ours.map((seat) => seat.connectString).join();
    const writers = await SteadyWriters.start(connectString, WRITERS);
    try {
      for (let join = 0; join < JOINS; join++) {
        await ensemble.stop(3);
        await writers.goOn();
        ensemble.startTheirs(3);
        await waitUntilServing(seats.of(3));
        await writers.goOn();
        assert.not.match(`${ensemble.theirs.get(3)?.output()}`, /Exception when following/);
      }
      await writers.pause();
      await checkSameEverywhere(seats.all);
    } finally {
      await writers.close();
    }
  }),
);

test.run();
