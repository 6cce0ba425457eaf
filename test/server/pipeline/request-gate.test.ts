/** The limits in a whole server, without sockets: waiting, refusing and closing. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { type LimitOptions, NO_LIMITS } from '../../../src/server/limits/limit-options.js';
import { ServerWorld } from '../server-world.js';

function makeWorld(requests: Partial<LimitOptions['requests']>, large = NO_LIMITS.large) {
  const limits = { requests: { ...NO_LIMITS.requests, ...requests }, large };
  return new ServerWorld({ settings: { limits } });
}

test('requests beyond request_throttle_max_requests wait, and are answered in order', () => {
  const world = makeWorld({ maxRequests: 2 });
  const a = world.client();
  const b = world.client();
  a.push(Buffer.concat([a.create('/a'), a.create('/b'), a.create('/c'), a.getData('/c')]));
  b.push(b.getData('/b'));
  assert.is(world.server.outstandingRequests, 5);
  assert.equal(b.take(), [], 'nobody overtakes');
  world.ack();
  assert.equal(a.take(), ['create ok', 'create ok']);
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'getData ok']);
  assert.equal(b.take(), ['getData ok']);
  assert.is(world.server.outstandingRequests, 0);
});

test('waiting requests of a disconnected client are dropped', () => {
  const world = makeWorld({ maxRequests: 1 });
  const a = world.client();
  const b = world.client();
  a.push(a.create('/a'));
  b.push(Buffer.concat([b.create('/b'), b.create('/c')]));
  b.leave();
  world.ackAll();
  a.push(a.exists('/b'));
  assert.equal(a.take(), ['create ok', 'exists NONODE']);
  assert.is(world.server.outstandingRequests, 0);
});

test('without dropping them, reads of disconnected clients leave no watch', () => {
  const world = makeWorld({ maxRequests: 1, isStaleDropped: false });
  const a = world.client();
  for (let round = 0; round < 5; round++) {
    const b = world.client();
    a.push(a.create(`/a${round}`));
    b.push(
      Buffer.concat([
        b.exists('/none', true),
        b.exists('/', true),
        b.getData('/', true),
        b.request(OpCode.getChildren, { path: '/', watch: true }),
        b.request(OpCode.addWatch, { path: '/', mode: 0 }),
        b.request(OpCode.addWatch, { path: '/', mode: 1 }),
        b.request(OpCode.setWatches, {
          relativeZxid: 0xfffffffn,
          dataWatches: ['/'],
          existWatches: ['/none'],
          childWatches: ['/'],
        }),
        b.create(`/b${round}`),
      ]),
    );
    b.leave();
    world.ackAll();
    world.ackAll();
  }
  const { view } = world.server;
  assert.is(view.watchCount, 0);
  a.push(a.exists('/b4'));
  assert.is(a.take().at(-1), 'exists ok', 'a write of a disconnected client is served');
});

test('a request that waited longer than throttled_op_wait_time gets THROTTLEDOP in order', () => {
  const world = makeWorld({ maxRequests: 2, throttledOpWaitMs: 500 });
  const a = world.client({ timeoutMs: 20_000 });
  a.push(Buffer.concat([a.create('/a'), a.create('/b'), a.create('/c'), a.ping()]));
  world.clock(501);
  a.push(a.create('/d'));
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'create ok', 'create THROTTLEDOP', 'ping ok', 'create ok']);
  a.push(a.exists('/c'));
  assert.equal(a.take(), ['exists NONODE']);
});

test('a client that only waits stays alive', () => {
  const world = makeWorld({ maxRequests: 1 });
  const a = world.client({ timeoutMs: 4000 });
  const b = world.client({ timeoutMs: 4000 });
  a.push(a.create('/a'));
  for (let second = 0; second < 10; second++) {
    world.clock(1000);
    for (const peer of [a, b]) peer.push(peer.ping());
  }
  assert.not.ok(a.isClosed);
  assert.not.ok(b.isClosed);
  world.ackAll();
  assert.equal(b.take(), new Array(10).fill('ping ok'));
});

function bigCreate(peer: ReturnType<ServerWorld['client']>, path: string): Buffer {
  const value = { path, data: Buffer.alloc(1000), acl: OPEN_ACL_UNSAFE, flags: 0 };
  return peer.request(OpCode.create, value);
}

test('a large request that does not fit closes the connection, and commits free room', () => {
  const world = makeWorld({}, { threshold: 500, maxBytes: 2500 });
  const a = world.client();
  const b = world.client();
  a.push(Buffer.concat([bigCreate(a, '/a'), bigCreate(a, '/b')]));
  b.push(b.create('/small'));
  b.push(bigCreate(b, '/c'));
  assert.ok(b.isClosed);
  assert.not.ok(a.isClosed);
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'create ok']);
  const c = world.client();
  for (let i = 0; i < 10; i++) {
    c.push(bigCreate(c, `/c${i}`));
    world.ackAll();
  }
  assert.not.ok(c.isClosed);
  assert.is(c.take().length, 10);
});

test('a large request that is answered at once takes no room', () => {
  const world = makeWorld({}, { threshold: 500, maxBytes: 1500 });
  const a = world.client();
  const value = {
    relativeZxid: 1n,
    dataWatches: ['/x'.repeat(300)],
    existWatches: [],
    childWatches: [],
  };
  for (let i = 0; i < 5; i++) a.push(a.request(OpCode.setWatches, value));
  assert.not.ok(a.isClosed);
});

test('large requests that wait count, too', () => {
  const world = makeWorld({ maxRequests: 1 }, { threshold: 500, maxBytes: 2500 });
  const a = world.client();
  const b = world.client();
  a.push(Buffer.concat([bigCreate(a, '/a'), bigCreate(a, '/b')]));
  b.push(bigCreate(b, '/c'));
  assert.ok(b.isClosed);
  world.ackAll();
  assert.equal(a.take(), ['create ok', 'create ok']);
  const c = world.client();
  c.push(Buffer.concat([bigCreate(c, '/c'), bigCreate(c, '/d')]));
  assert.not.ok(c.isClosed);
});

test('a client that pipelines writes endlessly is paused', () => {
  const world = new ServerWorld({ settings: { globalOutstandingLimit: 1000 } });
  const a = world.client();
  a.push(a.create('/a'));
  world.ackAll();
  a.take();
  // As a driver does: no chunk of a connection that is paused; one socket read is at most 64 KB.
  const frame = a.setData('/a');
  const perChunk = Math.floor(65_536 / frame.length);
  const chunk = Buffer.concat(new Array<Buffer>(perChunk).fill(frame));
  let sent = 0;
  let most = 0;
  while (sent < 300_000) {
    if (a.isPaused) {
      world.server.step(nextAppend(world).whenDurable);
      for (const effect of world.server.drain()) follow(world, a, effect);
    } else {
      a.step(chunk);
      sent += perChunk;
      for (const effect of world.server.drain()) follow(world, a, effect);
    }
    most = Math.max(most, world.server.outstandingRequests);
  }
  assert.ok(most <= 1000 + perChunk, `${most} outstanding at most`);
});

type Append = ServerWorld['appends'][number];

function nextAppend(world: ServerWorld): Append {
  const append = world.appends.shift();
  if (append === undefined) throw new Error('paused, and nothing on its way to the disk');
  return append;
}

/** Keeps no replies: there are too many of them. */
function follow(
  world: ServerWorld,
  peer: { id: number; isPaused: boolean },
  effect: ServerWorld['effects'][number],
): void {
  if (effect.kind === 'append') world.appends.push(effect);
  if (effect.kind === 'pause' && effect.connection === peer.id) peer.isPaused = true;
  if (effect.kind === 'resume' && effect.connection === peer.id) peer.isPaused = false;
}

