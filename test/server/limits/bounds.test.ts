/** How much memory and work one client can make the server spend. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { handshake, type Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const KIB = 1024;
/** The size of a chunk from a socket. */
const CHUNK = 64 * KIB;

function limitsOf({ effects }: ServerWorld): string[] {
  return effects.flatMap((effect) =>
    effect.kind === 'report' && effect.report.kind === 'limit-exceeded' ? effect.report.limit : [],
  );
}

/** Pushes while the server reads. */
function flood(peer: Peer, makeChunk: () => Buffer, most: number): number {
  let pushed = 0;
  while (pushed < most && !peer.isPaused && !peer.isClosed) {
    peer.push(makeChunk());
    pushed++;
  }
  return pushed;
}

function connectionOf({ server }: ServerWorld, { id }: Peer) {
  const connection = server.state.connections.get(id);
  if (connection === undefined) throw new Error('there is no such connection');
  return connection;
}

test('empty frames before the session are not kept', () => {
  const world = new ServerWorld();
  const peer = world.connect();
  peer.push(handshake());
  for (let i = 0; i < 60; i++) peer.push(Buffer.alloc(CHUNK));
  assert.ok(connectionOf(world, peer).early.length <= 1);
  world.ackAll();
  assert.equal(peer.take(), ['connected', 'closed']);
});

test('a client that sends before its session exists is not read until then', () => {
  for (const body of [0, 3 * KIB]) {
    const world = new ServerWorld();
    const peer = world.connect();
    peer.push(handshake());
    const count = Math.floor(CHUNK / (12 + body));
    const length = count * (12 + body);
    const read = (): Buffer => peer.bare(OpCode.getData, Buffer.alloc(body));
    const chunk = (): Buffer => Buffer.concat(Array.from({ length: count }, read));
    const rounds = flood(peer, chunk, 1000);
    assert.ok(rounds < 20, `${rounds} rounds of ${length} bytes`);
    const { early } = connectionOf(world, peer);
    assert.ok(early.length <= LIMITS.earlyFrames.value + count);
    assert.ok(early.bytes <= LIMITS.earlyBytes.value + length);
    assert.equal(limitsOf(world), [body === 0 ? 'earlyFrames' : 'earlyBytes']);
    // Neither commits of others nor time resume it.
    world.clock(10);
    assert.ok(peer.isPaused);
    world.ackAll();
    assert.is(peer.isPaused, false);
    assert.is(early.length, 0);
    assert.is(early.bytes, 0);
  }
});

test('a client with few and long requests in flight is not read until they are answered', () => {
  const world = new ServerWorld({ settings: { maxFrameLength: 1024 * KIB } });
  const peer = world.client();
  peer.push(peer.create('/a'));
  const body = Buffer.alloc(1000 * KIB);
  let pushed = 0;
  while (!peer.isPaused && pushed < 100) {
    peer.push(peer.bare(OpCode.getData, body));
    pushed++;
  }
  assert.is(pushed, Math.ceil(LIMITS.pendingBytes.value / (body.length + 8)));
  assert.equal(limitsOf(world), ['pendingBytes']);
  world.ackAll();
  assert.is(peer.isPaused, false);
  assert.is(connectionOf(world, peer).pending.bytes, 0);
  assert.is(world.server.state.inFlight.bytes, 0);
});

test('the bytes of all requests in flight have a limit', () => {
  const world = new ServerWorld({ settings: { maxFrameLength: 1024 * KIB } });
  const body = Buffer.alloc(1000 * KIB);
  const peers = Array.from({ length: 40 }, () => world.client());
  let floods = 0;
  for (const peer of peers) {
    if (limitsOf(world).includes('requestBytesInFlight')) break;
    floods++;
    peer.push(peer.create(`/n-${floods}`));
    for (let i = 0; i < 10; i++) peer.push(peer.bare(OpCode.getData, body));
  }
  const most = LIMITS.requestBytesInFlight.value / (10 * body.length);
  assert.is(floods, Math.ceil(most));
  world.ackAll();
  assert.ok(peers.every(({ isPaused }) => !isPaused));
  assert.is(world.server.state.inFlight.bytes, 0);
});

/** A client of a world where the root has this many bytes. */
function withData(size = 3 * KIB) {
  const world = new ServerWorld({ settings: { maxFrameLength: size + KIB } });
  const peer = world.client();
  const setData = () => {
    const data = { path: '/', data: Buffer.alloc(size), version: -1 };
    return peer.request(OpCode.setData, data);
  };
  peer.push(setData());
  world.ackAll();
  peer.take();
  return { world, peer, setData };
}

