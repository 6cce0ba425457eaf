import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { highOf, isAbove, longOf, lowOf, numberOf } from '../../src/jute/long.js';

const test = suite('long');

const VALUES = [0n, 1n, -1n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 0x1_0000_0000n, -5n];
const SAFE = [1_795_000_000_000n, 2n ** 53n, -(2n ** 53n), ...VALUES];

test('numberOf gives what Number gives', () => {
  for (const value of SAFE) assert.is(numberOf(value), Number(value), `${value}`);
});

test('a long is its halves', () => {
  for (const value of [...SAFE, 2n ** 63n - 1n, -(2n ** 63n)]) {
    assert.is(longOf(highOf(value), lowOf(value)), value);
  }
});

test('longs compare as signed ones', () => {
  const values = [
    -(1n << 63n),
    -1n,
    0n,
    1n,
    0x7fff_ffffn,
    0x8000_0000n,
    1n << 32n,
    (1n << 63n) - 1n,
  ];
  for (const a of values) for (const b of values) assert.is(isAbove(a, b), a > b, `${a} ${b}`);
});

test.run();
