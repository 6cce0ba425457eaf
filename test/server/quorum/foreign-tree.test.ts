import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ForeignTreeError } from '../../../src/server/foreign-tree-error.js';
import { EnsembleWorld } from './ensemble-world.js';

/** A member that was away comes back with the data of another ensemble of the same age. */
function worldOfTwo(): EnsembleWorld {
  const [world, other] = [new EnsembleWorld(3), new EnsembleWorld(3)];
  for (const [each, path] of [
    [world, '/ours'],
    [other, '/theirs'],
  ] as const) {
    each.start();
    each.allServe();
    const client = each.client(3);
    client.push(client.create(path));
  }
  world.crash(1);
  const client = world.client(3);
  client.push(client.create('/more'));
  Object.assign(world.member(1).disk, other.member(1).disk);
  return world;
}

test('a tree that was never the leader\u2019s ends the server with the first txn', () => {
  const world = worldOfTwo();
  assert.throws(
    () => {
      world.start(1);
      world.pass(5000);
    },
    (error: Error) =>
      error instanceof ForeignTreeError &&
      /^the tree here is not the leader's at zxid 0x\w+, nor was it before/.test(error.message),
  );
});

test('one that was, and is no more, is counted', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.push(client.create('/a'));
  const { tree } = world.member(1).peer.data;
  tree.digest.value += 1n;
  client.push(client.create('/b'));
  assert.is(world.member(1).peer.view.metrics.counters.digest_mismatches_count ?? 0, 1);
  assert.is(world.member(2).peer.view.metrics.counters.digest_mismatches_count ?? 0, 0);
});

test.run();
