import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Workload } from '../../faults/workload.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { type Seat, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { SteadyWriters } from '../../support/peers/steady-writers.js';
import { Random } from '../../support/random.js';
import { withMixedEnsemble } from '../support/mixed-ensemble.js';
import { RawClient } from '../support/raw-client.js';
import { checkReplaced, replaceAll } from '../support/replace-all.js';

// Under load, an ensemble of Apache's servers becomes a bundled one, one member at a time on its
// own data, and then Apache's again.

const FIRST = 'first';
const PATHS = ['/a', '/b', '/c', '/d'];
const WRITERS = 3;
const READERS = 2;

/** Readers on raw connections to each member, and the values they saw. */
async function startWorkload(seats: readonly Seat[]): Promise<{
  end(): void;
  /** Ends it too. */
  problems(): Promise<string[]>;
}> {
  const ports = seats.map(({ clientPort }) => clientPort);
  const workload = new Workload(ports, PATHS);
  await workload.prepare(() => RawClient.connect(ports[0] ?? 0), FIRST);
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

oracleTest(
  "Apache's servers are replaced by bundled ones and back again, one by one under load",
  () =>
    withMixedEnsemble(
      // Low, so that each server starts from a snapshot of the other.
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
          await writers.checkKeptAt(seats.all);
          await checkReplaced(ensemble);
        } finally {
          workload.end();
          await writers.close();
        }
      },
    ),
);

test.run();
