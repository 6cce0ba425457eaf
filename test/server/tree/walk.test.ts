import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deleteTxn, TreeWorld } from './tree-world.js';

/** Walks a tree, and changes it the first time that the walk stands at `path`. */
function walkAndChange(world: TreeWorld, path: string, change: () => void): string[] {
  const seen: string[] = [];
  for (const node of world.tree.walk()) {
    const here = world.tree.pathOf(node);
    const isFirst = here === path && !seen.includes(path);
    seen.push(here);
    if (isFirst) change();
  }
  return seen.filter((one) => !one.startsWith('/zookeeper'));
}

function worldOf(...paths: readonly string[]): TreeWorld {
  const world = new TreeWorld();
  for (const path of paths) world.create(path);
  return world;
}

test('a parent comes before its children, and each znode once', () => {
  const world = worldOf('/b', '/a', '/a/x', '/a/x/y', '/b/z');
  const seen = world.paths();
  assert.is(new Set(seen).size, seen.length);
  for (const path of seen) {
    const parent = path.slice(0, path.lastIndexOf('/')) || '/';
    assert.ok(seen.indexOf(parent) <= seen.indexOf(path), path);
  }
  assert.is(seen.length, 9);
});

test('a walk may begin below the root', () => {
  const world = worldOf('/a', '/a/x', '/b');
  const paths = [...world.tree.paths(world.tree.get('/a'))];
  assert.equal(paths, ['/a', '/a/x']);
});

test('a child created below the position of the walk is seen', () => {
  const world = worldOf('/a', '/b');
  const seen = walkAndChange(world, '/a', () => world.create('/a/new'));
  assert.equal(seen, ['/', '/a', '/a/new', '/b']);
});

test('a znode deleted ahead of the walk is not seen', () => {
  const world = worldOf('/a', '/b', '/b/x');
  const seen = walkAndChange(world, '/a', () => {
    world.apply(deleteTxn('/b/x'));
    world.apply(deleteTxn('/b'));
  });
  assert.equal(seen, ['/', '/a']);
});

test('the children of a znode that got the slot of the last one come after it', () => {
  const world = worldOf('/a', '/b');
  const slot = world.tree.get('/a');
  const seen = walkAndChange(world, '/a', () => {
    world.apply(deleteTxn('/a'));
    world.create('/z');
    assert.is(world.tree.get('/z'), slot);
    world.create('/z/child');
  });
  assert.equal(seen, ['/', '/a', '/b', '/z', '/z/child']);
});

test('a znode deleted and made again ahead of the walk is seen once', () => {
  const world = worldOf('/a', '/b');
  const seen = walkAndChange(world, '/a', () => {
    world.apply(deleteTxn('/b'));
    world.create('/b');
  });
  assert.equal(seen, ['/', '/a', '/b']);
});

test('the znode under the walk may be deleted, and its subtree with it', () => {
  const world = worldOf('/a', '/a/x', '/b');
  const seen = walkAndChange(world, '/a/x', () => {
    world.apply(deleteTxn('/a/x'));
    world.apply(deleteTxn('/a'));
  });
  assert.equal(seen, ['/', '/a', '/a/x', '/b']);
});

test('a znode replaced under the walk does not end it', () => {
  const world = worldOf('/a', '/a/x', '/b');
  const seen = walkAndChange(world, '/a', () => {
    world.apply(deleteTxn('/a/x'));
    world.apply(deleteTxn('/a'));
    world.create('/a');
    world.create('/a/y');
  });
  assert.ok(seen.includes('/b'));
  assert.not.ok(seen.includes('/a/x'));
});

test('a deep tree does not need a deep stack', () => {
  const world = new TreeWorld();
  let path = '';
  for (let depth = 0; depth < 5000; depth++) {
    path += '/d';
    world.create(path);
  }
  assert.is(world.paths().length, 5004);
});

test.run();
