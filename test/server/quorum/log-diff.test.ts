import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import type { EnsembleOptions } from './ensemble-options.js';
import { EnsembleWorld } from './ensemble-world.js';
import { HandLearner } from './hand-learner.js';

// A learner that lacks more than its leader keeps in memory: the log on the disk has it, or not.

const KEPT = 3;

function worldOfThree(options: EnsembleOptions = {}) {
  const world = new EnsembleWorld(3, 0, { keptTxns: KEPT, ...options });
  world.start();
  world.allServe();
  const client = world.client(3);
  const create = (...names: string[]) => {
    for (const name of names) client.push(client.create(`/${name}`));
  };
  create('before');
  return { world, client, create };
}

function namesOf(world: EnsembleWorld, sid: number): string {
  const { tree } = world.member(sid).peer.data;
  return ['before', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'lost']
    .filter((name) => tree.get(`/${name}`) !== undefined)
    .join(' ');
}

/** How the leader says that it brought member 1 in sync last. */
function howOf(world: EnsembleWorld, leader = 3): string {
  const said = world.member(leader).notes.filter((note) => /^syncing server 1 /.test(note));
  return said.at(-1)?.replace(/.* by /, '') ?? 'not at all';
}

/** Member 1 is away while so much is written, and comes back. */
function awayFor(names: string[], options: EnsembleOptions = {}) {
  const { world, client, create } = worldOfThree(options);
  world.crash(1);
  create(...names);
  world.start(1);
  world.allServe();
  return { world, client, create };
}

test('what is kept is sent as ever', () => {
  const { world } = awayFor(['a', 'b']);
  assert.is(howOf(world), 'DIFF');
});

test('what is not kept any more comes from the log, and what is kept behind it', () => {
  const { world, create } = awayFor(['a', 'b', 'c', 'd', 'e']);
  assert.is(howOf(world), 'DIFF from the log');
  create('f');
  assert.is(namesOf(world, 1), 'before a b c d e f');
  assert.equal(
    world.member(1).disk.entries.map(({ zxid }) => zxid),
    world.member(3).disk.entries.map(({ zxid }) => zxid),
  );
});

test('a log that is too large, or that is not to be sent, is not', () => {
  for (const maxLogBytes of [-1, 10]) {
    const { world } = awayFor(['a', 'b', 'c', 'd', 'e'], { maxLogBytes });
    assert.is(howOf(world), 'SNAP');
    assert.is(namesOf(world, 1), 'before a b c d e');
  }
});

test('where the log does not reach back, a snapshot is sent', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  const { entries } = world.member(3).disk;
  world.member(3).disk.entries = entries.slice(3);
  world.start(1);
  world.allServe();
  assert.is(howOf(world), 'SNAP');
  assert.is(namesOf(world, 1), 'before a b c d e');
});

test('nor over a hole in the log', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  world.member(3).disk.entries.splice(3, 1);
  world.start(1);
  world.allServe();
  assert.is(howOf(world), 'SNAP');
  assert.is(namesOf(world, 1), 'before a b c d e');
});

test('a log that goes while it is sent ends the link, and the learner comes back', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  const { disk } = world.member(3);
  world.onLogSent = () => {
    disk.entries = disk.entries.slice(-2);
  };
  world.start(1);
  world.allServe();
  const said = world.member(3).notes.filter((note) => /^syncing server 1 /.test(note));
  assert.match(said.join('; '), /DIFF from the log; .* SNAP$/);
  assert.is(namesOf(world, 1), 'before a b c d e');
});

test('what is written while the log is looked through is not lost', () => {
  for (const count of [1, KEPT, KEPT + 1, 2 * KEPT]) {
    const { world, create } = worldOfThree();
    world.crash(1);
    create('a', 'b', 'c', 'd', 'e');
    const more = Array.from({ length: count }, (_, i) => `more${i}`);
    world.onSearched = () => create(...more.splice(0));
    world.start(1);
    world.allServe();
    assert.is(howOf(world), 'DIFF from the log');
    assert.is(namesOf(world, 1), 'before a b c d e');
    assert.equal(world.member(1).disk.entries, world.member(3).disk.entries);
  }
});

test('more than is kept, each time that it is looked through, ends in a snapshot', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  let more = 0;
  world.onSearched = () => {
    // A leader that never has enough of searching must fail here, and not go on for ever.
    if (more > 20 * KEPT) throw new Error('it searches again and again');
    for (let i = 0; i <= KEPT; i++) create(`more${more++}`);
  };
  world.start(1);
  world.allServe();
  assert.is(more, 3 * (KEPT + 1));
  assert.is(howOf(world), 'SNAP');
  assert.ok(world.member(1).peer.data.tree.get(`/more${more - 1}`) !== undefined);
});

test('who has a txn that the log lacks is not left with it', () => {
  const { world, client } = worldOfThree();
  world.cut(3, 1);
  world.cut(3, 2);
  client.push(client.create('/lost'));
  world.crash(3);
  world.heal();
  world.until(() => world.leader === 2, 'server 2 leads');
  const other = world.client(2);
  for (const name of ['a', 'b', 'c', 'd', 'e']) other.push(other.create(`/${name}`));
  world.start(3);
  world.allServe();
  const said = world.member(2).notes.filter((note) => /^syncing server 3 /.test(note));
  assert.match(said.join('; '), /by SNAP$/);
  assert.is(namesOf(world, 3), 'before a b c d e');
});

test('only what is committed comes from the log, what is proposed behind it', () => {
  const { world, create, client } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  client.take();
  world.member(2).isDiskHeld = true;
  create('f');
  assert.equal(client.take(), [], 'it has no quorum');
  const before = world.member(3).disk.entries.map(({ zxid }) => zxid);
  const learner = new HandLearner(world, before[1] ?? 0n);
  const last = before.at(-1) ?? 0n;
  assert.equal(learner.zxidsOf(PacketType.PROPOSAL), before.slice(2));
  assert.equal(learner.zxidsOf(PacketType.COMMIT), before.slice(2, -1));
  assert.not.ok(learner.zxidsOf(PacketType.COMMIT).includes(last));
  assert.is(learner.kinds()[0], 'DIFF');
  assert.is(learner.kinds().at(-1), 'NEWLEADER');
});

test.run();
