import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  formatPointer,
  parsePointer,
  type Steps,
} from '../../../../../src/commands/zksh/verbs/json/json-pointer.js';
import { findValue, setValue } from '../../../../../src/commands/zksh/verbs/json/json-text.js';

function stepsOf(pointer: string): Steps {
  const steps = parsePointer(pointer);
  if ('fault' in steps) throw new Error(`${pointer}: ${steps.fault}`);
  return steps;
}

function valueAt(text: string, pointer: string): string | undefined {
  const found = findValue(text, stepsOf(pointer));
  return found.isThere ? text.slice(found.span.start, found.span.end) : undefined;
}

function withValue(text: string, pointer: string, value: string, areParentsMade = false) {
  return setValue(text, stepsOf(pointer), value, areParentsMade);
}

test('pointers, and names with dots', () => {
  for (const [text, steps] of [
    ['', []],
    ['/', ['']],
    ['/a/0/b~1c~0d', ['a', '0', 'b/c~d']],
    ['a', ['a']],
    ['a.b[0][12].c', ['a', 'b', '0', '12', 'c']],
    ['[1].a', ['1', 'a']],
    ['a[-]', ['a', '-']],
  ] as const) {
    assert.equal(parsePointer(text), steps, text);
  }
  for (const text of ['/a~2', 'a..b', 'a[x]', '.a', 'a.[0]', 'a]']) {
    assert.ok('fault' in parsePointer(text), text);
  }
  assert.is(formatPointer(['a/b', '~', '0']), '/a~1b/~0/0');
});

const DOCUMENT = `{
  "name" : "x\\"y, {z}",
  "list": [1, 2.50, {"deep": [true, null]}],
  "dup": 1, "dup": 2,
  "": {},
  "big": 12345678901234567890
}
`;

test('finds a value as written in the text', () => {
  for (const [pointer, value] of [
    ['', DOCUMENT.trim()],
    ['/name', '"x\\"y, {z}"'],
    ['/list/1', '2.50'],
    ['list[2].deep[1]', 'null'],
    ['/dup', '2'],
    ['/', '{}'],
    ['/big', '12345678901234567890'],
    ['/list/3', undefined],
    ['/list/01', undefined],
    ['/name/0', undefined],
    ['/none/x', undefined],
  ] as const) {
    assert.is(valueAt(DOCUMENT, pointer), value, pointer);
  }
  assert.is(valueAt(' [ ] ', '/0'), undefined);
  assert.is(valueAt(' 5', ''), '5');
});

test('changes a value, and no other character', () => {
  assert.is(withValue(DOCUMENT, '/list/1', '3.0'), DOCUMENT.replace('2.50', '3.0'));
  assert.is(withValue(DOCUMENT, '/dup', '"z"'), DOCUMENT.replace('"dup": 2', '"dup": "z"'));
  assert.is(withValue(DOCUMENT, '', '1'), '1\n');
});

test('adds a name or an item, with the same spacing as its siblings', () => {
  for (const [text, pointer, value, expected] of [
    ['{"a":1}', '/b', '2', '{"a":1,"b":2}'],
    ['{ "a": 1 }', '/b', '2', '{ "a": 1, "b": 2 }'],
    ['{"a":1, "b":2}', '/c', '3', '{"a":1, "b":2, "c":3}'],
    ['{\n  "a": 1\n}\n', '/b', '2', '{\n  "a": 1,\n  "b": 2\n}\n'],
    ['{}', '/a"b', '1', '{"a\\"b":1}'],
    ['{\n  "a": {}\n}', '/a/b', '1', '{\n  "a": {\n    "b": 1\n  }\n}'],
    ['[]', '/-', '1', '[1]'],
    ['[1, 2]', '/2', '3', '[1, 2, 3]'],
    ['[1, 2]', '[-]', '3', '[1, 2, 3]'],
  ] as const) {
    assert.is(withValue(text, pointer, value), expected);
    JSON.parse(expected);
  }
});

test('creates missing parents on request', () => {
  assert.equal(withValue('{}', '/a/b', '1'), {
    fault: 'missing parent "a"',
    needsParents: true,
  });
  assert.is(withValue('{}', '/a/b', '1', true), '{"a":{"b":1}}');
  assert.is(withValue('{}', '/a/-/b', '1', true), '{"a":[{"b":1}]}');
});

test('impossible changes are refused', () => {
  for (const [text, pointer, fault] of [
    ['[1]', '/5', /invalid index of an array of 1/],
    ['[1]', '/a', /invalid index/],
    ['{"a":1}', '/a/b', /not an object or array/],
  ] as const) {
    const refused = withValue(text, pointer, '1', true);
    assert.ok(typeof refused === 'object' && fault.test(refused.fault), pointer);
  }
});

test('a document may be as deep as JSON.parse allows', () => {
  const deep = `${'['.repeat(5000)}1${']'.repeat(5000)}`;
  assert.is(valueAt(deep, '/0'.repeat(5000)), '1');
});

test.run();
