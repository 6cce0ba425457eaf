import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as recipes from '../src/recipes/index.js';
import { readProjectFile } from './support/tidy/source-file.js';

test('docs/recipes.md knows every recipe that the package has', () => {
  const page = readProjectFile('docs/recipes.md');
  const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(page);
  assert.equal(
    Object.keys(recipes).filter((name) => !isNamed(name)),
    [],
  );
});

test.run();
