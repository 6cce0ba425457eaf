// conformance: runs against Apache's server, too.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { oracleTest } from '../support/apache/oracle.js';
import { startQuorum } from '../support/peers/quorum.js';
import { SCENARIOS } from './scenario-suite.js';
import { inWorld } from './world.js';

/** Long enough that an election on a busy machine does not lose a hold. */
const SESSION_TIMEOUT_MS = 40_000;

/** Calls `strike` when all recipes have arrived, and releases them while it runs. */
function rendezvous(count: number, strike: () => Promise<unknown>) {
  let left = count;
  let struck: Promise<unknown> | undefined;
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
    /** A recipe that failed earlier must not block the others. */
    leave,
    struck: () => struck,
  };
}

/** Runs all recipes at once, and kills the leader when each is at its midpoint. */
async function runWithoutLeader(kind: 'Apache' | 'bundled'): Promise<void> {
  const ensemble = await startQuorum(kind);
  const failures: string[] = [];
  // The pending calls of a recipe that failed reject, too: they must not hide its own error.
  const noteRejection = (reason: unknown): void => {
    failures.push(`not awaited: ${reason}`);
  };
  process.on('unhandledRejection', noteRejection);
  try {
    const point = rendezvous(SCENARIOS.length, ensemble.killLeader);
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
    process.off('unhandledRejection', noteRejection);
  }
  assert.equal(failures, []);
}

test('every recipe continues when the leader of three members is killed meanwhile', () =>
  runWithoutLeader('bundled'));

oracleTest("every recipe continues when the leader of Apache's three is killed in its middle", () =>
  runWithoutLeader('Apache'),
);

test.run();
