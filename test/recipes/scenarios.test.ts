import { test } from 'uvu';
import { startBundled } from '../support/bundled.js';
import { registerScenarioFaults, registerScenarios } from './scenario-suite.js';
import { inWorld } from './world.js';

const server = startBundled({ config: { tickTime: '500' } });

registerScenarios((name, run) => {
  test(name, async () => inWorld((await server).port, run));
});

registerScenarioFaults(test, async () => (await server).port);

test('the server ends', async () => (await server).close());

test.run();
