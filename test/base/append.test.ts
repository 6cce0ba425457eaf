import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { append } from '../../src/base/append.js';

test('a list of any length is added, in order', () => {
  const list = [1];
  append(list, [2, 3]);
  assert.equal(list, [1, 2, 3]);
  append(list, new Array<number>(1_000_000).fill(4));
  assert.equal([list.length, list.at(-1)], [1_000_003, 4]);
});

test.run();
