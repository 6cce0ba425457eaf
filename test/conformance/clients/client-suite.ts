/**
 * The tests that every client must pass with every server. The test files of this folder register
 * them for each pair. Each test works below its own path on one shared server.
 */
import { SharedByTests } from '../../support/shared-by-tests.js';
import { registerAccessTests } from './client-suite-access.js';
import { registerNodeTests } from './client-suite-nodes.js';
import { registerSessionTests } from './client-suite-sessions.js';
import { registerWatchLoopTests } from './client-suite-watch-loops.js';
import { registerWatchTests } from './client-suite-watches.js';
import {
  expectUnsupported,
  type Suite,
  type SuiteOptions,
  type TestWorld,
  withWorld,
} from './client-suite-world.js';

export function runClientSuite(name: string, options: SuiteOptions): void {
  const shared = new SharedByTests(options.startServer);
  let count = 0;
  const check = (title: string, run: (world: TestWorld) => Promise<void>): void => {
    const root = `/t${++count}`;
    const work = shared.use((server) => withWorld(options, server, root, run));
    options.test(`${name}: ${title}`, work);
  };
  const suite: Suite = {
    isNative: options.isNative,
    check,
    checkUnlessNative: (title, run) =>
      check(title, async (world) => {
        if (options.isNative) await expectUnsupported(run(world));
        else await run(world);
      }),
  };
  registerNodeTests(suite);
  registerAccessTests(suite);
  registerWatchTests(suite);
  registerWatchLoopTests(suite);
  registerSessionTests(suite);
}
