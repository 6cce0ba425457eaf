import { test } from 'uvu';
import { startBundled } from '../support/bundled.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { registerScenarioFaults, registerScenarios } from './scenario-suite.js';
import { inWorld } from './world.js';

const server = new SharedByTests(() => startBundled({ config: { tickTime: '500' } }));

registerScenarios((name, run) => {
  const work = server.use(({ port }) => inWorld(port, run));
  test(name, work);
});

registerScenarioFaults((name, run) => {
  const work = server.use(({ port }) => run(port));
  test(name, work);
});

test.run();
