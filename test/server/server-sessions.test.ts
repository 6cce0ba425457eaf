/** Session ends, and limits that protect clients from each other. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { handshake } from './server-peer.js';
import { ServerWorld } from './server-world.js';

// ── sessions ───────────────────────────────────────────────────────────────────────────────────

test('a silent session expires, its ephemerals are deleted, and its connection closes', () => {
  const world = new ServerWorld();
  const silent = world.client({ timeoutMs: 3000 });
  const watcher = world.client({ timeoutMs: 20_000 });
  silent.push(silent.create('/e', 1));
  world.ackAll();
  watcher.push(watcher.exists('/e', true));
  silent.take();
  watcher.take();
  world.clock(3000);
  assert.is(world.appends.length, 0, 'not before its time');
  world.clock(1000);
  assert.is(world.appends.length, 1, 'rounded up to the next tick');
  assert.equal(watcher.take(), [], 'not before it is durable');
  world.ack();
  assert.equal(silent.take(), ['closed']);
  assert.match(watcher.take().join(), 'event NodeDeleted /e');
  const back = world.connect();
  back.push(handshake({ sessionId: silent.sessionId, password: silent.password }));
  assert.equal(back.take(), ['expired', 'closed']);
});

test('any packet keeps a session alive', () => {
  const world = new ServerWorld();
  const peer = world.client({ timeoutMs: 3000 });
  for (let i = 0; i < 20; i++) {
    world.clock(2000);
    peer.push(i % 2 === 0 ? peer.ping() : peer.exists('/'));
  }
  assert.is(world.appends.length, 0);
  assert.ok(peer.take().every((line) => line.endsWith(' ok')));
});

test('a session survives without a connection until it expires', () => {
  const world = new ServerWorld();
  const peer = world.client({ timeoutMs: 4000 });
  peer.push(peer.create('/e', 1));
  world.ackAll();
  peer.leave();
  world.clock(3000);
  const back = world.connect();
  back.push(handshake({ sessionId: peer.sessionId, password: peer.password }));
  assert.equal(back.take(), ['connected']);
  back.leave();
  world.clock(6000);
  world.ackAll();
  const reader = world.client();
  reader.push(reader.exists('/e'));
  assert.equal(reader.take(), ['exists NONODE']);
});

test('requests between expiry and its txn are refused', () => {
  const world = new ServerWorld();
  const peer = world.client({ timeoutMs: 2000 });
  world.clock(3000);
  assert.is(world.appends.length, 1);
  peer.push(Buffer.concat([peer.exists('/'), peer.create('/a')]));
  assert.equal(peer.take(), ['exists SESSIONEXPIRED']);
  world.ackAll();
  assert.equal(peer.take(), ['closed']);
  const reader = world.client();
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists NONODE']);
});

test('closeSession answers earlier requests, deletes ephemerals, then closes', () => {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(
    Buffer.concat([
      peer.create('/e', 1),
      peer.getData('/e'),
      peer.request(OpCode.closeSession),
      peer.create('/late'),
      peer.exists('/'),
    ]),
  );
  world.ackAll();
  assert.equal(peer.take(), ['create ok', 'getData ok', 'closeSession ok', 'closed']);
  const reader = world.client();
  reader.push(Buffer.concat([reader.exists('/e'), reader.exists('/late')]));
  assert.equal(reader.take(), ['exists NONODE', 'exists NONODE']);
});

test('an ephemeral deleted and re-created in flight is deleted with its session', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  a.push(a.create('/e', 1));
  a.push(a.request(OpCode.delete, { path: '/e', version: -1 }));
  a.push(a.create('/e', 1));
  world.ack();
  a.push(a.request(OpCode.closeSession));
  // Prep must know that /e will be deleted, so that another session can create it.
  b.push(b.create('/e', 1));
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'delete ok', 'create ok', 'closeSession ok', 'closed']);
  assert.equal(b.take(), ['create ok']);
});

// ── limits ─────────────────────────────────────────────────────────────────────────────────────

test('a silent connection is closed after its timeout', () => {
  const world = new ServerWorld();
  const open = world.client({ timeoutMs: 20_000 });
  const [silent, half] = [world.connect(), world.connect()];
  half.push(handshake().subarray(0, 20));
  world.clock(9000);
  open.push(open.ping());
  assert.not(silent.isClosed);
  world.clock(2000);
  assert.ok(silent.isClosed);
  assert.ok(half.isClosed);
  open.push(open.ping());
  assert.equal(open.take(), ['ping ok', 'ping ok']);
});

test('maxClientCnxns counts by address, and a closed connection frees its place', () => {
  const world = new ServerWorld({ maxClientCnxns: 2 });
  const first = world.connect('10.0.0.1');
  world.connect('10.0.0.1');
  assert.ok(world.connect('10.0.0.1').isClosed);
  assert.not(world.connect('10.0.0.2').isClosed);
  first.leave();
  assert.not(world.connect('10.0.0.1').isClosed);
  assert.ok(world.connect('10.0.0.1').isClosed);
});

test('maxCnxns counts all connections', () => {
  const world = new ServerWorld({ maxCnxns: 2 });
  world.connect('10.0.0.1');
  world.connect('10.0.0.2');
  assert.ok(world.connect('10.0.0.3').isClosed);
});

test('a client that floods is paused, and resumed when half of its requests are done', () => {
  const world = new ServerWorld({ settings: { globalOutstandingLimit: 10 } });
  const [flood, calm] = [world.client(), world.client()];
  for (let i = 0; i < 12; i++) flood.push(flood.create(`/n${i}`));
  assert.ok(flood.isPaused);
  calm.push(calm.exists('/'));
  assert.equal(calm.take(), ['exists ok']);
  while (world.appends.length > 5) world.ack();
  assert.not(flood.isPaused);
  world.ackAll();
  assert.is(flood.take().length, 12);
});

test('a paused client resumes however full other clients keep the pipeline', () => {
  const world = new ServerWorld({ settings: { globalOutstandingLimit: 10 } });
  const [busy, late] = [world.client(), world.client()];
  for (let i = 0; i < 10; i++) busy.push(busy.create(`/n${i}`));
  late.push(late.create('/late'));
  assert.ok(late.isPaused);
  world.ack();
  while (late.take().length === 0) {
    assert.ok(late.isPaused);
    world.ack();
    busy.push(busy.create(`/m${world.effects.length}`));
    assert.not(busy.isPaused);
  }
  assert.not(late.isPaused);
});

test.run();
