import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LongMap } from '../../src/base/long-map.js';

const KEYS = [0n, 1n, -1n, 1n << 32n, (1n << 32n) + 1n, -(1n << 63n), (1n << 63n) - 1n];

test('every long is a distinct key', () => {
  const map = new LongMap<bigint>();
  for (const key of KEYS) map.set(key, key);
  assert.is(map.size, KEYS.length);
  for (const key of KEYS) assert.is(map.get(key), key);
  assert.equal([...map.values()].sort(), [...KEYS].sort());
  assert.is(map.get(2n), undefined);
});

test('setting a key again replaces its value', () => {
  const map = new LongMap<string>();
  map.set(5n, 'first');
  map.set(5n, 'second');
  assert.is(map.get(5n), 'second');
  assert.is(map.size, 1);
});

test('delete removes only its key', () => {
  const map = new LongMap<bigint>();
  for (const key of KEYS) map.set(key, key);
  for (const [done, key] of KEYS.entries()) {
    assert.ok(map.delete(key));
    assert.not.ok(map.delete(key));
    assert.is(map.get(key), undefined);
    assert.is(map.size, KEYS.length - done - 1);
    for (const left of KEYS.slice(done + 1)) assert.is(map.get(left), left);
  }
  map.set(7n, 7n);
  map.clear();
  assert.is(map.size, 0);
  assert.equal([...map.values()], []);
});

test.run();
