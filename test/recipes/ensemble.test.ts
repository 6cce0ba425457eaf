import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { oracleTest } from '../support/oracle.js';
import { startOracleEnsemble } from '../support/oracle-quorum.js';
import { SCENARIOS } from './scenario-suite.js';
import { inWorld } from './world.js';

/** Long enough that an election on a busy machine is no loss of what is held. */
const SESSION_TIMEOUT_MS = 40_000;

/** Calls `strike` when all have come, and lets them go on while it works. */
function meetingPoint(count: number, strike: () => Promise<void>) {
  let left = count;
  let struck: Promise<void> | undefined;
  let release = (): void => undefined;
  const met = new Promise<void>((resolve) => {
    release = resolve;
  });
  const leave = (): void => {
    if (--left > 0) return;
    struck = strike();
    release();
  };
  return {
    meet: async (): Promise<void> => {
      leave();
      await met;
    },
    /** One that failed on its way keeps nobody waiting. */
    leave,
    struck: () => struck,
  };
}

oracleTest('every recipe goes on when the leader of three is killed in its middle', async () => {
  const ensemble = await startOracleEnsemble();
  const failures: string[] = [];
  try {
    const point = meetingPoint(SCENARIOS.length, ensemble.killLeader);
    await Promise.all(
      SCENARIOS.map(async ({ name, run }) => {
        let hasMet = false;
        const midpoint = (): Promise<void> => {
          hasMet = true;
          return point.meet();
        };
        try {
          await inWorld(
            ensemble.connectString,
            async (world) => {
              await run({ world, subject: await world.client(), midpoint });
              assert.equal(await world.leftovers(), []);
            },
            (options) => createClient({ ...options, sessionTimeoutMs: SESSION_TIMEOUT_MS }),
          );
        } catch (error) {
          failures.push(`${name}: ${error instanceof Error ? error.stack : error}`);
        }
        if (!hasMet) point.leave();
      }),
    );
    await point.struck();
  } finally {
    await ensemble.close();
  }
  assert.equal(failures, []);
});

test.run();