test('a chunk of reads with large answers is answered as far as the client reads', () => {
  const { world, peer } = withData();
  const { out, stats } = connectionOf(world, peer);
  const before = stats.sent;
  const reads = Array.from({ length: 15_000 }, () => peer.getData('/'));
  const mostInATurn = Math.ceil(LIMITS.answerBytes.value / (3 * KIB)) + 1;
  peer.push(Buffer.concat(reads));
  // It arrives while the first answers wait, and is answered after the others.
  peer.push(peer.exists('/none'));
  let turns = 1;
  for (let sent = before; peer.isAwaited; turns++) {
    assert.ok(stats.sent - sent <= mostInATurn, `${stats.sent - sent} answers`);
    sent = stats.sent;
    world.drained(peer);
  }
  assert.ok(turns > 10, `${turns} turns`);
  assert.is(stats.sent - before, reads.length + 1);
  assert.match(peer.take().at(-1) ?? '', /NONODE/);
  assert.is(peer.isClosed, false);
  assert.is(out.length, 0);
  assert.equal([...new Set(limitsOf(world))], ['answerBytes']);
});

test('reads that waited for a write are answered in order, as far as the client reads', () => {
  const { world, peer, setData } = withData();
  const other = world.client();
  other.push(other.create('/seen'));
  world.ackAll();
  const { out, stats } = connectionOf(world, peer);
  const { received, sent: before } = stats;
  const write = setData();
  const first = peer.getData('/seen', true);
  const reads = Array.from({ length: 5000 }, () => peer.getData('/'));
  const mostInATurn = Math.ceil(LIMITS.answerBytes.value / (3 * KIB)) + 2;
  peer.push(Buffer.concat([write, first, ...reads, peer.getData('/seen')]));
  world.ackAll();
  assert.ok(peer.isAwaited);
  other.push(other.setData('/seen'));
  world.ackAll();
  // It arrives while answers wait, and is answered after the others.
  peer.push(peer.create('/late'));
  for (let sent = before; peer.isAwaited; ) {
    assert.ok(stats.sent - sent <= mostInATurn, `${stats.sent - sent} answers`);
    sent = stats.sent;
    world.drained(peer);
  }
  world.ackAll();
  const lines = peer.take();
  const event = lines.findIndex((line) => line.startsWith('event NodeDataChanged /seen'));
  assert.ok(event > 1 && event < lines.length - 2, `the event is line ${event}`);
  assert.is(lines.at(-1), 'create ok');
  // Two writes and two other reads; the event is not an answer.
  assert.is(lines.length, reads.length + 5);
  assert.is(stats.received - received, reads.length + 4);
  assert.is(out.length, 0);
  assert.is(world.server.state.inFlight.bytes, 0);
  assert.equal([...new Set(limitsOf(world))], ['pendingRequests', 'answerBytes']);
});

test('requests before the session are answered as far as the client reads', () => {
  const { world } = withData();
  const peer = world.connect();
  const data = Array.from({ length: 1500 }, () => peer.getData('/'));
  peer.push(Buffer.concat([handshake(), ...data]));
  world.ackAll();
  assert.ok(peer.isAwaited);
  assert.ok(connectionOf(world, peer).stats.sent < data.length);
  while (peer.isAwaited) world.drained(peer);
  assert.is(peer.take().length, data.length + 1);
  assert.equal([...new Set(limitsOf(world))], ['earlyFrames', 'answerBytes']);
});

test('answers to many clients in one turn share a limit', () => {
  const size = 1024 * KIB;
  const { world } = withData(size);
  const reads = 3;
  const most = Math.ceil(LIMITS.answerBytesInAll.value / (reads * size));
  const peers = Array.from({ length: most + 3 }, () => world.client());
  for (const peer of peers) {
    peer.step(Buffer.concat(Array.from({ length: reads }, () => peer.getData('/'))));
  }
  world.drain();
  const served = peers.filter(({ writes }) => writes > 1).length;
  assert.ok(served <= most, `${served} clients`);
  assert.equal([...new Set(limitsOf(world))], ['answerBytesInAll']);
  for (const peer of peers) {
    while (peer.isAwaited) world.drained(peer);
    assert.is(peer.take().length, reads);
  }
});

test('answers between two writes take no more memory than a connection may leave unread', () => {
  const { world, peer, setData } = withData();
  const connection = connectionOf(world, peer);
  const before = connection.stats.sent;
  const reads = Array.from({ length: 23_000 }, () => peer.getData('/'));
  peer.push(Buffer.concat([setData(), ...reads, peer.create('/after')]));
  world.ackAll();
  assert.ok(peer.isClosed);
  const most = Math.ceil(LIMITS.unreadBytes.value / (3 * KIB)) + 1;
  assert.ok(connection.stats.sent - before <= most, `${connection.stats.sent} answers`);
  assert.is(limitsOf(world).at(-1), 'unreadBytes');
  assert.is(connection.out.length, 0);
});

