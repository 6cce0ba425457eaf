import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WatchManager, WatchMode } from '../../../src/server/state/watch-manager.js';

interface Watcher {
  readonly name: string;
}

const { STANDARD, PERSISTENT, PERSISTENT_RECURSIVE } = WatchMode;
const A: Watcher = { name: 'a' };
const B: Watcher = { name: 'b' };

/** The notified watchers of a change, in order. */
function trigger(watches: WatchManager<Watcher>, path: string, isChildrenChange = false): string[] {
  const told: string[] = [];
  watches.trigger(path, isChildrenChange, ({ name }) => told.push(name));
  return told;
}

function counts(watches: WatchManager<Watcher>): number[] {
  return [watches.size, watches.pathCount, watches.watcherCount];
}

test('a standard watch fires once', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, STANDARD);
  assert.equal(counts(watches), [1, 1, 1]);
  assert.equal(trigger(watches, '/b'), []);
  assert.equal(trigger(watches, '/a'), ['a']);
  assert.equal(trigger(watches, '/a'), []);
  assert.equal(counts(watches), [0, 0, 0]);
});

test('a persistent watch fires each time, only on its own path', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, PERSISTENT);
  for (let i = 0; i < 3; i++) assert.equal(trigger(watches, '/a'), ['a']);
  assert.equal(trigger(watches, '/a', true), ['a']);
  assert.equal(trigger(watches, '/a/b'), []);
  assert.equal(trigger(watches, '/'), []);
});

test('a recursive watch fires for its path and all below, never for children changes', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  for (const path of ['/a', '/a/b', '/a/b/c', '/a/b']) assert.equal(trigger(watches, path), ['a']);
  for (const path of ['/', '/ab', '/b', '/b/a']) assert.equal(trigger(watches, path), [], path);
  assert.equal(trigger(watches, '/a', true), []);
  assert.equal(trigger(watches, '/a/b', true), []);
});

test('a recursive watch of the root sees everything', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/', A, PERSISTENT_RECURSIVE);
  for (const path of ['/', '/a', '/a/b/c']) assert.equal(trigger(watches, path), ['a'], path);
});

test('a watcher is notified once per change, even if several of its watches match', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a/b', A, STANDARD);
  watches.add('/a/b', A, PERSISTENT);
  watches.add('/a/b', A, PERSISTENT_RECURSIVE);
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  watches.add('/', A, PERSISTENT_RECURSIVE);
  watches.add('/', B, PERSISTENT_RECURSIVE);
  assert.equal(trigger(watches, '/a/b'), ['a', 'b']);
  assert.equal(trigger(watches, '/a/b'), ['a', 'b']);
  assert.equal(trigger(watches, '/a/b', true), ['a']);
  assert.equal(trigger(watches, '/a/x'), ['a', 'b']);
});

test('all watchers of a path are notified, in the order of registration', () => {
  const watches = new WatchManager<Watcher>();
  const many = Array.from({ length: 20 }, (_, i) => ({ name: String(i) }));
  for (const watcher of many) watches.add('/a', watcher, STANDARD);
  assert.equal(
    trigger(watches, '/a'),
    many.map(({ name }) => name),
  );
});

test('a path can have several modes (ZOOKEEPER-4466)', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, STANDARD);
  watches.add('/a', A, PERSISTENT);
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  assert.equal(counts(watches), [1, 1, 1]);
  trigger(watches, '/a');
  assert.not.ok(watches.has('/a', A, STANDARD));
  assert.ok(watches.has('/a', A, PERSISTENT));
  assert.ok(watches.has('/a', A, PERSISTENT_RECURSIVE));
  assert.ok(watches.remove('/a', A, PERSISTENT));
  assert.ok(watches.has('/a', A));
  assert.equal(trigger(watches, '/a/b'), ['a']);
});

test('a watch that is set twice is one', () => {
  const watches = new WatchManager<Watcher>();
  for (const mode of [STANDARD, PERSISTENT, PERSISTENT_RECURSIVE]) {
    watches.add('/a', A, mode);
    watches.add('/a', A, mode);
  }
  assert.is(watches.size, 1);
  assert.ok(watches.remove('/a', A, PERSISTENT_RECURSIVE));
  assert.equal(trigger(watches, '/a/b'), []);
});

test('only existing watches can be removed', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, STANDARD);
  assert.not.ok(watches.remove('/b', A));
  assert.not.ok(watches.remove('/a', B));
  assert.not.ok(watches.remove('/a', A, PERSISTENT));
  assert.ok(watches.remove('/a', A, STANDARD | PERSISTENT));
  assert.not.ok(watches.remove('/a', A));
  assert.equal(counts(watches), [0, 0, 0]);
});

test('removing a watcher removes only its watches', () => {
  const watches = new WatchManager<Watcher>();
  for (const path of ['/a', '/b', '/c']) {
    watches.add(path, A, STANDARD);
    watches.add(path, B, PERSISTENT_RECURSIVE);
  }
  watches.add('/d', A, PERSISTENT_RECURSIVE);
  assert.equal(counts(watches), [7, 4, 2]);
  watches.removeWatcher(A);
  watches.removeWatcher(A);
  assert.equal(counts(watches), [3, 3, 1]);
  assert.equal(trigger(watches, '/a/x'), ['b']);
  assert.equal(trigger(watches, '/d/x'), []);
});

test('counts of recursive watches are right after every kind of removal', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  watches.add('/a', B, PERSISTENT_RECURSIVE);
  watches.remove('/a', A);
  assert.equal(trigger(watches, '/a/x'), ['b']);
  watches.removeWatcher(B);
  assert.equal(trigger(watches, '/a/x'), []);
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  assert.equal(trigger(watches, '/a/x'), ['a']);
});

test('a watch set again while it fires waits for the next change', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, STANDARD);
  let told = 0;
  const again = (): void => {
    told++;
    watches.add('/a', A, STANDARD);
  };
  watches.trigger('/a', false, again);
  assert.is(told, 1);
  watches.trigger('/a', false, again);
  assert.is(told, 2);
});

test('the lists tell who watches what', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, STANDARD);
  watches.add('/a', B, PERSISTENT);
  watches.add('/b', A, PERSISTENT_RECURSIVE);
  assert.equal(
    [...watches.byPath()].map(([path, watchers]) => [path, [...watchers].map(({ name }) => name)]),
    [
      ['/a', ['a', 'b']],
      ['/b', ['a']],
    ],
  );
  assert.equal(
    [...watches.byWatcher()].map(([{ name }, paths]) => [name, [...paths]]),
    [
      ['a', ['/a', '/b']],
      ['b', ['/a']],
    ],
  );
});

test.run();
