import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WatchManager, WatchMode } from '../../../src/server/state/watch-manager.js';
import { Random } from '../../support/random.js';

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

test('a recursive watch is found above a path with 500,000 ancestors', () => {
  const watches = new WatchManager<Watcher>();
  watches.add('/a', A, PERSISTENT_RECURSIVE);
  watches.add('/a', B, PERSISTENT_RECURSIVE);
  const deep = '/a'.repeat(500_000);
  assert.equal(trigger(watches, deep), ['a', 'b']);
  watches.remove('/a', A);
  assert.equal(trigger(watches, deep), ['b']);
  watches.remove('/a', B);
  assert.equal(trigger(watches, deep), []);
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
  Array.from(watches.removeWatcher(A));
  Array.from(watches.removeWatcher(A));
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
  Array.from(watches.removeWatcher(B));
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

/** The same rules without any index. */
class PlainWatches {
  readonly modes = new Map<string, number>();

  static key(path: string, { name }: Watcher): string {
    return `${path} ${name}`;
  }

  watchersOf(path: string, modes: number): string[] {
    return [...this.modes]
      .filter(([key, found]) => key.startsWith(`${path} `) && (found & modes) !== 0)
      .map(([key]) => key.slice(path.length + 1));
  }

  trigger(path: string, isChildrenChange: boolean): Set<string> {
    const told = new Set(this.watchersOf(path, isChildrenChange ? 3 : 7));
    const recursive = PERSISTENT_RECURSIVE;
    for (let above = path; !isChildrenChange && above !== ''; above = parentOf(above)) {
      for (const name of this.watchersOf(above, recursive)) told.add(name);
    }
    for (const name of this.watchersOf(path, STANDARD)) this.remove(`${path} ${name}`, STANDARD);
    return told;
  }

  remove(key: string, modes: number): boolean {
    const before = this.modes.get(key) ?? 0;
    if ((before & ~modes) === 0) this.modes.delete(key);
    else this.modes.set(key, before & ~modes);
    return (before & modes) !== 0;
  }
}

function parentOf(path: string): string {
  if (path === '/') return '';
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

for (let seed = 1; seed <= 5; seed++) {
  test(`random watches of many clients are those of a plain list, seed ${seed}`, () => {
    const random = new Random(seed);
    const paths = [
      '/',
      '/a',
      '/a/b',
      '/a/b/c',
      '/d',
      ...Array.from({ length: 20 }, (_, i) => `/d/${i}`),
    ];
    const clients = Array.from({ length: seed * 20 }, (_, i): Watcher => ({ name: `c${i}` }));
    const watches = new WatchManager<Watcher>();
    const plain = new PlainWatches();
    for (let step = 0; step < 4000; step++) {
      const path = random.pick(paths);
      const client = random.pick(clients);
      const key = PlainWatches.key(path, client);
      const kind = random.below(20);
      if (kind < 12) {
        const mode = random.pick([STANDARD, STANDARD, PERSISTENT, PERSISTENT_RECURSIVE]);
        watches.add(path, client, mode);
        plain.modes.set(key, (plain.modes.get(key) ?? 0) | mode);
      } else if (kind < 14) {
        const modes = random.pick([7, STANDARD, PERSISTENT, PERSISTENT_RECURSIVE]);
        assert.is(watches.remove(path, client, modes), plain.remove(key, modes));
      } else if (kind < 19) {
        const isChildrenChange = random.oneIn(2);
        const told = trigger(watches, path, isChildrenChange);
        assert.is(new Set(told).size, told.length, 'each at most once');
        assert.equal(new Set(told), plain.trigger(path, isChildrenChange));
      } else {
        Array.from(watches.removeWatcher(client));
        for (const at of paths) plain.modes.delete(PlainWatches.key(at, client));
      }
      assert.is(watches.has(path, client), plain.modes.has(key));
      if (step % 100 > 0) continue;
      const names = new Set([...plain.modes.keys()].map((at) => at.split(' ')[1]));
      const watched = new Set([...plain.modes.keys()].map((at) => at.split(' ')[0]));
      assert.equal(counts(watches), [plain.modes.size, watched.size, names.size]);
      const listed = [...watches.byPath()].flatMap(([at, of]) =>
        [...of].map((one) => PlainWatches.key(at, one)),
      );
      assert.equal(listed.sort(), [...plain.modes.keys()].sort());
      for (const [watcher, of] of watches.byWatcher()) {
        const paths = [...of];
        assert.is(watches.countOf(watcher), paths.length);
        for (const at of paths) assert.ok(plain.modes.has(PlainWatches.key(at, watcher)));
      }
    }
  });
}

test.run();
