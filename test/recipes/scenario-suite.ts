import * as assert from 'uvu/assert';
import type { Harm } from '../support/peers/proxy.js';
import { CURATOR_SCENARIOS } from './curator-scenarios.js';
import { DIVIDED_SCENARIOS } from './divided-scenarios.js';
import type { Register } from './lock-suite.js';
import { MORE_SCENARIOS } from './more-scenarios.js';
import { OWNER_SCENARIOS } from './owner-scenarios.js';
import { LOCK_SCENARIOS, type Scenario } from './scenarios.js';
import { inWorld, type World } from './world.js';

export const SCENARIOS: readonly Scenario[] = [
  ...LOCK_SCENARIOS,
  ...MORE_SCENARIOS,
  ...CURATOR_SCENARIOS,
  ...OWNER_SCENARIOS,
  ...DIVIDED_SCENARIOS,
];

const nothing = async (): Promise<void> => undefined;

/** Every recipe without faults. */
export function registerScenarios(register: Register, scenarios = SCENARIOS): void {
  for (const { name, run } of scenarios) {
    register(`${name}: without faults`, async (world) => {
      await run({ world, subject: await world.client(), midpoint: nothing });
      assert.equal(await world.leftovers(), []);
    });
  }
}

/** The connection breaks: a request or its reply is lost. */
export const LOSSES: readonly Harm[] = ['request is lost', 'reply is lost'];

/** The connection stays, and a reply comes twice or late. */
export const ODD_REPLIES: readonly Harm[] = ['reply is doubled', 'reply is delayed'];

/** Every recipe, once for each of its requests, which the proxy harms. */
export function registerScenarioFaults(
  register: (name: string, run: (port: number) => Promise<void>) => void,
  harms: readonly Harm[],
): void {
  for (const scenario of SCENARIOS) {
    for (const harm of harms) {
      register(`${scenario.name}: any ${harm}`, async (port) => {
        let harmed = 0;
        for (let hasHarmed = true; hasHarmed; ) {
          await inWorld(port, async (world) => {
            hasHarmed = await runHarmed(scenario, world, harmed + 1, harm);
          });
          if (hasHarmed) harmed++;
        }
        assert.ok(harmed >= 3, `only ${harmed} requests could be harmed`);
      });
    }
  }
}

async function runHarmed(
  { run }: Scenario,
  world: World,
  count: number,
  harm: Harm,
): Promise<boolean> {
  const proxy = await world.proxy();
  const subject = await world.client({ through: proxy });
  proxy.harmAt(count, harm);
  try {
    await run({ world, subject, midpoint: nothing });
    assert.equal(await world.leftovers(), []);
  } catch (error) {
    const left = await world.leftovers();
    throw new Error(
      `${harm}, of request ${count}; ${left} left: ${error instanceof Error ? error.stack : error}`,
      { cause: error },
    );
  }
  return proxy.hasHarmed;
}
