import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_NAMESPACES, NamespaceSummaries } from '../../../src/server/metrics/namespaces.js';

test('a path counts for its top znode, with its own length', () => {
  const namespaces = new NamespaceSummaries();
  namespaces.record('/a', 4);
  namespaces.record('/a/b', 10);
  namespaces.record('/ab', 1);
  namespaces.record('/a/b/c', 0);
  assert.equal([...namespaces.byName.keys()], ['a', 'ab']);
  const a = namespaces.byName.get('a');
  assert.equal([a?.count, a?.sum, a?.min, a?.max], [3, 26, 6, 14]);
  assert.is(namespaces.byName.get('ab')?.sum, 4);
});

test('the root and invalid paths belong to no namespace', () => {
  const namespaces = new NamespaceSummaries();
  for (const path of ['/', '', '//x']) namespaces.record(path, 1);
  assert.is(namespaces.byName.size, 0);
});

test('above the limit, only existing namespaces are counted', () => {
  const namespaces = new NamespaceSummaries();
  for (let i = 0; i < MAX_NAMESPACES + 5; i++) namespaces.record(`/n${i}`, 0);
  namespaces.record('/n0/x', 0);
  assert.is(namespaces.byName.size, MAX_NAMESPACES);
  assert.is(namespaces.byName.get('n0')?.count, 2);
});

test('a znode is found by its slot until the slot is reused', () => {
  const namespaces = new NamespaceSummaries();
  const counts = () => [...namespaces.byName].map(([name, { count }]) => [name, count]);
  const at = (path: string) => ({ pathOf: () => path, pathLength: () => path.length });
  for (const slot of [1, 1, 1025, 1]) namespaces.recordNode(slot, at('/a/b'), 0);
  namespaces.recordNode(0, at('/'), 0);
  assert.equal(counts(), [['a', 4]]);
  namespaces.forgetNode(1025);
  namespaces.forgetNode(1);
  namespaces.recordNode(1, at('/c'), 0);
  assert.equal(counts(), [
    ['a', 4],
    ['c', 1],
  ]);
  namespaces.reset();
  namespaces.recordNode(1, at('/c'), 0);
  assert.equal(counts(), [['c', 1]]);
});

test('after a reset a namespace starts again', () => {
  const namespaces = new NamespaceSummaries();
  namespaces.record('/a', 1);
  namespaces.reset();
  namespaces.record('/a', 1);
  assert.is(namespaces.byName.get('a')?.count, 1);
});

test.run();
