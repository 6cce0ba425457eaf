/** The pure core, stepped: what leaves a server at which event, without a socket, disk or clock. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../src/protocol/op-code.js';
import { framed, handshake, type Peer, requestFrame, ServerWorld } from './server-world.js';

// ── handshake ──────────────────────────────────────────────────────────────────────────────────

test('a new session is told of when its txn is durable, not before', () => {
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

test('the answer ends in a readOnly byte only when the request did', () => {
  const world = new ServerWorld();
  const old = world.client({ hasReadOnlyByte: false });
  assert.is(old.session?.length, 36);
  assert.is(world.client().session?.length, 37);
  old.push(old.create('/a'));
  world.ackAll();
  assert.equal(old.take(), ['create ok']);
});

test('the timeout is held between 2 and 20 ticks', () => {
  const world = new ServerWorld();
  assert.is(world.client({ timeoutMs: 1 }).timeoutMs, 2000);
  assert.is(world.client({ timeoutMs: 1_000_000 }).timeoutMs, 20_000);
  assert.is(world.client({ timeoutMs: -5 }).timeoutMs, 2000);
});

test('requests that come behind the connect frame are answered behind its answer', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  const stream = Buffer.concat([
    handshake(),
    peer.create('/a'),
    peer.getData('/a'),
    peer.setData('/a', 0),
    peer.exists('/none'),
  ]);
  // Byte by byte, so that every split of every frame is met.
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

test('a client that has seen a later zxid is closed without a word', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake({ lastZxidSeen: 1n }));
  assert.equal(peer.take(), ['closed']);
  assert.is(peer.bytes.length, 0);
  assert.is(world.appends.length, 0);
});

test('a session that nobody knows is answered as expired, then closed', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake({ sessionId: 77n }));
  assert.equal(peer.take(), ['expired', 'closed']);
  assert.is(peer.timeoutMs, 0);
  assert.ok(peer.password.equals(Buffer.alloc(16)));
});

test('a wrong password is refused and does not hurt the owner', () => {
  const world = new ServerWorld();
  const owner = world.client();
  const thief = world.connect();
  thief.push(handshake({ sessionId: owner.sessionId, password: Buffer.alloc(16, 1) }));
  assert.equal(thief.take(), ['expired', 'closed']);
  owner.push(owner.ping());
  assert.equal(owner.take(), ['ping ok']);
});

test('a client that comes back takes its session over from its old connection', () => {
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
  assert.equal(before.take(), [], 'its watches went with it');
});

// ── group commit ───────────────────────────────────────────────────────────────────────────────

test('the writes of one turn are one append, and nothing is told or applied before its ack', () => {
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

test('what is not durable is not there for others', () => {
  const world = new ServerWorld();
  const [writer, reader] = [world.client(), world.client()];
  writer.push(writer.create('/a'));
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists NONODE']);
  world.ack();
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), ['exists ok']);
});

test('an ack answers the writes up to its zxid, and no later ones', () => {
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

test('a read waits for the writes of its own session, not for those of others', () => {
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

test('a sync waits for the writes of others that came before it', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  b.push(b.request(OpCode.sync, { path: '/' }));
  assert.equal(b.take(), ['sync ok'], 'nothing is on its way');
  a.push(a.create('/a'));
  b.push(Buffer.concat([b.request(OpCode.sync, { path: '/' }), b.exists('/a')]));
  a.push(a.create('/b'));
  assert.equal(b.take(), []);
  world.ack();
  assert.equal(b.take(), ['sync ok', 'exists ok']);
  world.ack();
});

test('two syncs, and one behind an own write, keep their order', () => {
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

test('writes are held against those on their way', () => {
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

test('a snapshot is asked for ahead of the append that makes it due', () => {
  const world = new ServerWorld({ settings: { snapCount: 4 } });
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

// ── sessions ───────────────────────────────────────────────────────────────────────────────────

test('a silent session expires, its ephemerals go, and its connection is closed', () => {
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

test('any packet keeps a session', () => {
  const world = new ServerWorld();
  const peer = world.client({ timeoutMs: 3000 });
  for (let i = 0; i < 20; i++) {
    world.clock(2000);
    peer.push(i % 2 === 0 ? peer.ping() : peer.exists('/'));
  }
  assert.is(world.appends.length, 0);
  assert.ok(peer.take().every((line) => line.endsWith(' ok')));
});

test('a session lives on without a connection until it expires', () => {
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

test('what comes between expiry and its txn is refused', () => {
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

test('closeSession answers what came before it, takes ephemerals along, then closes', () => {
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

test('an ephemeral that is deleted and made again on its way goes with its session', () => {
  const world = new ServerWorld();
  const [a, b] = [world.client(), world.client()];
  a.push(a.create('/e', 1));
  a.push(a.request(OpCode.delete, { path: '/e', version: -1 }));
  a.push(a.create('/e', 1));
  world.ack();
  a.push(a.request(OpCode.closeSession));
  // Prep must know that /e will be gone: the same name is free again for whoever comes next.
  b.push(b.create('/e', 1));
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'delete ok', 'create ok', 'closeSession ok', 'closed']);
  assert.equal(b.take(), ['create ok']);
});

// ── limits ─────────────────────────────────────────────────────────────────────────────────────

test('a connection that says nothing is closed after its time', () => {
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

test('maxClientCnxns counts by address, and a place that is left is free again', () => {
  const world = new ServerWorld({ maxClientCnxns: 2 });
  const first = world.connect('10.0.0.1');
  world.connect('10.0.0.1');
  assert.ok(world.connect('10.0.0.1').isClosed);
  assert.not(world.connect('10.0.0.2').isClosed);
  first.leave();
  assert.not(world.connect('10.0.0.1').isClosed);
  assert.ok(world.connect('10.0.0.1').isClosed);
});

test('maxCnxns counts all of them', () => {
  const world = new ServerWorld({ maxCnxns: 2 });
  world.connect('10.0.0.1');
  world.connect('10.0.0.2');
  assert.ok(world.connect('10.0.0.3').isClosed);
});

test('a client that floods is paused, and read on when half is done', () => {
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

// ── words ──────────────────────────────────────────────────────────────────────────────────────

test('a word is known by the first four bytes, however they come', () => {
  for (let at = 1; at < 4; at++) {
    const world = new ServerWorld();
    const peer = world.connect();
    peer.push(Buffer.from('ruok').subarray(0, at));
    assert.is(peer.bytes.length, 0);
    peer.push(Buffer.from('ruok\n').subarray(at));
    assert.is(peer.bytes.toString(), 'imok');
    assert.ok(peer.isClosed);
  }
});

test('a word that is not on the whitelist is refused by name', () => {
  const world = new ServerWorld({ whitelist: 'srvr' });
  const peer = world.connect();
  peer.push(Buffer.from('ruok'));
  assert.is(peer.bytes.toString(), 'ruok is not executed because it is not in the whitelist.\n');
  assert.ok(peer.isClosed);
  const allowed = world.connect();
  allowed.push(Buffer.from('srvr'));
  assert.match(allowed.bytes.toString(), 'Mode: standalone');
});

test('a word in a later frame is no word', () => {
  const world = new ServerWorld();
  const peer = world.client();
  peer.push(Buffer.from('ruok'));
  assert.equal(peer.take(), ['closed'], 'its letters are a length beyond the limit');
});

// ── bad input ──────────────────────────────────────────────────────────────────────────────────

function int(value: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const UNFINISHED_AUTH = requestFrame(-4, OpCode.auth, int(0));

/** What a client sends on a fresh connection, and what comes of it. */
const BAD_OPENINGS: readonly (readonly [what: string, bytes: Buffer, lines: string[]])[] = [
  ['a negative length', int(-1), ['closed']],
  ['the smallest length', int(-2_147_483_648), ['closed']],
  ['a huge length', int(2_147_483_647), ['closed']],
  ['a length one above the limit', int(4097), ['closed']],
  ['letters that are no word', Buffer.from('GET / HTTP/1.1\r\n\r\n'), ['closed']],
  ['an empty frame', int(0), ['closed']],
  ['a request before the handshake', requestFrame(1, OpCode.getChildren), ['closed']],
  ['a connect request cut short', framed(handshake().subarray(4, 30)), ['closed']],
  [
    'a connect request whose password has no end',
    framed(Buffer.concat([handshake().subarray(4, 28), int(1_000_000)])),
    ['closed'],
  ],
  [
    'an auth packet cut short, behind the connect frame',
    Buffer.concat([handshake(), UNFINISHED_AUTH]),
    ['connected', 'closed'],
  ],
  [
    'a header cut short, behind the connect frame',
    Buffer.concat([handshake(), framed(int(1))]),
    ['connected', 'closed'],
  ],
  [
    'a huge length behind the connect frame',
    Buffer.concat([handshake(), int(1 << 30)]),
    ['closed'],
  ],
];

