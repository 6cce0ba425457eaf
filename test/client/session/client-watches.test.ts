import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ClientWatches,
  makeWatchEvent,
  type WatchKind,
} from '../../../src/client/session/client-watches.js';
import { EventType, WatcherType } from '../../../src/protocol/watch-event.js';

const KINDS: readonly WatchKind[] = ['data', 'exists', 'child', 'persistent', 'recursive'];

/**
 * Sets one watcher of each kind on /a, and returns the kinds that the last of `times` events
 * reaches.
 */
function kindsTold(type: number, path: string, times = 1): string[] {
  const watches = new ClientWatches();
  const names = new Map<unknown, WatchKind>();
  for (const kind of KINDS) {
    const watcher = (): void => {};
    names.set(watcher, kind);
    watches.add(kind, '/a', watcher);
  }
  let told: string[] = [];
  for (let i = 0; i < times; i++) {
    told = [...watches.trigger(type, path)].map((watcher) => names.get(watcher) ?? '?').sort();
  }
  return told;
}

// The table of ZKWatchManager: the watches that an event of /a reaches, the first time and the
// second.
const TABLE: readonly (readonly [keyof typeof EventType, string, string])[] = [
  ['NodeCreated', 'data exists persistent recursive', 'persistent recursive'],
  ['NodeDataChanged', 'data exists persistent recursive', 'persistent recursive'],
  ['NodeChildrenChanged', 'child persistent', 'persistent'],
  ['NodeDeleted', 'child data exists persistent recursive', 'persistent recursive'],
];
for (const [name, first, second] of TABLE) {
  test(`${name} reaches ${first}; the second time ${second}`, () => {
    assert.is(kindsTold(EventType[name], '/a').join(' '), first);
    assert.is(kindsTold(EventType[name], '/a', 2).join(' '), second);
  });
}

test('only a recursive watch gets events of descendants', () => {
  assert.equal(kindsTold(EventType.NodeCreated, '/a/b/c'), ['recursive']);
  assert.equal(kindsTold(EventType.NodeChildrenChanged, '/a/b'), []);
  assert.equal(kindsTold(EventType.NodeCreated, '/ab'), []);
});

test('a recursive watch of the root gets every event', () => {
  const watches = new ClientWatches();
  watches.add('recursive', '/', () => {});
  assert.is(watches.trigger(EventType.NodeCreated, '/').size, 1);
  assert.is(watches.trigger(EventType.NodeDeleted, '/x/y').size, 1);
});

test('a watcher that is set twice is called once', () => {
  const watches = new ClientWatches();
  const watcher = (): void => {};
  watches.add('data', '/a', watcher);
  watches.add('data', '/a', watcher);
  watches.add('persistent', '/a', watcher);
  assert.is(watches.trigger(EventType.NodeDataChanged, '/a').size, 1);
});

for (const [name, told] of [
  ['Children', ['ChildWatchRemoved 1']],
  ['Data', ['DataWatchRemoved 2']],
  ['Any', ['DataWatchRemoved 2', 'ChildWatchRemoved 1', 'PersistentWatchRemoved 2']],
  ['Persistent', ['PersistentWatchRemoved 1']],
  ['PersistentRecursive', ['PersistentWatchRemoved 1']],
] as const) {
  test(`removing ${name} tells ${told.join(', ')}`, () => {
    const watches = new ClientWatches();
    for (const kind of KINDS) watches.add(kind, '/a', () => {});
    const removed = watches.remove('/a', WatcherType[name]);
    assert.equal(
      removed.map(({ type, watchers }) => `${type} ${watchers.size}`),
      told,
    );
    assert.equal(watches.remove('/a', WatcherType[name]), []);
    assert.is(watches.isEmpty, name === 'Any');
  });
}

test('an event type that znodes do not have reaches no watch', () => {
  assert.is(makeWatchEvent(-1, '/a', 0n), undefined);
  assert.is(makeWatchEvent(99, '/a', 0n), undefined);
  assert.equal(makeWatchEvent(3, '/a', 7n), { type: 'NodeDataChanged', path: '/a', zxid: 7n });
});

test.run();
