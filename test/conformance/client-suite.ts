/**
 * What every client must do against every server: registered once for each pair by the test files
 * beside this one. Each test works below a path of its own on one server that all of them share.
 */
import { registerAccessTests } from './client-suite-access.js';
import { registerNodeTests } from './client-suite-nodes.js';
import { registerSessionTests } from './client-suite-sessions.js';
import { registerWatchTests } from './client-suite-watches.js';
import {
  expectUnsupported,
  type Suite,
  type SuiteOptions,
  type SuiteServer,
  type TestWorld,
  withWorld,
} from './client-suite-world.js';

export function runClientSuite(name: string, options: SuiteOptions): void {
  let shared: Promise<SuiteServer> | undefined;
  let count = 0;
  const check = (title: string, run: (world: TestWorld) => Promise<void>): void => {
    const root = `/t${++count}`;
    options.test(`${name}: ${title}`, async () => {
      shared ??= options.startServer();
      await withWorld(options, await shared, root, run);
    });
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
  registerSessionTests(suite);
  options.test(`${name}: the server that the tests shared stops`, async () => {
    await (await shared)?.close();
  });
}
