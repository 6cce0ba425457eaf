import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatZxid, zxidEpoch } from '../../../src/protocol/zxid.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { addNode } from '../../support/bytes/add-node.js';
import { Random } from '../../support/random.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { copyOf } from './worlds/memory-disk.js';

// An operator restores a tree on the leader, and every member has it afterwards.

const NAMES = ['old', 'restored', 'later'];
const SIDS = [1, 2, 3];

function snapshotOf(...sessions: bigint[]): Database {
  const database = new Database({});
  for (const id of sessions) database.addSession(id, 4000);
  addNode(database, '', Buffer.alloc(0), -1n, Buffer.alloc(60));
  addNode(database, '/restored', Buffer.from('x'), -1n, Buffer.alloc(60));
  database.finishSnapshot(5n);
  return database;
}

function worldOf(size = 3, observers = 0): EnsembleWorld {
  const world = new EnsembleWorld(size, observers);
  world.start();
  world.allServe();
  const client = world.client(size);
  client.push(client.create('/old'));
  world.pass(1000);
  assert.equal(client.take(), ['connected', 'create ok']);
  return world;
}

/** As the AdminServer does: the tree is on the disk first. Returns why it is refused, or "". */
function restore(world: EnsembleWorld, sid: number, database = snapshotOf()): string {
  const { peer, disk } = world.member(sid);
  const problem = peer.restoration.prepare(database);
  if (problem !== '') return problem;
  const { tree, sessions } = database;
  const zxid = tree.lastProcessedZxid;
  disk.staged = copyOf({ tree, sessions: [...sessions.values()], zxid });
  peer.step({ kind: 'restore', database, staged: 'restored.tmp' });
  world.settle();
  return '';
}

function leaderOf(world: EnsembleWorld): number {
  const { leader } = world;
  assert.ok(leader !== undefined);
  return leader;
}

/** What each member has, and whether all digests are equal. */
function trees(world: EnsembleWorld): string[] {
  const all = [...world.members.values()].filter(({ isUp }) => isUp);
  const digests = new Set(all.map(({ peer }) => peer.data.tree.digest.value));
  assert.is(digests.size, 1, 'the digests are equal');
  return all.map(({ peer: { data } }) =>
    NAMES.filter((name) => data.tree.get(`/${name}`) !== undefined).join(' '),
  );
}

function ended(world: EnsembleWorld, sid: number): readonly string[] {
  return world.member(sid).disk.ended;
}

test('all members have the tree of the leader, and continue from it', () => {
  const world = worldOf(3, 1);
  const leader = leaderOf(world);
  const before = world.member(leader).peer.data.tree.lastProcessedZxid;
  assert.is(restore(world, leader), '');
  world.until(() => ended(world, leader).length > 0, 'the result');
  assert.equal(ended(world, leader), ['']);
  assert.is(world.leader, leader);
  world.allServe();
  assert.equal(trees(world), ['restored', 'restored', 'restored', 'restored']);
  const { lastProcessedZxid } = world.member(1).peer.data.tree;
  assert.ok(lastProcessedZxid > before, formatZxid(lastProcessedZxid));
  const client = world.client(1);
  client.push(client.create('/later'));
  world.pass(1000);
  assert.equal(client.take(), ['connected', 'create ok']);
  assert.equal(trees(world), Array(4).fill('restored later'));
});

test('a member that was away takes the restored tree, though it has txns of the old one', () => {
  const world = worldOf();
  const leader = leaderOf(world);
  world.crash(1);
  assert.is(restore(world, leader), '');
  world.until(() => ended(world, leader).length > 0, 'the result');
  assert.equal(ended(world, leader), ['']);
  world.start(1);
  world.allServe();
  assert.equal(trees(world), ['restored', 'restored', 'restored']);
  world.crash(leader);
  world.until(() => world.leader !== undefined, 'another leader');
  world.start(leader);
  world.allServe();
  assert.equal(trees(world), ['restored', 'restored', 'restored']);
});

test('sessions outside the snapshot end, and those in it live', () => {
  const world = worldOf();
  const leader = leaderOf(world);
  const known = world.client(1);
  const unknown = world.client(2);
  world.pass(500);
  assert.equal([...known.take(), ...unknown.take()], ['connected', 'connected']);
  assert.is(restore(world, leader, snapshotOf(known.sessionId)), '');
  world.until(() => ended(world, leader).length > 0, 'the result');
  world.allServe();
  const { sessions } = world.member(leader).peer.server.state;
  assert.ok(sessions.find(known.sessionId));
  assert.is(sessions.find(unknown.sessionId), undefined);
  assert.ok(known.isClosed && unknown.isClosed, 'clients reconnect and set their watches');
});

function hostOf(world: EnsembleWorld, sid: number): string {
  const { config } = world.member(sid).peer.membership;
  return config.members.get(sid)?.addresses[0]?.host ?? 'none';
}

test('only a serving leader restores, one tree at a time', () => {
  const world = worldOf();
  const leader = leaderOf(world);
  const follower = leader === 1 ? 2 : 1;
  const [refusal, host] = [restore(world, follower), hostOf(world, leader)];
  const to = `send the restore to the leader, server ${leader} at ${host}, which restores all`;
  assert.match(refusal, `this member follows: ${to}`);
  world.member(leader).isDiskHeld = true;
  assert.is(restore(world, leader), '');
  assert.is(restore(world, leader), 'another restore is under way');
  world.member(leader).isDiskHeld = false;
  world.until(() => ended(world, leader).length > 0, 'the result');
  assert.equal(ended(world, leader), ['']);
  for (const sid of SIDS) if (sid !== leader) world.crash(sid);
  world.until(() => world.leader === undefined, 'the quorum is lost');
  assert.match(restore(world, leader), /no quorum|does not serve/);
});

