import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatJavaDate } from '../../src/fourlw/base/java-date.js';
import { inJavaMapOrder } from '../../src/fourlw/base/java-map-order.js';
import {
  formatJavaDouble,
  formatMean,
  parseInteger,
  parseJavaNumber,
} from '../../src/fourlw/base/java-number.js';

test('doubles print as Double.toString prints them', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0.0'],
    [-0, '-0.0'],
    [9, '9.0'],
    [0.4444, '0.4444'],
    [17.3333, '17.3333'],
    [0.001, '0.001'],
    [0.0005, '5.0E-4'],
    [0.00055, '5.5E-4'],
    [1e-7, '1.0E-7'],
    [9999999, '9999999.0'],
    [1e7, '1.0E7'],
    [12000000, '1.2E7'],
    [1e22, '1.0E22'],
    [-12345678, '-1.2345678E7'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ];
  for (const [value, text] of cases) assert.is(formatJavaDouble(value), text);
});

test('means are rounded to four decimals, half up on the exact value', () => {
  assert.is(formatMean(52 / 3), '17.3333');
  assert.is(formatMean(3674705 / 1265357), '2.9041');
  assert.is(formatMean(0.00005), '1.0E-4');
  assert.is(formatMean(0.00004), '0.0');
  assert.is(formatMean(0.03125), '0.0313');
  assert.is(formatMean(12000000), '1.2E7');
});

test('numbers are read back in both notations, anything else is undefined', () => {
  assert.is(parseJavaNumber('5.0E-4'), 0.0005);
  assert.is(parseJavaNumber(' 17 '), 17);
  assert.ok(Number.isNaN(parseJavaNumber('NaN')));
  for (const text of ['', 'x', '1 2', '0x1', '1.2.3', '--1']) {
    assert.is(parseJavaNumber(text), undefined, text);
  }
  assert.is(parseInteger('0xffffffffffffffff'), 0xffffffffffffffffn);
  assert.is(parseInteger('-1'), -1n);
  assert.is(parseInteger('1.0'), undefined);
});

test('dates print as Date.toString prints them, in UTC', () => {
  assert.is(formatJavaDate(Date.UTC(2026, 10, 21, 7, 19, 4)), 'Sat Nov 21 07:19:04 UTC 2026');
  assert.is(formatJavaDate(0), 'Thu Jan 01 00:00:00 UTC 1970');
});

test('maps are ordered by bucket, keys of one bucket as they came', () => {
  const keys = (map: ReadonlyMap<string, number>) => inJavaMapOrder(map).map(([key]) => key);
  assert.equal(keys(new Map(['zookeeper', 'a'].map((key) => [key, 1]))), ['a', 'zookeeper']);
  assert.equal(keys(new Map(['4', '2', '1'].map((key) => [key, 1]))), ['1', '2', '4']);
  // "Aa" and "BB" have one hash code.
  assert.equal(keys(new Map(['BB', 'Aa'].map((key) => [key, 1]))), ['BB', 'Aa']);
  assert.equal(keys(new Map(['Aa', 'BB'].map((key) => [key, 1]))), ['Aa', 'BB']);
});

test.run();
