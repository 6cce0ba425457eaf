import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

/** What a program must find at each entry of the package. */
const OFFERS: Readonly<Record<string, readonly string[]>> = {
  '.': ['createClient', 'CreateModes', 'ServerError', 'startServer', 'ZooKeeperError'],
  './client': ['createClient', 'createNativeClient', 'ZooKeeperError'],
  './recipes': ['LeaderElection', 'Lock', 'RecipeError'],
  './server': ['ServerError', 'startServer'],
};

test('each entry of the package resolves by its name, with types, and gives what it promises', async () => {
  const { exports } = JSON.parse(readProjectFile('package.json'));
  assert.equal(Object.keys(exports).sort(), Object.keys(OFFERS));
  for (const [entry, names] of Object.entries(OFFERS)) {
    assert.ok(existsSync(join(PROJECT_ROOT, exports[entry].types)), `types of ${entry}`);
    const found = await import(`zksh${entry.slice(1)}`);
    assert.equal(
      names.filter((name) => !(name in found)),
      [],
      entry,
    );
  }
});

test.run();
