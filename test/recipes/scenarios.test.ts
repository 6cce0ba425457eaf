import { test } from 'uvu';
import { startBundled } from '../support/bundled.js';
import { Lanes } from '../support/lanes.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { LOSSES, registerScenarioFaults, registerScenarios } from './scenario-suite.js';
import { inWorld, type TestServer } from './world.js';

const server = new SharedByTests(() => startBundled({ config: { tickTime: '500' } }));

const lanes = new Lanes<TestServer>(8);

registerScenarios((name, run) => {
  const work = server.use(lanes.use(({ port }) => inWorld(port, run)));
  test(name, work);
});

registerScenarioFaults((name, run) => {
  const work = server.use(lanes.use(({ port }) => run(port)));
  test(name, work);
}, LOSSES);

test.run();
