import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { PAGES } from './pages.js';
import { listDirectives } from './roff.js';

const folder = join(repositoryRoot(), 'man');

for (const [name, render] of Object.entries(PAGES)) {
  test(`man/${name} has the text of its prose and the declarations (npm run man)`, async () => {
    assert.fixture(readFileSync(join(folder, name), 'utf8'), await render());
  });
}

test('every page is rendered', () => {
  const { man } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));
  const names = Object.keys(PAGES);
  assert.equal(readdirSync(join(folder, 'prose')).sort(), names);
  assert.equal(
    [...man].sort(),
    names.map((name) => `man/${name}`),
  );
});

test('a list takes prose for a declared name once, and the rest by their summaries', () => {
  const declared = ['a', 'b'].map((name) => ({ name, term: name, summary: `make ${name}` }));
  const { directives, left } = listDirectives('verb', declared, (terms) => `.It ${terms.join()}`);
  assert.throws(() => directives['verb']?.('c'), /verb c: not declared/);
  assert.is(directives['verb']?.('b'), '.It b');
  assert.throws(() => directives['verb']?.('b'), /given twice/);
  assert.is(directives['other-verbs']?.(''), '.It a\nMake a.');
  assert.is(left.size, 0);
});

test.run();
