import { test } from 'uvu';
import { registerLeaderElectionSuite } from '../recipes/leader-election-suite.js';
import { type Register, registerLockFaults, registerLockSuite } from '../recipes/lock-suite.js';
import {
  LOSSES,
  ODD_REPLIES,
  registerScenarioFaults,
  registerScenarios,
} from '../recipes/scenario-suite.js';
import { inWorld, type TestServer } from '../recipes/world.js';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { Lanes } from '../support/lanes.js';
import { SharedByTests } from '../support/shared-by-tests.js';

// The same suites on one server of Apache's.

const oracle = new SharedByTests(startOracle);

const lanes = new Lanes<TestServer>(8);

const register: Register = (name, run) => {
  const work = oracle.use(({ port }) => inWorld(port, run));
  oracleTest(`${name} (Apache)`, work);
};

registerLockSuite(register);
registerLockFaults(register);
registerLeaderElectionSuite(register);
registerScenarios(register);
registerScenarioFaults(
  (name, run) => {
    const work = oracle.use(lanes.use(({ port }) => run(port)));
    oracleTest(`${name} (Apache)`, work);
  },
  [...LOSSES, ...ODD_REPLIES],
);

test.run();
