import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Workload } from '../faults/workload.js';
import { oracleTest } from '../support/oracle.js';
import { type Seat, waitUntilServing } from '../support/oracle-ensemble.js';
import { Random } from '../support/random.js';
import { withClient } from '../support/seat-client.js';
import { SteadyWriters } from '../support/steady-writers.js';
import { type MixedEnsemble, withMixedEnsemble } from './support/mixed-ensemble.js';
import { RawClient } from './support/raw-client.js';
import { checkNoMismatches, checkSameEverywhere } from './support/same-everywhere.js';

// An ensemble of Apache's servers becomes one of ours while clients work, a member at a time on the
// data that it has, and becomes Apache's again.

const FIRST = 'first';
const PATHS = ['/a', '/b', '/c', '/d'];
const WRITERS = 3;
const READERS = 2;

/** Those who read too, by hand over a connection to any member, and what they saw. */
async function startWorkload(seats: readonly Seat[]): Promise<{
  end(): void;
  /** Ends it too. */
  problems(): Promise<string[]>;
}> {
  const ports = seats.map(({ clientPort }) => clientPort);
  const opener = await RawClient.connect(ports[0] ?? 0);
  const workload = new Workload(ports, PATHS);
  await workload.prepare(opener, FIRST);
  await opener.close();
  const running = Array.from({ length: READERS }, (_, i) =>
    workload.run(`client${i}`, new Random(i)),
  );
  return {
    end: () => workload.end(),
    problems: async () => {
      workload.end();
      await Promise.all(running);
      const reader = await RawClient.connect(ports[0] ?? 0);
      await workload.readAll(reader);
      await reader.close();
      assert.ok(workload.acknowledged > 100, `only ${workload.acknowledged} were acknowledged`);
      return workload.problems();
    },
  };
}

/** Replaces each member, in this order, by what `start` starts on its data. */
async function replaceAll(
  { seats, stop }: MixedEnsemble,
  order: readonly number[],
  start: (sid: number) => void,
  writers: SteadyWriters,
): Promise<void> {
  for (const sid of order) {
    await checkNoMismatches(seats.of(sid));
    await stop(sid);
    start(sid);
    await waitUntilServing(seats.of(sid));
    await writers.goOn();
  }
}

oracleTest("Apache's servers become ours one by one under load, and ours Apache's again", () =>
  withMixedEnsemble(
    // So low that snapshots of both are what the other starts from.
    { participants: 3, config: { maxSessionTimeout: 60_000, snapCount: 2000 } },
    async (ensemble) => {
      const { seats } = ensemble;
      for (const { sid } of seats.all) ensemble.startTheirs(sid);
      for (const seat of seats.all) await waitUntilServing(seat);
      const connectString = seats.all.map((seat) => seat.connectString).join();
      const workload = await startWorkload(seats.all);
      const writers = await SteadyWriters.start(connectString, WRITERS);
      try {
        await writers.goOn();
        await replaceAll(ensemble, [1, 2, 3], ensemble.startApart, writers);
        assert.is(ensemble.theirs.size, 0);
        await replaceAll(ensemble, [3, 1, 2], ensemble.startTheirs, writers);
        assert.is(ensemble.apart.size, 0);
        assert.equal(await workload.problems(), []);
        await writers.pause();
        for (const seat of seats.all) {
          const losses = await withClient(seat, (client) => writers.lossesAt(client));
          assert.equal(losses, [], `server ${seat.sid}`);
        }
        await checkSameEverywhere(seats.all);
      } finally {
        workload.end();
        await writers.close();
      }
    },
  ),
);

test.run();
