import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as recipes from '../src/recipes/index.js';
import { readProjectFile } from './support/tidy/source-file.js';

test('docs/recipes.md knows every recipe that the package has', () => {
  const page = readProjectFile('docs/recipes.md');
  const missing = Object.keys(recipes).filter((name) => !new RegExp(`\\b${name}\\b`).test(page));
    (name) => !page.includes(`\`${name}`) && !page.includes(`new ${name}(`),
  );
  assert.equal(missing, []);
});

test.run();
