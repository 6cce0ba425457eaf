import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import type { EnsembleOptions } from './worlds/ensemble-options.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLearner } from './worlds/hand-learner.js';
import { emptyDisk } from './worlds/memory-disk.js';

// A learner that lacks more than its leader keeps in memory, with and without a log on the disk.

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

/** How the leader last brought member 1 in sync, as it reported. */
function howOf(world: EnsembleWorld, leader = 3): string {
  const said = world.member(leader).notes.filter((note) => /^syncing server 1 /.test(note));
  return said.at(-1)?.replace(/.* by /, '') ?? 'not at all';
}

/** Member 1 is away during that many writes, and returns. */
function awayFor(names: string[], options: EnsembleOptions = {}) {
  const { world, client, create } = worldOfThree(options);
  world.crash(1);
  create(...names);
  world.start(1);
  world.allServe();
  return { world, client, create };
}

test('txns kept in memory are sent from memory', () => {
  const { world } = awayFor(['a', 'b']);
  assert.is(howOf(world), 'DIFF');
});

test('older txns come from the log, followed by those in memory', () => {
  const { world, create } = awayFor(['a', 'b', 'c', 'd', 'e']);
  assert.is(howOf(world), 'DIFF from the log');
  create('f');
  assert.is(namesOf(world, 1), 'before a b c d e f');
  assert.equal(
    world.member(1).disk.entries.map(({ zxid }) => zxid),
    world.member(3).disk.entries.map(({ zxid }) => zxid),
  );
});

test('a log is not sent if it is too large or if sending is disabled', () => {
  for (const maxLogBytes of [-1, 10]) {
    const { world } = awayFor(['a', 'b', 'c', 'd', 'e'], { maxLogBytes });
    assert.is(howOf(world), 'SNAP');
    assert.is(namesOf(world, 1), 'before a b c d e');
  }
});

test('without a search of the log, the txns in memory are sent, however many', () => {
  const { world } = awayFor(['a', 'b'], { snapshotSizeFactor: -1, maxRestBytes: 1 });
  assert.is(howOf(world), 'DIFF');
  assert.is(namesOf(world, 1), 'before a b');
});

test('a learner without data is sent a snapshot, and the log is not searched', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  Object.assign(world.member(1).disk, emptyDisk());
  create('a', 'b', 'c', 'd', 'e');
  let searches = 0;
  world.onSearched = () => {
    searches++;
  };
  world.start(1);
  world.allServe();
  assert.is(howOf(world), 'SNAP');
  assert.is(searches, 0);
});

test('if the log does not reach back far enough, the leader sends a snapshot', () => {
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

test('the leader does not send a log with a gap', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  world.member(3).disk.entries.splice(3, 1);
  world.start(1);
  world.allServe();
  assert.is(howOf(world), 'SNAP');
  assert.is(namesOf(world, 1), 'before a b c d e');
});

test('a log that disappears while it is sent ends the link, and the learner returns', () => {
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

test('a search of the log that takes long ends by a snapshot, before the learner gives up', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  world.member(3).isDiskHeld = true;
  world.start(1);
  world.until(() => howOf(world) === 'SNAP', 'the snapshot');
  assert.not.match(world.member(1).notes.join('; '), 'no packet from');
  world.member(3).isDiskHeld = false;
  world.allServe();
  create('f');
  assert.is(namesOf(world, 1), 'before a b c d e f');
});

test('writes during the search of the log are not lost', () => {
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

test('writes during each step of a sync come from the log', () => {
  const { world, create } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  let more = 0;
  const createMore = () => {
    // A leader that repeats a step forever must fail here.
    if (more > 20 * KEPT) throw new Error('it searches or reads again and again');
    for (let i = 0; i <= KEPT; i++) create(`more${more++}`);
  };
  world.onSearched = createMore;
  world.onLogSent = createMore;
  world.start(1);
  world.allServe();
  assert.is(more, 2 * (KEPT + 1));
  assert.is(howOf(world), 'DIFF from the log');
  assert.equal(world.member(1).disk.entries, world.member(3).disk.entries);
});

test('the log is sent as far as this disk has it, though others committed more', () => {
  const world = new EnsembleWorld(5, 0, { keptTxns: KEPT });
  world.start();
  world.allServe();
  const client = world.client(5);
  const create = (...names: string[]) => {
    for (const name of names) client.push(client.create(`/${name}`));
  };
  create('before');
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  const leader = world.member(5);
  world.onLogSent = () => {
    leader.isDiskHeld = true;
  };
  world.start(1);
  world.until(() => leader.disk.work.length > 0, 'the log is about to be sent');
  create('f', 'g');
  assert.is(namesOf(world, 5), 'before a b c d e f g');
  leader.isDiskHeld = false;
  world.allServe();
  assert.is(howOf(world, 5), 'DIFF from the log');
  assert.not.match(world.member(1).notes.join('; '), 'closed');
  assert.is(namesOf(world, 1), 'before a b c d e f g');
});

test('a learner with a txn that the log lacks must drop it', () => {
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

test('only committed txns come from the log, followed by proposed ones', () => {
  const { world, create, client } = worldOfThree();
  world.crash(1);
  create('a', 'b', 'c', 'd', 'e');
  client.take();
  world.member(2).isDiskHeld = true;
  create('f');
  assert.equal(client.take(), [], 'it has lost its quorum');
  const before = world.member(3).disk.entries.map(({ zxid }) => zxid);
  const learner = new HandLearner(world, before[1] ?? 0n);
  const last = before.at(-1) ?? 0n;
  assert.equal(learner.zxidsOf(PacketType.PROPOSAL), before.slice(2));
  assert.equal(learner.zxidsOf(PacketType.COMMIT), before.slice(2, -1));
  assert.not.ok(learner.zxidsOf(PacketType.COMMIT).includes(last));
  assert.is(learner.kinds()[0], 'DIFF');
  assert.equal(learner.kinds().slice(-2), ['NEWLEADER', 'PROPOSAL']);
});

test.run();