for (const [what, bytes, lines] of BAD_OPENINGS) {
  test(`${what}: ${lines.join(', ')}; others are served on`, () => {
    const world = new ServerWorld();
    const other = world.client();
    const peer = world.connect();
    peer.push(bytes);
    world.ackAll();
    assert.equal(peer.take(), lines);
    checkServed(world, other);
  });
}

/** What a client with a session sends, and what comes of it. */
const BAD_REQUESTS: readonly (readonly [
  what: string,
  send: (peer: Peer) => Buffer,
  lines: string[],
])[] = [
  ['a negative length', () => int(-1), ['closed']],
  ['a huge length', () => int(0x7fff_ffff), ['closed']],
  ['an empty frame', () => int(0), ['closed']],
  ['half a header', () => framed(int(1)), ['closed']],
  ['an unknown operation', (peer) => peer.request(999), ['999 UNIMPLEMENTED', 'closed']],
  ['check alone', (peer) => peer.request(OpCode.check, CHECK), ['check UNIMPLEMENTED', 'closed']],
  [
    'an operation of servers alone',
    (peer) => peer.request(OpCode.deleteContainer),
    ['deleteContainer UNIMPLEMENTED', 'closed'],
  ],
  ['auth cut short', () => UNFINISHED_AUTH, ['closed']],
  [
    'a scheme that no server knows',
    (peer) => peer.request(OpCode.auth, { type: 0, scheme: 'magic', auth: null }),
    ['auth AUTHFAILED', 'closed'],
  ],
  ['a read without a body', (peer) => peer.bare(OpCode.getData), ['getData MARSHALLINGERROR']],
  ['a write without a body', (peer) => peer.bare(OpCode.create), ['create MARSHALLINGERROR']],
  ['a multi without an end', (peer) => peer.bare(OpCode.multi), ['multi MARSHALLINGERROR']],
  [
    'setWatches without a body',
    (peer) => peer.bare(OpCode.setWatches),
    ['setWatches MARSHALLINGERROR'],
  ],
];

const CHECK = { path: '/', version: -1 };

for (const [what, send, lines] of BAD_REQUESTS) {
  test(`${what}: ${lines.join(', ')}; others are served on`, () => {
    const world = new ServerWorld();
    const [other, peer] = [world.client(), world.client()];
    peer.push(send(peer));
    world.ackAll();
    assert.equal(peer.take(), lines);
    if (!peer.isClosed) checkServed(world, peer);
    checkServed(world, other);
  });
}

function checkServed(world: ServerWorld, peer: Peer): void {
  peer.take();
  peer.push(Buffer.concat([peer.create('/ok-'.concat(String(peer.id))), peer.ping()]));
  world.ackAll();
  assert.equal(peer.take(), ['create ok', 'ping ok']);
}

test.run();
