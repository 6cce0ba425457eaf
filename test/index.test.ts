import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

/** The exports that each entry of the package must have. */
const OFFERS: Readonly<Record<string, readonly string[]>> = {
  '.': ['createClient', 'CreateModes', 'ServerError', 'startServer', 'ZooKeeperError'],
  './client': ['createClient', 'createNativeClient', 'ZooKeeperError'],
  './compat/node-zookeeper-client': ['createClient', 'Exception', 'State', 'default'],
  './compat/zookeeper': ['ZooKeeper', 'constants', 'default'],
  './recipes': ['LeaderElection', 'Lock', 'RecipeError'],
  './server': ['ServerError', 'startServer'],
};

test('each entry of the package resolves by name and has types and all exports', async () => {
  const { exports } = JSON.parse(readProjectFile('package.json'));
  assert.equal(Object.keys(exports).sort(), Object.keys(OFFERS));
  for (const [entry, names] of Object.entries(OFFERS)) {
    assert.ok(existsSync(join(PROJECT_ROOT, exports[entry].import.types)), `types of ${entry}`);
    const found = await import(`zksh${entry.slice(1)}`);
    assert.equal(
      names.filter((name) => !(name in found)),
      [],
      entry,
    );
  }
});

test.run();
