import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, NumberText, writeJson } from '../../../src/server/admin/json.js';

const CASES: readonly (readonly [name: string, value: Json, text: string])[] = [
  ['null', null, 'null'],
  ['a flag', true, 'true'],
  ['an integer', -17, '-17'],
  ['all 64 bits of an id', 72057671992279041n, '72057671992279041'],
  ['a Java double', NumberText.double(9), '9.0'],
  ['a small Java double', NumberText.double(0.0005), '5.0E-4'],
  ['a text', 'a "b"\n\\', '"a \\"b\\"\\n\\\\"'],
  ['an empty list', [], '[ ]'],
  ['a list', [1, 2n, 'x'], '[ 1, 2, "x" ]'],
  ['an empty object', {}, '{ }'],
  ['an object', { a: 1, b: [] }, '{\n  "a" : 1,\n  "b" : [ ]\n}'],
  [
    'objects inside',
    { a: [{ b: 1 }, { c: {} }] },
    '{\n  "a" : [ {\n    "b" : 1\n  }, {\n    "c" : { }\n  } ]\n}',
  ],
];

for (const [name, value, text] of CASES) {
  test(`writes ${name} as Jackson does`, () => {
    assert.is(writeJson(value), text);
  });
}

test('keys that look like numbers keep their place', () => {
  const value = new Map<string, Json>([
    ['9', 1],
    ['x', 2],
    ['1', 3],
  ]);
  assert.is(writeJson(value), '{\n  "9" : 1,\n  "x" : 2,\n  "1" : 3\n}');
});

test.run();
