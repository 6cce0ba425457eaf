import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { waitFor } from '../../support/wait-for.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { checkNoMismatches, checkSameEverywhere } from '../support/same-everywhere.js';

// The tree changes while a leader sends it. The learner compares the digest of each txn after
// NEWLEADER, and counts a mismatch if the snapshot had that txn already.

const ZNODES = 20_000;
const BATCH = 500;
const WRITERS = 6;

/** Enough that the snapshot is not sent in one turn. */
async function growTree(seat: Seat): Promise<void> {
  const data = Buffer.alloc(100);
  await withClient(seat, async (client) => {
    await client.create('/big', null);
    for (let at = 0; at < ZNODES; at += BATCH) {
      const names = Array.from({ length: BATCH }, (_, i) => `/big/n${at + i}`);
      await Promise.all(names.map((path) => client.create(path, data)));
    }
  });
}

for (const observers of [0, 1]) {
  const role = observers === 0 ? 'follower' : 'observer';
  oracleTest(
    `an Apache ${role} finds no digest mismatch in a tree that a bundled leader sends`,
    () =>
      withMixedEnsemble({ participants: 3 - observers, observers }, async (ensemble) => {
        const { seats } = ensemble;
        const ours = [seats.of(1), seats.of(2)];
        for (const { sid } of ours) ensemble.startApart(sid);
        for (const seat of ours) await waitUntilServing(seat);
        await growTree(seats.of(2));
        const connectString = ours.map((seat) => seat.connectString).join();
        const writers = await SteadyWriters.start(connectString, WRITERS);
        try {
          ensemble.startTheirs(3);
          await waitUntilServing(seats.of(3));
          assert.match(`${ensemble.theirs.get(3)?.output()}`, /Getting a snapshot from leader/);
          await writers.goOn();
          await writers.pause();
          await checkSameEverywhere(seats.all);
        } finally {
          await writers.close();
        }
      }),
  );
}

// A start of Apache's server from a tree that never existed would count mismatches.
oracleTest("an Apache server starts from the tree that a bundled one got of Apache's leader", () =>
  withMixedEnsemble(
    // Without txns from the leader's disk.
    { participants: 3, config: { snapshotSizeFactor: -1 } },
    async (ensemble) => {
      const { seats } = ensemble;
      const theirs = [seats.of(2), seats.of(3)];
      for (const { sid } of theirs) ensemble.startTheirs(sid);
      for (const seat of theirs) await waitUntilServing(seat);
      await growTree(seats.of(2));
      const connectString = theirs.map((seat) => seat.connectString).join();
      const writers = await SteadyWriters.start(connectString, WRITERS);
      const joining = seats.of(1);
      try {
        ensemble.startApart(1);
        await waitUntilServing(joining);
        assert.match(`${ensemble.theirs.get(3)?.output()}`, /Sending snapshot/);
        await writers.pause();
        await waitFor('complete snapshots', () =>
          readdirSync(join(joining.dataDir, 'version-2')).every((name) => !name.endsWith('.tmp')),
        );
        await ensemble.stop(1);
        ensemble.startTheirs(1);
        await waitUntilServing(joining);
        await checkNoMismatches(joining);
      } finally {
        await writers.close();
      }
    },
  ),
);

test.run();
