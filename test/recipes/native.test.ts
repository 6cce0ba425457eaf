import { test } from 'uvu';
import { createNativeClient } from '../../src/client/native/native.js';
import { nativeTest } from '../conformance/clients/client-suite-native.js';
import { spawnBundled } from '../support/bundled.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { SharedByTests } from '../support/shared-by-tests.js';
import { registerLeaderElectionSuite } from './leader-election-suite.js';
import { type Register, registerLockSuite } from './lock-suite.js';
import { registerScenarios, SCENARIOS } from './scenario-suite.js';
import { inWorld, type TestServer } from './world.js';

// The same suites over Apache's C client. Its close blocks until the server has answered, so the
// server is a separate process, which the first test starts and the last one ends.

const server = new SharedByTests(startServer);

async function startServer(): Promise<TestServer> {
  const home = makeTempDir('recipes-native');
  const { port, stop } = await spawnBundled(`${home.path}/data`);
  const close = async (): Promise<void> => {
    await stop();
    home.remove();
  };
  return { port, close };
}

const register: Register = (name, run) => {
  const work = server.use(({ port }) => inWorld(port, run, createNativeClient));
  nativeTest(`${name} (native client)`, work);
};

registerLockSuite(register);
registerLeaderElectionSuite(register);
registerScenarios(
  register,
  SCENARIOS.filter(({ isBuiltinOnly }) => isBuiltinOnly !== true),
);

test.run();
