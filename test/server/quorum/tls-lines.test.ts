import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { formatQuorumConfig } from '../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../sim/shape.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// The lines of 3.10 name the TLS port of a member after its client port, or instead of it. The
// bytes follow QuorumServer.toString, QuorumPacket, and Notification of Apache's trunk.

const FOLLOWERINFO = 11;
const ACKEPOCH = 18;
const NEWLEADER = 10;
const PROPOSAL = 2;
const LOOKING = 0;
const PRESENT = 0x1_0000_0000n;
const NEXT = 0x2_0000_0000n;

const PLAIN = [1, 2, 3].map(
  (sid) => `server.${sid}=127.0.0.${sid}:${1999 + sid}:${2999 + sid}:participant;0.0.0.0:2181`,
);
const SECURE = [
  'server.1=127.0.0.1:2000:3000:participant;0.0.0.0:2181;0.0.0.0:2281',
  'server.2=127.0.0.2:2001:3001:participant;;127.0.0.2:2281',
  'server.3=127.0.0.3:2002:3002:participant;0.0.0.0:2181',
];

const textOf = (lines: readonly string[], version: bigint): string =>
  [...lines, `version=${version.toString(16)}`].join('\n');
const NEXT_TEXT = textOf(SECURE, NEXT);

function packet(type: number, zxid: bigint, data: Uint8Array | null): Buffer {
  return new ByteBuilder().int(type).long(zxid).buffer(data).int(-1).build();
}

/** Three members, of which those in `next` know the lines with TLS ports. */
function makeWorld(next: readonly number[]): EnsembleWorld {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  for (const sid of [1, 2, 3]) {
    const text = next.includes(sid) ? NEXT_TEXT : textOf(PLAIN, PRESENT);
    world.member(sid).disk.config = parse(text);
  }
  return world;
}

function configOf(world: EnsembleWorld, sid: number): string {
  return formatQuorumConfig(world.member(sid).peer.membership.config);
}

/** A learner that the test plays; returns all bytes that the leader has sent. */
function learn(world: EnsembleWorld, sid: number): () => Buffer {
  const received: Buffer[] = [];
  const link = world.link(3, (bytes) => {
    if (bytes !== null) received.push(Buffer.from(bytes));
  });
  const info = new ByteBuilder().long(BigInt(sid)).int(0x10000).long(0n).build();
  link.push(packet(FOLLOWERINFO, 0n, info));
  link.push(packet(ACKEPOCH, 0n, new ByteBuilder().int(0).build()));
  world.pass(50);
  return () => Buffer.concat(received);
}

test('the lines are in NEWLEADER, and learners take them from there', () => {
  const world = makeWorld([3]);
  world.start(2, 3);
  world.until(() => world.isServing(2) && world.isServing(3), 'two serve');
  assert.is(world.leader, 3);
  const received = learn(world, 1);
  const epoch = BigInt(world.member(3).peer.currentEpoch);
  const expected = packet(NEWLEADER, epoch << 32n, Buffer.from(NEXT_TEXT));
  assert.ok(received().includes(expected), received().toString('latin1'));
  assert.is(configOf(world, 2), NEXT_TEXT);
  assert.is(formatQuorumConfig(world.member(2).disk.config ?? parse('')), NEXT_TEXT);
});

test('a reconfig changes them, in the proposal and in every member', () => {
  const world = makeWorld([1, 2, 3]);
  world.start(2, 3);
  world.until(() => world.isServing(2) && world.isServing(3), 'two serve');
  const received = learn(world, 1);
  const client = world.client(2);
  const joiningServers = '2=127.0.0.2:2001:3001:participant;2182;127.0.0.2:2282';
  const asked = { joiningServers, leavingServers: '', newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, asked));
  world.pass(500);
  assert.equal(client.take(), ['connected', 'reconfig ok']);
  const lines = [...SECURE];
  lines[1] = 'server.2=127.0.0.2:2001:3001:participant;0.0.0.0:2182;127.0.0.2:2282';
  const { lastProcessedZxid } = world.member(3).peer.data.tree;
  const text = textOf(lines, lastProcessedZxid);
  assert.is(configOf(world, 3), text);
  assert.is(configOf(world, 2), text);
  const txn = new ByteBuilder().string('/zookeeper/config').string(text).int(-1).build();
  assert.ok(received().includes(new ByteBuilder().int(PROPOSAL).long(lastProcessedZxid).build()));
  assert.ok(received().includes(txn), received().toString('latin1'));
});

test('they are in notifications, and a member that looks for a leader takes them', () => {
  const world = makeWorld([]);
  world.start(1);
  const vote = new ByteBuilder().int(LOOKING).long(2n).long(0n).long(1n).long(0n);
  const frame = vote.int(2).string(NEXT_TEXT).build();
  world.member(1).peer.step({ kind: 'notified', sid: 2, frame });
  world.pass(200);
  assert.is(configOf(world, 1), NEXT_TEXT);
  assert.is(formatQuorumConfig(world.member(1).disk.config ?? parse('')), NEXT_TEXT);
});

test.run();
