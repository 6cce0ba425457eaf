/**
 * Sends the same requests to Apache's server and to the bundled one. Every response, Stat, and
 * watch event must be the same, in the same order, except for the differences in compare.ts.
 *
 *   npm run prove -- differential [--requests 100000] [--seed 1]
 *
 * plays more than `npm test` does, as does ZK_DIFFERENTIAL_REQUESTS. A difference is printed with
 * its seed and the smallest sequence that still makes it.
 */
import { parseArgs } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { compareServers, formatWorld, shrinkWorld } from './support/compare.js';
import { makeWorld } from './support/make-world.js';
import { WORLD_KINDS, type World, type WorldKind } from './support/world.js';
import { digestId, SUPER_USER } from './support/world-values.js';

const DEFAULT_REQUESTS = 4000;
const REQUESTS_A_WORLD = 150;
const SHRINK_MS = 120_000;

const { values } = parseArgs({
  options: { requests: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const wanted = Number(
  values.requests ?? process.env['ZK_DIFFERENTIAL_REQUESTS'] ?? DEFAULT_REQUESTS,
);
const firstSeed = Number(values.seed);
assert.ok(Number.isInteger(wanted) && Number.isInteger(firstSeed), 'two whole numbers');

/** Apache's server reads it only from JVM properties. A reaped container would take a zxid. */
const NO_REAPING = { 'znode.container.checkIntervalMs': '1000000000' };

/** The configuration of both servers: no timer may fire during a comparison. */
const CONFIG = {
  tickTime: '2000',
  maxSessionTimeout: '600000',
  extendedTypesEnabled: 'true',
  snapCount: '1000',
  ...NO_REAPING,
  'DigestAuthenticationProvider.superDigest': digestId(SUPER_USER),
};

function kindOf(seed: number): WorldKind {
  return WORLD_KINDS[seed % WORLD_KINDS.length] ?? 'watched';
}

async function startBoth() {
  // On a disk, as Apache's. In memory, a write is durable in the turn of its arrival.
  const home = makeTempDir('differential');
  const oracle = await startOracle({ config: CONFIG, properties: NO_REAPING });
  const stopOracle = async (): Promise<void> => {
    await oracle.close();
    home.remove();
  };
  try {
    const bundled = await startBundled({ dataDir: home.path, config: CONFIG });
    return {
      compare: (world: World) => compareServers(bundled.port, oracle.port, world),
      close: async () => {
        await bundled.close();
        await stopOracle();
      },
    };
  } catch (error) {
    await stopOracle();
    throw error;
  }
}

/** Whether the world makes a difference on two new servers. */
async function differsOnFresh(world: World): Promise<boolean> {
  const both = await startBoth();
  try {
    return (await both.compare(world)) !== undefined;
  } finally {
    await both.close();
  }
}

oracleTest("the bundled server gives the same responses as Apache's", async () => {
  const both = await startBoth();
  let played = 0;
  try {
    for (let seed = firstSeed; played < wanted; seed++) {
      const kind = kindOf(seed);
      const world = makeWorld(seed, `/w${seed}`, kind, REQUESTS_A_WORLD);
      const difference = await both.compare(world);
      played += REQUESTS_A_WORLD;
      if (difference === undefined) continue;
      const deadline = Date.now() + SHRINK_MS;
      const cut: World = { ...world, steps: world.steps.slice(0, difference.step + 1) };
      const smallest = await shrinkWorld(cut, differsOnFresh, () => Date.now() > deadline);
      assert.unreachable(
        [
          `seed ${seed} (${kind}), step ${difference.step}:`,
          ...difference.ours.map((line) => `  bundled  ${line}`),
          ...difference.theirs.map((line) => `  Apache   ${line}`),
          `the smallest sequence found: ${formatWorld(smallest)}`,
        ].join('\n'),
      );
    }
    console.log(`${played} requests from seed ${firstSeed} on: no difference`);
  } finally {
    await both.close();
  }
});

test.run();
