/** Packets from other servers and from strangers in their name: each limit is reported by name. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mntr } from '../../../src/fourlw/mntr.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import type { Id } from '../../../src/protocol/data.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { Outbox } from '../../../src/server/quorum/election/fast-leader-election.js';
import { PacketType, writePacket } from '../../../src/server/quorum/wire/quorum-packet.js';
import { frameOf } from '../quorum/worlds/election-world.js';
import { EnsembleWorld } from '../quorum/worlds/ensemble-world.js';
import { HandLink } from '../quorum/worlds/hand-link.js';

function serving(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.is(world.leader, 3);
  return world;
}

function exceededAt(world: EnsembleWorld, sid: number): string[] {
  const answer = mntr.render(world.member(sid).peer.view);
  const found = answer.matchAll(/zk_(\w+)_limit_exceeded_count\t(\d+)/g);
  return [...found].map(([, name, times]) => `${name} ${times}`);
}

/** The start of a packet whose data has this many bytes. */
function announcing(length: number): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32BE(PacketType.PROPOSAL);
  head.writeInt32BE(length, 12);
  return head;
}

function withIds(ids: readonly Id[]): Buffer {
  const out = new OutputArchive();
  writePacket(out, PacketType.REQUEST, -1n, Buffer.alloc(0), ids);
  return out.take();
}

function idsOf(count: number, length: number): Id[] {
  return Array.from({ length: count }, () => ({ scheme: 'x', id: 'x'.repeat(length) }));
}

const PACKETS: readonly (readonly [limit: string, isJoined: boolean, bytes: Buffer])[] = [
  ['unprovenPacketLength', false, announcing(LIMITS.unprovenPacketLength.value + 1)],
  ['peerPacketLength', true, announcing(LIMITS.peerPacketLength.value + 1)],
  ['forwardedAuthIds', true, withIds(idsOf(LIMITS.forwardedAuthIds.value + 1, 1))],
  ['forwardedAuthBytes', true, withIds(idsOf(2, LIMITS.forwardedAuthBytes.value / 2))],
];

for (const [limit, isJoined, bytes] of PACKETS) {
  test(`a packet of a learner above ${limit} ends its link and is reported`, () => {
    const world = serving();
    const link = new HandLink(world);
    if (isJoined) link.join(9);
    assert.not(link.isClosed);
    link.push(bytes);
    assert.ok(link.isClosed);
    assert.equal(exceededAt(world, 3), [`${limit} 1`]);
  });
}

test('above the limit of unsynced links the least advanced one is closed', () => {
  const world = serving();
  const links: HandLink[] = [];
  for (let sid = 0; sid <= LIMITS.unprovenLinks.value; sid++) {
    const link = new HandLink(world);
    // All but the second have sent their id.
    if (sid !== 1) link.introduce(100 + sid);
    links.push(link);
  }
  assert.equal(exceededAt(world, 3), ['unprovenLinks 1']);
  assert.equal(
    links.map(({ isClosed }, index) => (isClosed ? index : -1)).filter((index) => index >= 0),
    [1],
  );
});

test('an invalid length is damage, not an exceeded limit', () => {
  for (const bytes of [announcing(-2), announcing(LIMITS.unprovenPacketLength.value)]) {
    const world = serving();
    new HandLink(world).push(bytes);
    assert.equal(exceededAt(world, 3), []);
  }
});

test('a packet of the leader that is too long is reported by its follower', () => {
  const world = serving();
  const bytes = announcing(LIMITS.peerPacketLength.value + 1);
  world.member(1).peer.step({ kind: 'link-received', link: -1, bytes });
  assert.equal(exceededAt(world, 1), ['peerPacketLength 1']);
});

test('above the limit, a server without a vote is not answered but reported', () => {
  const exceeded: string[] = [];
  const outbox = new Outbox({
    sid: 1,
    exceeded: (limit, from) => exceeded.push(`${limit} ${from}`),
  });
  const count = LIMITS.electionAskers.value;
  for (let i = 0; i < count; i++) assert.ok(outbox.addAsker(10 + i));
  assert.not(outbox.addAsker(10));
  assert.equal(exceeded, []);
  assert.not(outbox.addAsker(9999));
  assert.equal(exceeded, ['electionAskers server 9999']);
});

test('a member that looks for a leader reports a crowd of askers', () => {
  const world = new EnsembleWorld(3);
  world.start(1);
  const { peer } = world.member(1);
  for (let sid = 10; sid <= 10 + LIMITS.electionAskers.value; sid++) {
    peer.step({ kind: 'notified', sid, frame: frameOf('looking', { leader: sid }) });
  }
  assert.equal(exceededAt(world, 1), ['electionAskers 1']);
});

test.run();
