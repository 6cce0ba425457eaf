import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import type { Peer } from '../server-peer.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// A reconfig that is proposed and not committed: which members must know it, and which must forget
// it.

/** Requests 1 in that role, and the removal of `leaving`. */
function reconfigOf(client: Peer) {
  return (role: string, leavingServers: string): void => {
    const joiningServers = `server.1=127.0.0.1:2000:3000:${role};4000`;
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
  };
}

/**
 * 2 is gone, 3 is down, and 1 observes. The log of 4 makes 1, 2, and 4 the voters, and perhaps 3
 * has it too. 3 and 4 are a quorum now, and 1 and 4 must be the next one. 1 does not know of it.
 */
function proposedToObserver({ isLoggedBy3 = false } = {}): EnsembleWorld {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  world.start();
  world.until(() => [1, 2, 3, 4].every((sid) => world.isServing(sid)), 'four serve');
  const client = world.client(4);
  const reconfig = reconfigOf(client);
  reconfig('observer', '');
  assert.equal(client.take(), ['connected', 'reconfig ok']);
  world.until(() => world.member(1).peer.role?.phase === 'broadcast', '1 observes');
  assert.is(world.member(1).peer.role?.kind, 'observing');
  for (const sid of [1, 2, 3]) world.member(sid).isDiskHeld = sid < 3 || !isLoggedBy3;
  reconfig('participant', '3');
  for (const sid of [2, 3]) world.crash(sid);
  world.member(3).isDiskHeld = false;
  assert.is(world.member(1).peer.membership.next, null);
  world.until(() => world.leader === undefined, '4 leads no more');
  return world;
}

/** Lets a held disk do one task. */
function writeOne(world: EnsembleWorld, sid: number, what: string): void {
  const { work } = world.member(sid).disk;
  world.until(() => work.length > 0, what);
  work.shift()?.();
  world.settle();
}

function isInForce(world: EnsembleWorld): boolean {
  const { config, next } = world.member(1).peer.membership;
  return config.members.get(1)?.role === 'participant' && next === null;
}

test('an observer that a proposed reconfig makes a voter completes its quorum', () => {
  const world = proposedToObserver();
  world.start(3);
  writeOne(world, 1, 'the epoch that it promises');
  writeOne(world, 1, 'the file of the proposed membership');
  writeOne(world, 1, 'the reconfig');
  writeOne(world, 1, 'the epoch that it acks with NEWLEADER');
  assert.is(world.leader, 4, world.describe());
  world.pass(2000);
  assert.is(world.leader, 4, 'it waits until 1 has returned as a follower');
  world.member(1).isDiskHeld = false;
  world.until(() => [1, 4].every((sid) => world.isServing(sid)), 'a quorum serves');
  assert.ok(isInForce(world));
  assert.is(world.member(1).peer.role?.kind, 'following');
});

test('an observer that a proposed reconfig makes a voter follows before the commit', () => {
  const world = proposedToObserver();
  world.start(3);
  const { peer, notes } = world.member(1);
  writeOne(world, 1, 'the epoch that it promises');
  assert.not(peer.membership.next === null, 'NEWLEADER has the reconfig, and waits for its disk');
  world.crash(4);
  world.member(1).isDiskHeld = false;
  world.start(4);
  world.until(() => [1, 4].every((sid) => world.isServing(sid)), 'a quorum serves');
  assert.ok(isInForce(world));
  assert.is(peer.role?.kind, 'following');
  assert.not.match(notes.join('\n'), /becomes a participant/);
});

test('a member in sync keeps a proposed reconfig in its tree, for its next snapshot', () => {
  const world = proposedToObserver({ isLoggedBy3: true });
  world.start(3);
  writeOne(world, 1, 'the epoch that it promises');
  const { peer } = world.member(3);
  assert.is(peer.role?.phase, 'diff', 'it waits for UPTODATE');
  const { next } = peer.membership;
  assert.not(next === null);
  const text = peer.data.tree.dataAt('/zookeeper/config') ?? '';
  assert.match(text, `version=${next?.version.toString(16)}`);
});

