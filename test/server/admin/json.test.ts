import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Json,
  jsonPieces,
  LongList,
  LongMap,
  NumberText,
} from '../../../src/server/admin/json.js';

/** As the only field of an object. */
function textOf(value: Json | LongList | LongMap): string {
  const text = [...jsonPieces({ value }, [])].join('');
  return text.slice('{\n  "value" : '.length, -'\n}'.length);
}

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
    assert.is(textOf(value), text.replaceAll('\n', '\n  '));
  });
}

test('fields follow the others in their order', () => {
  const pieces = jsonPieces({ a: 1 }, [['command', 'x']]);
  assert.is([...pieces].join(''), '{\n  "a" : 1,\n  "command" : "x"\n}');
});

test('long lists and maps look like short ones', () => {
  const cases: readonly (readonly [LongList | LongMap, Json])[] = [
    [new LongList([]), []],
    [new LongList([1, 'x', { a: [] }]), [1, 'x', { a: [] }]],
    [new LongMap([]), {}],
    [
      new LongMap([
        ['b', new LongList([1n, 2n])],
        ['a', { c: 1 }],
      ]),
      { b: [1n, 2n], a: { c: 1 } },
    ],
  ];
  for (const [long, short] of cases) assert.is(textOf(long), textOf(short));
});

test('a long list is read as far as it is written', () => {
  let read = 0;
  function* numbers(): Generator<number> {
    for (;;) yield read++;
  }
  const pieces = jsonPieces({ all: new LongList(numbers()) }, []);
  for (let taken = 0; taken < 10; taken++) pieces.next();
  assert.ok(read > 0 && read < 10, `${read}`);
});

test('keys that look like numbers keep their place', () => {
  const value = new Map<string, Json>([
    ['9', 1],
    ['x', 2],
    ['1', 3],
  ]);
  assert.is(textOf(value), '{\n    "9" : 1,\n    "x" : 2,\n    "1" : 3\n  }');
});

test.run();
