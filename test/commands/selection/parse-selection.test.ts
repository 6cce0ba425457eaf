import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Json, parseSelection } from '../../../src/commands/selection/parse-selection.js';

const INPUT: Json = {
  verdict: { level: 'warning', exitCode: 1 },
  'a name': 'x',
  members: [
    { server: 'zk1', state: 'serving', lag: 0, tags: ['a', 'b'] },
    { server: 'zk2', state: 'down', lag: 7, tags: [] },
    { server: 'zk3', state: 'serving', lag: null },
  ],
};

const CASES: readonly (readonly [expression: string, ...outputs: Json[]])[] = [
  ['.verdict.level', 'warning'],
  ['."a name"', 'x'],
  ['.["a name"]', 'x'],
  ['.members[0].server', 'zk1'],
  ['.members[-1].server', 'zk3'],
  ['.members[9].server', null],
  ['.members[].server', 'zk1', 'zk2', 'zk3'],
  ['.members[] | .server', 'zk1', 'zk2', 'zk3'],
  ['.members[].tags[]', 'a', 'b'],
  ['.members.[0].lag', 0],
  ['.members | length', 3],
  ['.verdict | keys', ['exitCode', 'level']],
  ['.verdict[]', 'warning', 1],
  ['.members[] | select(.state != "serving") | .server', 'zk2'],
  ['.members[] | select(.lag >= 1) | .lag', 7],
  ['.members[] | select(.lag == null) | .server', 'zk3'],
  ['.members[] | select(.tags | length > 1) | .server', 'zk1'],
  ['.members[1] | {server, n: .lag, "a b": .no}', { server: 'zk2', n: 7, 'a b': null }],
  ['.missing.deeper', null],
  ['.missing[]'],
  ['.verdict.level.length', null],
  ['.verdict.exitCode > 0', true],
];

test('an expression gives the outputs of jq', () => {
  for (const [expression, ...outputs] of CASES) {
    assert.equal(parseSelection(expression)(INPUT), outputs, expression);
  }
  assert.equal(parseSelection('.')(INPUT), [INPUT]);
});

test('a name of Object.prototype is a missing field', () => {
  assert.equal(parseSelection('.constructor')({}), [null]);
  assert.equal(parseSelection('.__proto__.x')({}), [null]);
});

test('an invalid expression says where, and names the expected part', () => {
  const faults: readonly (readonly [string, string])[] = [
    ['', 'at its end (expected a path'],
    ['.a[', 'at its end (expected a number, "name", or ])'],
    ['.a[x]', 'at character 4: "x]" (expected a number'],
    ['.a b', 'at character 4: "b" (expected a |, or the end)'],
    ['.a | ', 'at its end (expected a path'],
    ['.a..b', 'at character 4: ".b" (expected a name or [)'],
    ['members', 'at character 1: "members" (expected a path such as .name'],
    ['select(.a', 'at its end (expected ))'],
    ['{a:}', 'at character 4: "}" (expected a path'],
    ['.["\\x"]', 'expected text in double quotes as in JSON'],
  ];
  for (const [expression, part] of faults) {
    assert.throws(
      () => parseSelection(expression),
      (error: Error) => error.message.includes(part) || assert.is(error.message, part),
      expression,
    );
  }
});

test.run();
