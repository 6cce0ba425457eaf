import * as assert from 'uvu/assert';
import { CURATOR_SCENARIOS } from './curator-scenarios.js';
import type { Register } from './lock-suite.js';
import { MORE_SCENARIOS } from './more-scenarios.js';
import { LOCK_SCENARIOS, type Scenario } from './scenarios.js';
import { inWorld, type World } from './world.js';

export const SCENARIOS: readonly Scenario[] = [
  ...LOCK_SCENARIOS,
  ...MORE_SCENARIOS,
  ...CURATOR_SCENARIOS,
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

/**
 * Every recipe, once for each of its requests: the connection breaks before the request is
 * forwarded, or before its reply is.
 */
export function registerScenarioFaults(
  register: (name: string, run: (port: number) => Promise<void>) => void,
): void {
  for (const scenario of SCENARIOS) {
    for (const when of ['reply', 'request'] as const) {
      register(`${scenario.name}: any ${when} is lost`, async (port) => {
        let cuts = 0;
        for (let hasCut = true; hasCut; ) {
          await inWorld(port, async (world) => {
            hasCut = await runHarmed(scenario, world, cuts + 1, when);
          });
          if (hasCut) cuts++;
        }
        assert.ok(cuts >= 3, `only ${cuts} requests could be harmed`);
      });
    }
  }
}

async function runHarmed(
  { run }: Scenario,
  world: World,
  count: number,
  when: 'reply' | 'request',
): Promise<boolean> {
  const proxy = await world.proxy();
  const subject = await world.client({ through: proxy });
  proxy.cutAt(count, when);
  try {
    await run({ world, subject, midpoint: nothing });
    assert.equal(await world.leftovers(), []);
  } catch (error) {
    const left = await world.leftovers();
    throw new Error(`with ${when} ${count} lost, ${left} left: ${error}`, { cause: error });
  }
  return proxy.hasCut;
}
