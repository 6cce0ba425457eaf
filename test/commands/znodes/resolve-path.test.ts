import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { resolvePath } from '../../../src/commands/znodes/resolve-path.js';

const CASES: readonly (readonly [text: string, cwd: string, path: string])[] = [
  ['/', '/', '/'],
  ['/', '/a', '/'],
  ['/a', '/x', '/a'],
  ['/a/', '/x', '/a'],
  ['a', '/', '/a'],
  ['a/b', '/x', '/x/a/b'],
  ['a/', '/x', '/x/a'],
  ['.', '/x', '/x'],
  ['.', '/', '/'],
  ['./a', '/x', '/x/a'],
  ['..', '/x/y', '/x'],
  ['..', '/x', '/'],
  ['..', '/', '/'],
  ['../..', '/x', '/'],
  ['../z', '/x/y', '/x/z'],
  ['../', '/x/y', '/x'],
  ['/a/../b/./c', '/', '/b/c'],
  ['/a/b/..', '/', '/a'],
  ['/../a', '/', '/a'],
  ['...', '/x', '/x/...'],
  ['..a', '/x', '/x/..a'],
  ['//', '/x', '/'],
  ['/a//b', '/', '/a//b'],
  ['', '/x', '/x'],
];

for (const [text, cwd, path] of CASES) {
  test(`"${text}" from ${cwd} is ${path}`, () => assert.is(resolvePath(text, cwd), path));
}

test.run();
