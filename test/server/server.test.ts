/** The core, stepped: which event releases which effect, without a socket, disk, or clock. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { handshake, type Peer } from './server-peer.js';
import { ServerWorld } from './server-world.js';

// ── handshake ──────────────────────────────────────────────────────────────────────────────────

test('the response to a new session waits until its txn is durable', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake());
  assert.is(world.appends.length, 1);
  assert.equal(peer.take(), []);
  world.ack();
  assert.equal(peer.take(), ['connected']);
  assert.is(peer.timeoutMs, 5000);
  assert.is(peer.password.length, 16);
});

test('the response has a readOnly byte only when the request had one', () => {
  const world = new ServerWorld();
  const old = world.client({ hasReadOnlyByte: false });
  assert.is(old.session?.length, 36);
  assert.is(world.client().session?.length, 37);
  old.push(old.create('/a'));
  world.ackAll();
  assert.equal(old.take(), ['create ok']);
});

test('the timeout is limited to 2 to 20 ticks', () => {
  const world = new ServerWorld();
  assert.is(world.client({ timeoutMs: 1 }).timeoutMs, 2000);
  assert.is(world.client({ timeoutMs: 1_000_000 }).timeoutMs, 20_000);
  assert.is(world.client({ timeoutMs: -5 }).timeoutMs, 2000);
});

test('requests in the same packet as the connect frame are answered after it', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  const stream = Buffer.concat([
    handshake(),
    peer.create('/a'),
    peer.getData('/a'),
    peer.setData('/a', 0),
    peer.exists('/none'),
  ]);
  // Byte by byte, to cover every split of every frame.
  for (const byte of stream) peer.push(Buffer.from([byte]));
  world.ackAll();
  assert.equal(peer.take(), [
    'connected',
    'create ok',
    'getData ok',
    'setData ok',
    'exists NONODE',
  ]);
});

test('a client that has seen a later zxid is closed without a response', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake({ lastZxidSeen: 1n }));
  assert.equal(peer.take(), ['closed']);
  assert.is(peer.bytes.length, 0);
  assert.is(world.appends.length, 0);
});

test('an unknown session is answered as expired, then closed', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake({ sessionId: 77n }));
  assert.equal(peer.take(), ['expired', 'closed']);
  assert.is(peer.timeoutMs, 0);
  assert.ok(peer.password.equals(Buffer.alloc(16)));
});

test('a wrong password is refused and does not affect the owner', () => {
  const world = new ServerWorld();
  const owner = world.client();
  const thief = world.connect();
  thief.push(handshake({ sessionId: owner.sessionId, password: Buffer.alloc(16, 1) }));
  assert.equal(thief.take(), ['expired', 'closed']);
  owner.push(owner.ping());
  assert.equal(owner.take(), ['ping ok']);
});

test('a client that reconnects moves its session from the old connection', () => {
  const world = new ServerWorld();
  const before = world.client();
  before.push(before.exists('/a', true));
  before.take();
  const after = world.connect();
  after.push(handshake({ sessionId: before.sessionId, password: before.password }));
  assert.equal(before.take(), ['closed']);
  assert.equal(after.take(), ['connected'], 'without a txn');
  assert.is(after.sessionId, before.sessionId);
  after.push(after.create('/a', 1));
  world.ackAll();
  assert.equal(after.take(), ['create ok']);
  assert.equal(before.take(), [], 'its watches are gone');
});

// ── group commit ───────────────────────────────────────────────────────────────────────────────

test('the writes of one turn are one append, and nothing is answered or applied before its ack', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  a.step(Buffer.concat([a.create('/a'), a.setData('/a')]));
  b.step(b.create('/b'));
  const effects = world.drain();
  assert.equal(
    effects.map(({ kind }) => kind),
    ['append'],
  );
  const reader = world.client();
  assert.equal([...a.take(), ...b.take()], ['create ok', 'setData ok', 'create ok']);
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists ok']);
});

test('other sessions do not see a write before it is durable', () => {
  const world = new ServerWorld();
  const [writer, reader] = [world.client(), world.client()];
  writer.push(writer.create('/a'));
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists NONODE']);
  world.ack();
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists ok']);
});

test('an ack answers the writes up to its zxid only', () => {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(peer.create('/a'));
  peer.push(peer.create('/b'));
  assert.is(world.appends.length, 2);
  world.ack();
  assert.equal(peer.take(), ['create ok']);
  world.ack();
  assert.equal(peer.take(), ['create ok']);
});

test('a read waits for writes of its own session only', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  a.push(Buffer.concat([a.create('/a'), a.getData('/a'), a.ping()]));
  b.push(b.exists('/a'));
  assert.equal(a.take(), []);
  assert.equal(b.take(), ['exists NONODE']);
  world.ack();
  assert.equal(a.take(), ['create ok', 'getData ok', 'ping ok']);
});

test('all replies of a turn to one client leave in one write', () => {
  const world = new ServerWorld();
  const peer = world.client();
  const before = peer.writes;
  peer.push(Buffer.concat([peer.exists('/a'), peer.exists('/b'), peer.ping()]));
  assert.is(peer.writes, before + 1);
  assert.is(peer.take().length, 3);
});

test('a sync waits for earlier writes of other sessions', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  b.push(b.request(OpCode.sync, { path: '/' }));
  assert.equal(b.take(), ['sync ok'], 'no write is in flight');
  a.push(a.create('/a'));
  b.push(Buffer.concat([b.request(OpCode.sync, { path: '/' }), b.exists('/a')]));
  a.push(a.create('/b'));
  assert.equal(b.take(), []);
  world.ack();
  assert.equal(b.take(), ['sync ok', 'exists ok']);
  world.ack();
});

test('two syncs, and one after a write of the same session, keep their order', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  const sync = (peer: Peer) => peer.request(OpCode.sync, { path: '/' });
  a.push(a.create('/a'));
  b.push(Buffer.concat([sync(b), b.create('/b'), sync(b), sync(b), b.exists('/b')]));
  world.ack();
  assert.equal(b.take(), ['sync ok']);
  world.ack();
  assert.equal(b.take(), ['create ok', 'sync ok', 'sync ok', 'exists ok']);
});

test('writes are checked against writes in flight', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  a.step(Buffer.concat([a.create('/a'), a.setData('/a', 0), a.create('/a/b')]));
  b.step(Buffer.concat([b.setData('/a', 0), b.setData('/a', 1), b.create('/a')]));
  b.step(b.request(OpCode.delete, { path: '/a', version: -1 }));
  world.drain();
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'setData ok', 'create ok']);
  assert.equal(b.take(), [
    'setData BADVERSION',
    'setData ok',
    'create NODEEXISTS',
    'delete NOTEMPTY',
  ]);
});

test('a watch event precedes the reply of the write that fires it, with its zxid', () => {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(peer.exists('/a', true));
  peer.push(Buffer.concat([peer.create('/a'), peer.getData('/a')]));
  world.ackAll();
  assert.equal(peer.take(), [
    'exists NONODE',
    'event NodeCreated /a at 2',
    'create ok',
    'getData ok',
  ]);
});

test('a snapshot starts before the append that makes it due', () => {
  const world = new ServerWorld({ snapCount: 4 });
  const peer = world.client();
  for (let i = 0; i < 12; i++) {
    peer.push(peer.create(`/n${i}`));
    world.ackAll();
  }
  const kinds = world.effects.map(({ kind }) => kind).filter((kind) => kind !== 'send');
  assert.ok(kinds.filter((kind) => kind === 'snapshot').length >= 3);
  for (const [i, kind] of kinds.entries()) {
    if (kind === 'snapshot') assert.is(kinds[i + 1], 'append');
  }
});

test.run();