/** Sends one auth after the other until the server closes the connection. */
function sendAuths(nameOf: (i: number) => string, count: number) {
  const world = new ServerWorld();
  const peer = world.client();
  const connection = connectionOf(world, peer);
  for (let i = 0; i < count && !peer.isClosed; i++) {
    const auth = Buffer.from(`${nameOf(i)}:secret`);
    peer.push(peer.request(OpCode.auth, { type: 0, scheme: 'digest', auth }, Xid.auth));
  }
  const last = peer.take().slice(-2);
  return { ids: connection.ids.length, last, limits: limitsOf(world) };
}

test('a repeated auth is kept once', () => {
  const same = sendAuths(() => 'bob', 1000);
  assert.equal(same, { ids: 2, last: ['auth ok', 'auth ok'], limits: [] });
});

test('one auth above the limit is answered AUTHFAILED', () => {
  const { ids, last, limits } = sendAuths((i) => `user-${i}`, 1000);
  assert.equal(last, ['auth AUTHFAILED', 'closed']);
  assert.is(ids, LIMITS.authIdsPerConnection.value);
  assert.equal(limits, ['authIdsPerConnection']);
});

test('the size of the auths of a connection is limited', () => {
  const { ids, limits } = sendAuths((i) => `${i}-${'x'.repeat(3000)}`, 100);
  assert.ok(ids < 23, `${ids} ids`);
  assert.equal(limits, ['authBytesPerConnection']);
});

for (const maxWatches of [undefined, 600_000]) limitWatches(maxWatches);

/** The key maxWatchesPerConnection. */
function limitWatches(maxWatches: number | undefined): void {
  test(`the watches of a connection are limited to ${maxWatches ?? 'the default'}`, () => {
    const settings = maxWatches === undefined ? {} : { maxWatches };
    watchUpTo(maxWatches ?? LIMITS.watchesPerConnection.value, new ServerWorld({ settings }));
  });
}

function watchUpTo(most: number, world: ServerWorld): void {
  const peer = world.client();
  const { dataWatches } = world.server.state;
  const connection = connectionOf(world, peer);
  for (let i = 0; i < most; i++) dataWatches.add(`/${i}`, connection, 1);
  peer.push(peer.ping());
  assert.not(peer.isClosed);
  peer.push(peer.exists('/one-more', true));
  assert.ok(peer.isClosed);
  assert.equal(limitsOf(world), ['watchesPerConnection']);
  let turns = 0;
  for (; dataWatches.size > 0; turns++) world.clock(0);
  assert.ok(turns > most / 10_000, `dropped in ${turns} turns`);
}

test('the length of the paths that a connection watches is limited', () => {
  const world = new ServerWorld({ settings: { maxFrameLength: 1_000_000 } });
  const peer = world.client();
  const { dataWatches, childWatches } = world.server.state;
  const length = 900_000;
  const count = Math.floor(LIMITS.watchedBytesPerConnection.value / length);
  for (let i = 0; i < count; i++) {
    const table = i % 2 === 0 ? dataWatches : childWatches;
    table.add(`/${i}-`.padEnd(length, 'n'), connectionOf(world, peer), 1);
  }
  peer.push(peer.ping());
  assert.not(peer.isClosed);
  peer.push(peer.exists(`/${'x'.repeat(length)}`, true));
  assert.ok(peer.isClosed);
  assert.equal(limitsOf(world), ['watchedBytesPerConnection']);
  assert.is(dataWatches.pathLength + childWatches.pathLength, 0);
});

test('the length of all watched paths is limited, at the cost of the connection with most', () => {
  const world = new ServerWorld();
  const [greedy, other] = [world.client(), world.client()];
  greedy.push(Buffer.concat([greedy.exists('/a', true), greedy.exists('/b', true)]));
  other.push(other.exists('/b', true));
  const { dataWatches } = world.server.state;
  assert.is(dataWatches.pathLength, 4, 'each path once');
  // More would be half a gigabyte.
  Object.defineProperty(dataWatches, 'pathLength', { value: LIMITS.watchedBytesInAll.value + 1 });
  other.push(other.ping());
  assert.ok(greedy.isClosed);
  assert.not(other.isClosed);
  assert.equal(limitsOf(world), ['watchedBytesInAll']);
});

test.run();
