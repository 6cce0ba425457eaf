import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Ancestors } from '../../src/base/ancestors.js';
import { parentPath } from '../../src/protocol/path.js';

function makeAncestors(paths: readonly string[], seed = 0): Ancestors {
  const ancestors = new Ancestors(seed);
  for (const path of paths) ancestors.add(path);
  return ancestors;
}

for (const [path, above] of [
  ['/', []],
  ['', []],
  ['/a', ['/']],
  ['/a/b', ['/a', '/']],
  ['/a/b/c', ['/a/b', '/a', '/']],
  ['/ab/c', ['/']],
  ['/é/x', ['/é', '/']],
] as const) {
  for (const seed of [0, -1, 0x1234567]) {
    test(`above ${JSON.stringify(path)}, with the seed ${seed}`, () => {
      const ancestors = makeAncestors(['/', '/a', '/a/b', '/a/b/c', '/é'], seed);
      assert.equal(ancestors.above(path), above);
    });
  }
}

test('a deleted path is above none', () => {
  const ancestors = makeAncestors(['/a', '/a', '/']);
  ancestors.delete('/a');
  ancestors.delete('/none');
  assert.equal(ancestors.above('/a/b'), ['/']);
  ancestors.delete('/');
  assert.equal(ancestors.above('/a/b'), []);
});

test('it finds what a walk up finds', () => {
  const names = ['a', 'b', 'ab'];
  const paths = names.flatMap((a) => [
    `/${a}`,
    ...names.flatMap((b) => [`/${a}/${b}`, `/${a}/${b}/${a}`]),
  ]);
  const kept = paths.filter((_, i) => i % 3 !== 1);
  const ancestors = makeAncestors(kept);
  for (const path of paths) {
    const expected: string[] = [];
    for (let at = parentPath(path); at !== '' && at !== '/'; at = parentPath(at)) {
      if (kept.includes(at)) expected.push(at);
    }
    assert.equal(ancestors.above(path), expected, path);
  }
});

test('a path has 500,000 ancestors, and none of them becomes a string', () => {
  const deep = '/a'.repeat(500_000);
  assert.equal(makeAncestors(['/a/a', '/b']).above(deep), ['/a/a']);
});

test.run();
