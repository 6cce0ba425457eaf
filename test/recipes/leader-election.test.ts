import { test } from 'uvu';
import { startBundled } from '../support/bundled.js';
import { registerLeaderElectionSuite } from './leader-election-suite.js';
import { inWorld } from './world.js';

registerLeaderElectionSuite((name, run) => {
  test(name, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
});

test.run();
