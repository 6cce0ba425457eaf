import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTxn } from '../../../src/files/txn.js';
import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { SetDataRequest } from '../../../src/protocol/proto.js';
import { STAGES } from '../../../src/server/quorum/leading/learners.js';
import { PacketType } from '../../../src/server/quorum/wire/quorum-packet.js';
import type { Peer } from '../server-peer.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';
import { HandLink } from './worlds/hand-link.js';

// Packets from a stranger to the quorum port of a leader, at every stage.

function serving(): EnsembleWorld {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.is(world.leader, 3);
  return world;
}

/** Each stage, and the packets that it accepts. */
const TAKEN: readonly (readonly [stage: string, packets: string])[] = [
  ['new', 'FOLLOWERINFO OBSERVERINFO'],
  ['registered', ''],
  ['informed', 'ACKEPOCH'],
  ['acked', ''],
  ['searching', ''],
  ['streaming', 'PING'],
  ['syncing', 'ACK PING'],
  ['synced', 'ACK PING'],
  ['active', 'REQUEST ACK PING REVALIDATE PREPARE_HANDOVER KEEPER_DIALECT LEADERSHIP_REQUEST'],
];

test('each packet is accepted in its stages and ends the link in all others', () => {
  const world = serving();
  assert.equal(
    TAKEN.map(([stage]) => stage),
    [...STAGES],
  );
  for (const stage of STAGES) {
    const taken: string[] = [];
    for (const [name, type] of [...Object.entries(PacketType), ['of type 77', 77] as const]) {
      const link = new HandLink(world);
      const { handler } = link;
      if (handler === undefined) throw new Error('the leader does not know the link');
      // A handler refuses to skip a part of its history.
      Reflect.set(handler, 'currentStage', stage);
      const { notes } = world.member(3);
      notes.length = 0;
      link.say(type);
      if (!notes.some((note) => /: unexpected packet/.test(note))) taken.push(name);
      else assert.ok(link.isClosed);
      // Strangers do not fill the log: the next warning comes after a minute.
      if (taken.at(-1) !== name) world.pass(10_000);
    }
    assert.is(taken.join(' '), TAKEN.find(([other]) => other === stage)?.[1], stage);
  }
});

const SUPER_ONLY = [{ perms: Perms.ALL, id: { scheme: 'digest', id: 'nobody:x' } }];

/** A znode that only a superuser may write. */
function createProtected(client: Peer): void {
  const request = { path: '/kept', data: Buffer.from('kept'), acl: SUPER_ONLY, flags: 0 };
  client.push(client.request(OpCode.create, request));
  assert.equal(client.take(), ['connected', 'create ok']);
}

function dataOf(world: EnsembleWorld): unknown {
  return world.member(3).peer.data.tree.dataAt('/kept');
}

const FORGED = SetDataRequest.encode({ path: '/kept', data: Buffer.from('forged'), version: -1 });
const SUPER = [{ scheme: 'super', id: '' }];

test('a request without a handshake changes nothing, not even with the super id', () => {
  const world = serving();
  const client = world.client(1);
  createProtected(client);
  for (const sid of [null, 1, 9]) {
    const link = new HandLink(world);
    if (sid !== null) link.introduce(sid);
    link.revalidate(client.sessionId);
    link.request(client.sessionId, 77, OpCode.setData, FORGED, SUPER);
    assert.ok(link.isClosed);
  }
  assert.is(dataOf(world), 'kept');
});

test('a link without a handshake cannot end a session', () => {
  const world = serving();
  const client = world.client(1);
  client.push(client.create('/mine', 1));
  const link = new HandLink(world);
  link.revalidate(client.sessionId);
  link.request(client.sessionId, 77, OpCode.closeSession, Buffer.alloc(0), []);
  client.push(client.exists('/mine'));
  assert.equal(client.take(), ['connected', 'create ok', 'exists ok']);
});

