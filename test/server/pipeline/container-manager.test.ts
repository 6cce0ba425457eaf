import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import {
  ContainerManager,
  type ContainerOptions,
} from '../../../src/server/pipeline/container-manager.js';
import { deleteTxn, TreeWorld } from '../tree/tree-world.js';

const MINUTE = 60_000;
const OPTIONS: ContainerOptions = {
  checkIntervalMs: MINUTE,
  maxPerMinute: 10_000,
  maxNeverUsedMs: 0,
};

function makeWorld(options: Partial<ContainerOptions> = {}) {
  const world = new TreeWorld({ isTTLEnabled: true });
  const manager = new ContainerManager(world.tree, { ...OPTIONS, ...options }, 0);
  return { world, manager };
}

/** A container that had a child and lost it. */
function emptied(world: TreeWorld, path: string): void {
  world.create(path, { type: OpCode.createContainer });
  world.create(`${path}/child`);
  world.apply(deleteTxn(`${path}/child`));
}

test('a container that lost its last child is proposed at the next check, not before', () => {
  const { world, manager } = makeWorld();
  emptied(world, '/c');
  assert.equal(manager.poll(MINUTE - 1, 0), []);
  assert.equal(manager.poll(MINUTE, 0), ['/c']);
  assert.equal(manager.poll(MINUTE + 1, 0), []);
  assert.equal(manager.poll(2 * MINUTE, 0), ['/c']);
});

test('a container with a child, one never used, and a plain znode stay', () => {
  const { world, manager } = makeWorld();
  world.create('/used', { type: OpCode.createContainer });
  world.create('/used/child');
  world.create('/new', { type: OpCode.createContainer });
  world.create('/plain');
  world.create('/plain/child');
  world.apply(deleteTxn('/plain/child'));
  assert.equal(manager.poll(MINUTE, 1e15), []);
});

test('maxNeverUsedIntervalMs deletes older containers that were never used', () => {
  // The key znode.container.maxNeverUsedIntervalMs.
  const { world, manager } = makeWorld({ maxNeverUsedMs: 5000 });
  const zxid = world.create('/new', { type: OpCode.createContainer });
  const bornMs = Number(zxid) * 1000;
  assert.equal(manager.poll(MINUTE, bornMs + 5000), []);
  assert.equal(manager.poll(2 * MINUTE, bornMs + 5001), ['/new']);
});

test('a TTL node expires when it has no children and was not modified for longer than its TTL', () => {
  const { world, manager } = makeWorld();
  const zxid = world.create('/ttl', { type: OpCode.createTTL, ttl: 700n });
  world.create('/parent', { type: OpCode.createTTL, ttl: 1n });
  world.create('/parent/child');
  const bornMs = Number(zxid) * 1000;
  assert.equal(manager.poll(MINUTE, bornMs + 700), []);
  assert.equal(manager.poll(2 * MINUTE, bornMs + 701), ['/ttl']);
});

test('the number of deletions per minute is limited', () => {
  // The key znode.container.maxPerMinute.
  const { world, manager } = makeWorld({ maxPerMinute: 60 });
  for (let i = 0; i < 100; i++) emptied(world, `/c${i}`);
  assert.is(manager.poll(MINUTE, 0).length, 60);
  assert.is(manager.poll(MINUTE + 500, 0).length, 0);
  assert.is(manager.poll(MINUTE + 1000, 0).length, 1);
  assert.is(manager.poll(MINUTE + 11_000, 0).length, 10);
  assert.is(manager.poll(MINUTE + 40_000, 0).length, 29);
  assert.is(manager.poll(MINUTE + 41_000, 0).length, 0);
});

test('a scan is split into slices and tolerates changes between them', () => {
  const { world, manager } = makeWorld({ maxPerMinute: 1_000_000 });
  const count = 5000;
  for (let i = 0; i < count; i++) emptied(world, `/c${i}`);
  const first = manager.poll(MINUTE, 0);
  assert.ok(first.length > 0 && first.length < count, `${first.length} in the first slice`);
  // One that was named and one that will not be come to an end meanwhile.
  world.apply(deleteTxn('/c0'));
  world.apply(deleteTxn(`/c${count - 1}`));
  const rest: string[] = [];
  for (let turn = 1; turn < 10; turn++) rest.push(...manager.poll(MINUTE + turn, 0));
  assert.is(first.length + rest.length, count - 1);
  assert.is(new Set([...first, ...rest]).size, count - 1);
});

test.run();
