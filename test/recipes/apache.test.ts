import { test } from 'uvu';
import { type Oracle, oracleTest, startOracle } from '../support/oracle.js';
import { registerLeaderElectionSuite } from './leader-election-suite.js';
import { type Register, registerLockFaults, registerLockSuite } from './lock-suite.js';
import { registerScenarioFaults, registerScenarios } from './scenario-suite.js';
import { inWorld } from './world.js';

// The same suites on one server of Apache's, started by the first test and ended by the last.

let oracle: Promise<Oracle> | undefined;

const register: Register = (name, run) => {
  oracleTest(`${name} (Apache)`, async () => {
    oracle ??= startOracle();
    await inWorld((await oracle).port, run);
  });
};

registerLockSuite(register);
registerLockFaults(register);
registerLeaderElectionSuite(register);
registerScenarios(register);
registerScenarioFaults(
  (name, run) => oracleTest(`${name} (Apache)`, run),
  async () => {
    oracle ??= startOracle();
    return (await oracle).port;
  },
);

oracleTest("Apache's server ends", async () => {
  await (await oracle)?.close();
});

test.run();
