import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  baseName,
  childPath,
  isParentPath,
  isWithin,
  parentPath,
  pathFault,
  sequenceSuffix,
} from '../../src/protocol/path.js';

const VALID = [
  '/',
  '/a',
  '/a/b/c',
  '/...',
  '/.a',
  '/a.',
  '/..a',
  '/a..',
  '/a b',
  '/ü/中',
  '/zookeeper/quota',
  `/${'x'.repeat(10_000)}`,
];

for (const path of VALID) {
  test(`valid: ${path.slice(0, 30)}`, () => {
    assert.is(pathFault(path), undefined);
  });
}

const INVALID: readonly (readonly [path: string, fault: string])[] = [
  ['', 'it is empty'],
  ['a', 'it does not start with /'],
  ['a/b', 'it does not start with /'],
  [' /a', 'it does not start with /'],
  ['/a/', 'it ends with /'],
  ['//', 'it ends with /'],
  ['//a', 'it has an empty name at 1'],
  ['/a//b', 'it has an empty name at 3'],
  ['/.', 'it has a relative name at 1'],
  ['/..', 'it has a relative name at 1'],
  ['/./a', 'it has a relative name at 1'],
  ['/a/../b', 'it has a relative name at 3'],
  ['/a/.', 'it has a relative name at 3'],
  ['/a\u0000', 'the character U+0000 at 2 is not allowed'],
  ['/a😀', 'the character U+1F600 at 2 is not allowed'],
];

for (const [path, fault] of INVALID) {
  test(`not valid: ${JSON.stringify(path)}: ${fault}`, () => {
    assert.is(pathFault(path), fault);
  });
}

// PathUtils.validatePath, each range by its edges.
for (const [unit, isAllowed] of [
  [0x00, false],
  [0x01, false],
  [0x1f, false],
  [0x20, true],
  [0x7e, true],
  [0x7f, false],
  [0x9f, false],
  [0xa0, true],
  [0xd7ff, true],
  [0xd800, false],
  [0xdfff, false],
  [0xe000, false],
  [0xf8ff, false],
  [0xf900, true],
  [0xffef, true],
  [0xfff0, false],
  [0xffff, false],
] as const) {
  const hex = unit.toString(16).toUpperCase().padStart(4, '0');
  test(`U+${hex} is ${isAllowed ? 'allowed' : 'refused'} wherever it stands`, () => {
    const char = String.fromCharCode(unit);
    for (const path of [`/${char}`, `/a${char}`, `/${char}a`, `/a/${char}/b`, `/a/b${char}`]) {
      const fault = isAllowed
        ? undefined
        : `the character U+${hex} at ${path.indexOf(char)} is not allowed`;
      assert.is(pathFault(path), fault);
    }
  });
}

test('a sequential create may end in /, and only in one', () => {
  assert.is(pathFault('/a/', true), undefined);
  assert.is(pathFault('/', true), undefined);
  assert.is(pathFault('/a', true), undefined);
  // The number makes a name of the dots.
  assert.is(pathFault('/a/..', true), undefined);
  assert.is(pathFault('/a//', true), 'it has an empty name at 3');
  assert.is(pathFault('a', true), 'it does not start with /');
});

test('parent, name and child', () => {
  for (const [parent, name, path] of [
    ['/', 'a', '/a'],
    ['/a', 'b', '/a/b'],
    ['/a/b', 'c d', '/a/b/c d'],
  ] as const) {
    assert.is(parentPath(path), parent);
    assert.is(baseName(path), name);
    assert.is(childPath(parent, name), path);
  }
  assert.is(parentPath('/'), '');
  assert.is(parentPath(''), '');
  assert.is(baseName('/'), '');
  assert.is(childPath('', 'a'), '/a');
});

test('the parents of a path come to an end', () => {
  const above: string[] = [];
  for (let path = '/a/b/c'; path !== ''; path = parentPath(path)) above.push(path);
  assert.equal(above, ['/a/b/c', '/a/b', '/a', '/']);
});

test('a znode contains itself and its descendants', () => {
  assert.ok(isWithin('/a', '/a'));
  assert.ok(isWithin('/a/b', '/a'));
  assert.ok(isWithin('/a', '/'));
  assert.ok(isWithin('/', '/'));
  assert.not.ok(isWithin('/ab', '/a'));
  assert.not.ok(isWithin('/', '/a'));
});

// Java's String.format(Locale.ENGLISH, "%010d", int).
for (const [cversion, suffix] of [
  [0, '0000000000'],
  [1, '0000000001'],
  [999_999_999, '0999999999'],
  [0x7fff_ffff, '2147483647'],
  [-1, '-000000001'],
  [-999_999_999, '-999999999'],
  [-1_000_000_000, '-1000000000'],
  [-0x8000_0000, '-2147483648'],
] as const) {
  test(`the number of a sequential znode after ${cversion} children is ${suffix}`, () => {
    assert.is(sequenceSuffix(cversion), suffix);
  });
}

test('isParentPath says whether parentPath would give it', () => {
  const paths = ['/', '/a', '/ab', '/a/b', '/a/b/c', '/b/c', '/a/', '', 'a/b'];
  for (const path of paths.slice(1)) {
    for (const parent of paths.slice(0, 6)) {
      const expected = path.includes('/') && parentPath(path) === parent;
      assert.is(isParentPath(parent, path), expected, `${parent} of ${path}`);
    }
  }
});

test.run();