test('writes wait while the disk takes the tree, and count for the new one', () => {
  const world = worldOf();
  const leader = leaderOf(world);
  const client = world.client(leader);
  world.pass(500);
  client.take();
  world.member(leader).isDiskHeld = true;
  assert.is(restore(world, leader, snapshotOf(client.sessionId)), '');
  client.push(client.create('/later'));
  world.pass(500);
  assert.equal(client.take(), []);
  assert.is(world.leader, leader, 'nobody looks for a leader meanwhile');
  world.member(leader).isDiskHeld = false;
  world.settle();
  world.until(() => ended(world, leader).length > 0, 'the result');
  world.allServe();
  assert.equal(trees(world), ['restored', 'restored', 'restored']);
});

test('a leader that prepared a tree in an earlier epoch does not restore it', () => {
  const world = worldOf();
  const leader = leaderOf(world);
  const database = snapshotOf();
  assert.is(world.member(leader).peer.restoration.prepare(database), '');
  const epoch = zxidEpoch(database.tree.lastProcessedZxid);
  for (const sid of SIDS) if (sid !== leader) world.crash(sid);
  world.until(() => world.leader === undefined, 'the quorum is lost');
  world.start(...SIDS.filter((sid) => sid !== leader));
  world.until(() => world.leader === leader, 'it leads again');
  assert.is(zxidEpoch(database.tree.lastProcessedZxid), epoch);
  world.member(leader).peer.step({ kind: 'restore', database, staged: null });
  world.settle();
  assert.equal(ended(world, leader), ['the leader changed meanwhile: try again']);
  assert.equal(trees(world), ['old', 'old', 'old']);
});

type Victim = 'leader' | 'follower' | 'all';

/** Crashes members that long after a restore began, and returns what all have in the end. */
function outcomeOf(victim: Victim, moments: number): string {
  const world = worldOf();
  const leader = leaderOf(world);
  world.member(leader).isDiskHeld = true;
  assert.is(restore(world, leader), '');
  // The disk is slow at first.
  for (let moment = 0; moment < moments; moment++) {
    if (moment === 1) world.member(leader).isDiskHeld = false;
    world.pass(20);
  }
  const others = SIDS.filter((sid) => sid !== leader);
  const crashed = { leader: [leader], follower: others.slice(0, 1), all: SIDS }[victim];
  for (const sid of crashed) world.crash(sid);
  if (victim !== 'all') world.pass(3000);
  world.member(leader).isDiskHeld = false;
  world.start(...crashed);
  return whatAllHave(world, leader);
}

/** Checks that all trees are the same, and that an acknowledged restore is in them. */
function whatAllHave(world: EnsembleWorld, leader: number): string {
  world.allServe();
  world.pass(2000);
  const [first = '', ...rest] = trees(world);
  assert.equal(rest, [first, first]);
  const base = first.replace(' later', '');
  assert.ok(base === 'old' || base === 'restored', first);
  if (ended(world, leader).includes('')) assert.is(base, 'restored');
  return base;
}

test('whichever member crashes at any moment, all have the old tree or all have the new one', () => {
  const outcomes = new Set<string>();
  for (const victim of ['leader', 'follower', 'all'] as const) {
    for (let at = 0; at <= 60; at += 2) outcomes.add(`${victim} ${outcomeOf(victim, at)}`);
  }
  assert.equal([...outcomes].sort(), [
    'all old',
    'all restored',
    'follower restored',
    'leader old',
    'leader restored',
  ]);
});

const FAULTS: readonly ((world: EnsembleWorld, sid: number) => void)[] = [
  (world, sid) => (world.member(sid).isUp ? world.crash(sid) : world.start(sid)),
  (world, sid) => {
    world.member(sid).isDiskHeld = !world.member(sid).isDiskHeld;
  },
  (world, sid) => {
    for (const other of SIDS) if (other !== sid) world.cut(sid, other);
  },
  (world) => world.heal(),
  (world, sid) => {
    if (!world.isServing(sid)) return;
    const client = world.client(sid);
    client.push(client.create('/later'));
  },
  () => undefined,
];

/** Slow disks, cut links, crashes, and writes, in a random order. */
function harass(world: EnsembleWorld, random: Random): void {
  for (let moment = 0; moment < 30; moment++) {
    random.pick(FAULTS)(world, random.pick(SIDS));
    world.pass(random.below(400));
  }
  world.heal();
  for (const sid of SIDS) {
    world.member(sid).isDiskHeld = false;
    if (!world.member(sid).isUp) world.start(sid);
  }
  world.settle();
}

test('no order of faults leaves different trees, or loses an acknowledged restore', () => {
  const seen = { old: 0, restored: 0 };
  for (let seed = 1; seed <= 100; seed++) {
    const random = new Random(seed);
    const world = worldOf();
    const leader = leaderOf(world);
    for (const sid of SIDS) world.member(sid).isDiskHeld = random.oneIn(3);
    assert.is(restore(world, leader), '');
    harass(world, random);
    seen[whatAllHave(world, leader) === 'old' ? 'old' : 'restored']++;
  }
  assert.ok(
    seen.old > 5 && seen.restored > 5,
    `both outcomes occur: ${seen.old}, ${seen.restored}`,
  );
});

test.run();
