// The tests that the npm package zookeeper brings along, on zksh/compat/zookeeper and on itself.
import Module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryRoot } from '../../fourlw/captured-view.js';
import { targetTest } from '../targets.js';
import { real } from './world.js';

interface Loader {
  _load(request: string, ...rest: unknown[]): unknown;
}

/** What its tests use of AVA. */
const AVA = {
  is: (found: unknown, expected: unknown) => assert.ok(Object.is(found, expected), `${found}`),
  not: (found: unknown, other: unknown) => assert.not(Object.is(found, other), `${found}`),
  true: (found: unknown) => assert.is(found, true),
  deepEqual: (found: unknown, expected: unknown) => assert.equal(found, expected),
  pass: () => undefined,
  fail: (message: string) => assert.unreachable(message),
};

/** Without those of its binding of the C client, and of its helpers. */
const FILES = [
  'integration/getAndSetAcltest.js',
  'integration/getAndSettest.js',
  'integration/getChildrentest.js',
  'integration/makeAndDeleteDirtest.js',
  'integration/sessiontest.js',
  'unit/index/apitest.js',
  'unit/index/encodingtest.js',
  'unit/index/loggertest.js',
  'unit/zookeeper/proxypropertiestest.js',
];

const loader = Module as unknown as Loader;
const root = repositoryRoot();
const require = createRequire(join(root, 'package.json'));

type Run = (t: typeof AVA) => unknown;

/** The tests of a file, which reads the address from the arguments of the process. */
function testsOf(file: string, isAdapter: boolean, connectString: string): Map<string, Run> {
  const path = join(dirname(require.resolve('zookeeper/package.json')), 'tests', file);
  const tests = new Map<string, Run>();
  const load = loader._load;
  loader._load = (request, ...rest) => {
    if (request === 'ava') return { default: (name: string, run: Run) => tests.set(name, run) };
    const isOwn = /\/lib\/(?:index|zookeeper)$/.test(request);
    if (!isOwn || !isAdapter) return load.call(loader, request, ...rest);
    return require(join(root, 'dist/cjs/compat/zookeeper/index.js'));
  };
  const { argv } = process;
  process.argv = [...argv.slice(0, 2), connectString];
  try {
    for (const loaded of Object.keys(require.cache)) {
      if (loaded.startsWith(dirname(dirname(path)))) delete require.cache[loaded];
    }
    require(path);
  } finally {
    process.argv = argv;
    loader._load = load;
  }
  return tests;
}

for (const isAdapter of real === undefined ? [true] : [true, false]) {
  for (const file of FILES) {
    targetTest(`${isAdapter ? 'zksh' : 'npm'}: ${file}`, async ({ connectString }) => {
      const tests = testsOf(file, isAdapter, connectString);
      assert.ok(tests.size > 0);
      for (const run of tests.values()) await run(AVA);
    });
  }
}

test.run();