test('a member that joins after a reconfig receives the next one while it is proposed', () => {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  world.start();
  world.until(() => [1, 2, 3, 4].every((sid) => world.isServing(sid)), 'four serve');
  for (const sid of [1, 4]) world.crash(sid);
  world.start(4);
  world.until(() => [2, 3, 4].every((sid) => world.isServing(sid)), 'three serve in a new epoch');
  const leader = world.leader ?? 0;
  const client = world.client(leader);
  const reconfig = (joiningServers: string, leavingServers: string) => {
    const asked = { joiningServers, leavingServers, newMembers: null, curConfigId: -1n };
    client.push(client.request(OpCode.reconfig, asked));
  };
  const { disk } = world.member(1);
  world.member(1).isDiskHeld = true;
  world.start(1);
  world.until(() => disk.work.length > 0, '1 is to promise the epoch');
  reconfig('server.1=127.0.0.1:2000:3000:participant;4999', '');
  assert.equal(client.take(), ['connected', 'reconfig ok']);
  const { membership } = world.member(leader).peer;
  const { version } = membership.config;
  const others = [2, 3, 4].filter((sid) => sid !== leader);
  for (const sid of others) world.member(sid).isDiskHeld = true;
  reconfig('', `${others[0]}`);
  world.member(1).isDiskHeld = false;
  world.until(() => world.isServing(1), 'it follows');
  const joined = world.member(1).peer.membership;
  assert.is(joined.config.version, version);
  assert.not(membership.next === null);
  assert.is(joined.next?.version, membership.next?.version);
  for (const sid of others) world.member(sid).isDiskHeld = false;
  world.pass(100);
  assert.equal(client.take(), ['reconfig ok']);
  assert.is(joined.next, null);
});

test('a member that becomes a voter with UPTODATE, and whose leader left, looks for another', () => {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  world.start();
  world.until(() => [1, 2, 3, 4].every((sid) => world.isServing(sid)), 'four serve');
  const client = world.client(4);
  const reconfig = reconfigOf(client);
  reconfig('observer', '');
  assert.equal(client.take(), ['connected', 'reconfig ok']);
  world.until(() => world.isServing(1), '1 observes');
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
  world.member(4).isDiskHeld = true;
  reconfig('participant', '3');
  for (const sid of [2, 4]) world.crash(sid);
  for (const sid of [1, 2, 4]) world.member(sid).isDiskHeld = false;
  world.start(2);
  world.until(() => isInForce(world), 'the reconfig of 3, which leaves by it');
  world.until(() => [1, 2].every((sid) => world.isServing(sid)), 'they serve without it');
  assert.match(
    world.member(1).notes.join('\n'),
    /stopped observing: this server becomes a participant/,
  );
  assert.match(world.member(3).notes.join('\n'), /stopped leading: server \d leads in the new/);
});

test('a snapshot of the leader ends a reconfig that was proposed in another history', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3, keptTxns: 1, maxLogBytes: -1 });
  world.start();
  world.allServe();
  const client = world.client(3);
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
  const leaving = { joiningServers: '', leavingServers: '1', newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, leaving));
  assert.not(world.member(3).peer.membership.next === null);
  for (const sid of [1, 2, 3]) world.crash(sid);
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = false;
  world.start(1, 2);
  world.until(() => world.isServing(1) && world.isServing(2), 'two serve');
  const other = world.client(1);
  for (const path of ['/a', '/b', '/c']) other.push(other.create(path));
  world.start(3);
  world.until(() => world.isServing(3), 'it follows');
  assert.match(world.member(2).notes.join('\n'), /server 3 .*by SNAP/);
  const { membership } = world.member(3).peer;
  assert.is(membership.config.members.size, 3);
  assert.is(membership.next, null);
});

test.run();
