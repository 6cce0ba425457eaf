import { test } from 'uvu';
import { startBundled } from '../support/bundled.js';
import { Lanes } from '../support/lanes.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { ODD_REPLIES, registerScenarioFaults } from './scenario-suite.js';
import type { TestServer } from './world.js';

const server = new SharedByTests(() => startBundled({ config: { tickTime: '500' } }));

const lanes = new Lanes<TestServer>(8);

registerScenarioFaults((name, run) => {
  const work = server.use(lanes.use(({ port }) => run(port)));
  test(name, work);
}, ODD_REPLIES);

test.run();