test('a server outside the membership cannot claim a superuser, but a member can', () => {
  for (const [sid, expected] of [
    [9, 'kept'],
    [1, 'forged'],
  ] as const) {
    const world = serving();
    createProtected(world.client(2));
    if (sid === 1) world.crash(1);
    const link = new HandLink(world);
    link.join(sid);
    assert.ok(link.has(PacketType.UPTODATE));
    link.request(0x900n, 0, OpCode.createSession, Buffer.alloc(4), []);
    link.request(0x900n, 1, OpCode.setData, FORGED, SUPER);
    assert.is(dataOf(world), expected);
  }
});

/** The errors that the leader proposed since then. */
function errorsIn(link: HandLink): number[] {
  const found: number[] = [];
  for (const { type, data } of link.sent) {
    if (type !== PacketType.PROPOSAL || data === null) continue;
    const { txn } = readTxn(data);
    if (txn.type === OpCode.error) found.push(txn.err);
  }
  return found;
}

test('a session of another server is neither used nor created again', () => {
  const world = serving();
  const client = world.client(2);
  client.push(client.create('/mine', 1));
  const link = new HandLink(world);
  link.join(9);
  link.request(client.sessionId, 5, OpCode.setData, FORGED, []);
  link.request(client.sessionId, 0, OpCode.createSession, Buffer.alloc(4), []);
  assert.equal(errorsIn(link), Array(2).fill(ErrorCode.SESSIONMOVED));
  client.push(client.create('/more'));
  assert.equal(client.take(), ['connected', 'create ok', 'create ok']);
});

test("a session that another server has can be closed, as by Apache's leader", () => {
  const world = serving();
  const client = world.client(2);
  const link = new HandLink(world);
  link.join(9);
  link.request(client.sessionId, 6, OpCode.closeSession, Buffer.alloc(0), []);
  assert.equal(errorsIn(link), []);
  assert.equal(client.take(), ['connected', 'closed']);
});

test('no session gets the id that marks persistent znodes or containers', () => {
  const world = serving();
  const link = new HandLink(world);
  link.join(9);
  for (const id of [0n, 1n << 63n]) {
    link.request(id, 0, OpCode.createSession, Buffer.alloc(4), []);
  }
  assert.equal(errorsIn(link), Array(2).fill(ErrorCode.SESSIONMOVED));
});

test('a session that a learner opens or takes over with a negative timeout expires', () => {
  const world = serving();
  const link = new HandLink(world);
  link.isAnswering = true;
  link.join(9);
  const timeout = Buffer.alloc(4);
  timeout.writeInt32BE(-0x8000_0000);
  link.request(0x900n, 0, OpCode.createSession, timeout, []);
  const client = world.client(2);
  link.revalidate(client.sessionId, -5);
  const { sessions } = world.member(3).peer.server.state;
  for (const id of [0x900n, client.sessionId]) assert.ok((sessions.get(id)?.timeoutMs ?? 0) > 0);
  world.until(() => sessions.size === 0, 'they expire');
});

test("a link that claims the leader's own number, or a negative one, is refused", () => {
  const world = serving();
  const client = world.client(3);
  client.push(client.create('/a'));
  for (const sid of [3, -1]) {
    const link = new HandLink(world);
    const bystander = new HandLink(world);
    link.introduce(sid);
    assert.ok(link.isClosed);
    assert.not(bystander.isClosed);
  }
});

test('the ids of a packet are limited in total to the limit for its data', () => {
  const world = serving();
  const link = new HandLink(world);
  link.join(9);
  const head = Buffer.alloc(20);
  head.writeInt32BE(PacketType.PING);
  head.writeInt32BE(-1, 12);
  head.writeInt32BE(4, 16);
  const id = Buffer.alloc(4 + (1 << 20) - 100);
  id.writeInt32BE(id.length - 4);
  link.push(Buffer.concat([head, id]));
  assert.not(link.isClosed);
  link.push(id);
  assert.ok(link.isClosed);
});

test.run();
