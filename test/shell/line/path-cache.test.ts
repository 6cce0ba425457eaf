import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PathCache } from '../../../src/shell/line/completer.js';

function fixture() {
  let now = 0;
  const asked: string[] = [];
  const failing = new Set<string>();
  const cache = new PathCache(
    async (path) => {
      asked.push(path);
      if (failing.has(path)) throw new Error('Insufficient permission');
      return [`child of ${path}`];
    },
    () => now,
  );
  return { cache, asked, failing, pass: (ms: number) => (now += ms) };
}

test('a listing is requested once while it is fresh', async () => {
  const { cache, asked, pass } = fixture();
  await Promise.all([cache.listChildren('/a'), cache.listChildren('/a')]);
  assert.equal(await cache.listChildren('/a'), ['child of /a']);
  assert.equal(asked, ['/a']);
  pass(60_000);
  await cache.listChildren('/a');
  assert.equal(asked, ['/a', '/a']);
});

test('a write or another server clears the cache', async () => {
  const { cache, asked } = fixture();
  await cache.listChildren('/a');
  cache.clear();
  await cache.listChildren('/a');
  assert.equal(asked, ['/a', '/a']);
});

test('a failed listing is not cached', async () => {
  const { cache, asked, failing } = fixture();
  failing.add('/a');
  assert.match(String(await cache.listChildren('/a').catch(String)), /permission/);
  failing.clear();
  assert.equal(await cache.listChildren('/a'), ['child of /a']);
  assert.equal(asked, ['/a', '/a']);
});

test.run();