test('100,000 sessions expire completely, one slice per turn', () => {
  const world = new ServerWorld();
  const count = 100_000;
  const { state } = world.server;
  for (let i = 0; i < count; i++) state.sessions.add(BigInt(i + 1), 4000, 0);
  world.clock(4900);
  world.jump(200);
  world.jump(0);
  let turns = 1;
  let most = 0;
  while (state.sessions.size > 0) {
    assert.ok(world.effects.some(({ kind }) => kind === 'wake') || world.appends.length > 0);
    most = Math.max(most, world.server.outstandingRequests);
    world.effects.length = 0;
    world.ackAll();
    world.jump(1);
    turns++;
    assert.ok(turns < 1100, `${state.sessions.size} sessions left`);
  }
  assert.is(most, 100);
  assert.ok(turns >= count / 100);
});

test('a session touched while its bucket is processed survives', () => {
  const world = new ServerWorld();
  const a = world.client({ timeoutMs: 4000 });
  const { state } = world.server;
  const others = 2000;
  for (let i = 0; i < others; i++) state.sessions.add(BigInt(i + 1), 4000, 0);
  const survivor = state.sessions.get(BigInt(others));
  assert.ok(survivor !== undefined);
  for (let ms = 0; ms < 4000; ms += 1000) {
    world.clock(ms === 0 ? 500 : 1000);
    a.push(a.ping());
  }
  world.clock(1500);
  if (survivor !== undefined) state.sessions.touch(survivor, 5000);
  for (let turn = 0; turn < 20; turn++) {
    world.ackAll();
    world.clock(1);
  }
  assert.is(state.sessions.size, 2);
});

test('events to many watchers leave in slices, and always before later replies', () => {
  const world = new ServerWorld();
  const writer = world.client();
  writer.push(writer.create('/hot'));
  world.ackAll();
  const watchers = Array.from({ length: 2500 }, () => world.client());
  for (const watcher of watchers) watcher.push(watcher.getData('/hot', true));
  for (const peer of [writer, ...watchers]) peer.take();
  const told = () => watchers.filter(({ writes }) => writes > 2).length;
  writer.push(writer.setData('/hot'));
  world.ack();
  assert.equal(writer.take(), ['setData ok'], 'the writer waits for no watcher');
  assert.is(told(), 250);
  // One that asks before its turn has the event before the answer.
  const late = watchers[2400];
  late?.push(late.getData('/hot'));
  assert.match(late?.take().join() ?? '', /^event NodeDataChanged \/hot at \d+,getData ok$/);
  for (let turn = 2; turn < 10; turn++) world.clock(0);
  assert.is(told(), watchers.length);
  for (const watcher of watchers) {
    if (watcher !== late) assert.match(watcher.take().join(), /^event NodeDataChanged/);
  }
});

test('a closing connection gets its unsent events first', () => {
  const world = new ServerWorld();
  const writer = world.client();
  writer.push(writer.create('/hot'));
  world.ackAll();
  const watchers = Array.from({ length: 1200 }, () => world.client());
  for (const watcher of watchers) watcher.push(watcher.getData('/hot', true));
  writer.push(writer.setData('/hot'));
  const last = watchers.at(-1);
  last?.take();
  world.ack();
  assert.equal(last?.take(), []);
  last?.push(last.bare(-99));
  const lines = last?.take() ?? [];
  assert.match(lines[0] ?? '', /^event NodeDataChanged/);
  assert.is(lines.at(-1), 'closed');
});

test.run();
