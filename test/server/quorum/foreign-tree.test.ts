import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ForeignTreeError } from '../../../src/server/pipeline/foreign-tree-error.js';
import { TreeAudit } from '../../../src/server/tree/tree-audit.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

/** Its leaders stand for Apache's, which do not audit their own trees. */
function withoutAudit(body: () => void): () => void {
  return () => {
    const { poll } = TreeAudit.prototype;
    TreeAudit.prototype.poll = () => undefined;
    try {
      body();
    } finally {
      TreeAudit.prototype.poll = poll;
    }
  };
}

/** A member returns with the data of another ensemble of the same age. */
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

function mismatches(world: EnsembleWorld, sid: number): number {
  return world.member(sid).peer.view.metrics.counters.digest_mismatches_count ?? 0;
}

function digestOf(world: EnsembleWorld, sid: number): bigint {
  return world.member(sid).peer.data.tree.digest.value;
}

function serving(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.is(world.leader, 3);
  return world;
}

/** Adds that much to its next digests. */
function spoilDigests(world: EnsembleWorld, by: number): void {
  const { prep, tree } = world.member(world.leader ?? 0).peer.server.state;
  prep.outstanding.digest.add(by);
  tree.digest.add(by);
}

test('a tree that never matched the leader’s is replaced at the first txn', () => {
  const world = worldOfTwo();
  world.start(1);
  world.until(
    () => world.isServing(1) && digestOf(world, 1) === digestOf(world, 3),
    'it is mended',
  );
  assert.ok(mismatches(world, 1) > 0);
  const { tree } = world.member(1).peer.data;
  assert.not(tree.get('/theirs'));
  for (const path of ['/ours', '/more']) assert.ok(tree.get(path));
  assert.match(
    world.member(1).notes.join('; '),
    /differs from the leader's tree at zxid 0x\w+: taking the leader's whole tree/,
  );
  world.crash(1);
  world.start(1);
  world.until(() => world.isServing(1), 'it starts on its data');
  assert.is(digestOf(world, 1), digestOf(world, 3));
});

test('a tree that matched before is replaced once, and the member serves again', () => {
  const world = serving();
  const client = world.client(3);
  client.push(client.create('/a'));
  const { tree } = world.member(1).peer.data;
  tree.digest.value += 1n;
  client.push(client.create('/b'));
  world.until(
    () => world.isServing(1) && digestOf(world, 1) === digestOf(world, 3),
    'it is mended',
  );
  client.push(client.create('/c'));
  assert.equal([mismatches(world, 1), mismatches(world, 2)], [1, 0]);
  assert.is(digestOf(world, 1), digestOf(world, 3));
  // A second mismatch soon after is only counted, so that repairs do not repeat forever.
  world.member(1).peer.data.tree.digest.value += 1n;
  const { role } = world.member(1).peer;
  client.push(client.create('/d'));
  assert.is(world.member(1).peer.role, role);
  assert.is(mismatches(world, 1), 2);
});

test('the log stays until the leader’s tree is on the disk, and the vote offers its last zxid', () => {
  const world = serving();
  const client = world.client(3);
  client.push(client.create('/a'));
  const member = world.member(1);
  member.peer.data.tree.digest.value += 1n;
  const { length } = member.disk.entries;
  world.onSnapshotSent = () => {
    member.isDiskHeld = true;
  };
  client.push(client.create('/b'));
  world.until(() => member.isDiskHeld, 'the snapshot is sent');
  world.pass(500);
  assert.is(member.disk.entries.length, length + 1);
  // The leader dies first: acknowledged txns are still on the disk.
  world.crash(3);
  world.crash(1);
  member.isDiskHeld = false;
  world.start(1);
  world.until(() => world.leader !== undefined, 'two of three serve');
  assert.ok(world.member(world.leader ?? 0).peer.data.tree.get('/b'));
});

test(
  'a leader with a wrong sum of digests stops no member, because both trees change alike',
  withoutAudit(() => {
    const world = serving();
    const client = world.client(3);
    client.push(client.create('/a'));
    spoilDigests(world, 7);
    client.push(client.create('/b'));
    world.pass(1000);
    world.allServe();
    assert.is(world.leader, 3);
    const later = world.client(3);
    for (const path of ['/c', '/d', '/e']) later.push(later.create(path));
    world.pass(5000);
    assert.equal(later.take(), ['connected', 'create ok', 'create ok', 'create ok']);
    assert.equal([world.isServing(1), world.isServing(2)], [true, true]);
    for (const sid of [1, 2]) {
      assert.ok(world.member(sid).peer.data.tree.get('/e'));
      assert.match(world.member(sid).notes.join('; '), /does not match the tree that it sent/);
    }
  }),
);

test(
  'a tree that differs from the leader’s after each txn ends the server',
  withoutAudit(() => {
    const world = serving();
    const serveWith = (path: string) => {
      world.until(() => world.leader !== undefined, 'one leads');
      const client = world.client(world.leader ?? 0);
      spoilDigests(world, 7);
      client.push(client.create(path));
      world.pass(1000);
    };
    assert.throws(
      () => {
        for (const path of ['/a', '/b', '/c', '/d', '/e', '/f']) serveWith(path);
      },
      (error: Error) =>
        error instanceof ForeignTreeError &&
        /^tree: differs from the leader's tree again at zxid 0x\w+, after a full copy/.test(
          error.message,
        ) &&
        !/move|delete|remove/.test(error.message),
    );
  }),
);

test('txns without a digest, as from a leader that computes none, are accepted', () => {
  const world = serving();
  const client = world.client(3);
  client.push(client.create('/a'));
  const { prep, tree } = world.member(3).peer.server.state;
  const { options, outstanding } = prep as unknown as Record<string, { isDigestEnabled: boolean }>;
  for (const each of [options, outstanding, tree as { isDigestEnabled: boolean }]) {
    if (each !== undefined) each.isDigestEnabled = false;
  }
  world.member(1).peer.data.tree.digest.value += 1n;
  client.push(client.create('/b'));
  world.pass(3000);
  assert.equal([mismatches(world, 1), mismatches(world, 2)], [0, 0]);
  world.allServe();
});

test('leader, follower, and observer keep the digests of the same zxids', () => {
  const world = new EnsembleWorld(3, 1);
  world.start();
  world.allServe();
  const client = world.client(3);
  for (let i = 0; i < 128; i++) client.push(client.create(`/n-${i}`));
  const kept = [1, 2, 3, 4].map((sid) => world.member(sid).peer.data.tree.digests);
  assert.is(kept[0]?.length, 1);
  for (const digests of kept) assert.equal(digests, kept[0]);
});

test.run();
