/** Each limit of the stage, at it and beyond it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import type { Effect } from '../../../src/server/effects.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { BackPressure } from '../../../src/server/pipeline/back-pressure.js';
import type { ClientConnection } from '../../../src/server/state/client-connection.js';
import { Request, THROTTLED } from '../../../src/server/state/request.js';
import { ServerWorld } from '../server-world.js';

const OUTSTANDING = 10;
const limitOf = (limit: keyof typeof LIMITS) => LIMITS[limit].value;

/** Some connections of a server, and the stage alone. */
function makeWorld(clients = 1) {
  const server = new ServerWorld({ settings: { globalOutstandingLimit: OUTSTANDING } });
  for (let i = 0; i < clients; i++) server.client();
  const { state } = server.server;
  const world = {
    state,
    outstanding: 0,
    exceeded: [] as string[],
    values: [] as (number | undefined)[],
    done: 0,
    waiting: 0,
    connections: [...state.connections.values()],
    drain: () => {
      const effects: Effect[] = [];
      pressure.drainInto(effects);
      return effects.map((one) =>
        'connection' in one ? `${one.kind} ${one.connection}` : one.kind,
      );
    },
  };
  const exceeded = (limit: string, _from: string, value?: number): void => {
    world.exceeded.push(limit);
    world.values.push(value);
  };
  Object.assign(state, { exceeded });
  const pressure = new BackPressure(state, () => world.outstanding);
  const gate = {
    get waiting() {
      return world.waiting;
    },
    done: () => world.done++,
  };
  const [connection] = world.connections as [ClientConnection];
  return { world, pressure, connection, gate: gate as never };
}

/** Reads of `size` bytes in all that wait for a write. */
function put(connection: ClientConnection, count: number, size = 0): void {
  for (let i = 0; i < count; i++) {
    const request = new Request(connection, 1n, i + 1, OpCode.exists, 0);
    request.body = Buffer.from('body');
    request.size = i === 0 ? size : 0;
    connection.pending.push(request);
  }
}

const EXCESSES: readonly [
  limit: keyof typeof LIMITS,
  exceed: (world: ReturnType<typeof makeWorld>, by: number) => void,
][] = [
  ['pendingRequests', ({ connection }, by) => put(connection, limitOf('pendingRequests') + by)],
  ['pendingBytes', ({ connection }, by) => put(connection, 1, limitOf('pendingBytes') + by)],
  [
    'earlyFrames',
    ({ connection }, by) => {
      for (let i = limitOf('earlyFrames') + by; i > 0; i--) connection.early.push(Buffer.alloc(0));
    },
  ],
  [
    'earlyBytes',
    ({ connection }, by) => connection.early.push(Buffer.alloc(limitOf('earlyBytes') + by)),
  ],
  [
    'requestBytesInFlight',
    ({ world }, by) => {
      world.state.inFlight.bytes = limitOf('requestBytesInFlight') + by;
    },
  ],
  [
    'requestsInFlight',
    ({ world }, by) => {
      world.outstanding = OUTSTANDING + by;
    },
  ],
];

for (const [limit, exceed] of EXCESSES) {
  test(`a connection is paused beyond ${limit}, once`, () => {
    for (const by of [0, 1]) {
      const made = makeWorld();
      const { world, pressure, connection } = made;
      exceed(made, by);
      pressure.holdBack(connection);
      pressure.holdBack(connection);
      assert.equal(world.exceeded, by === 0 ? [] : [limit]);
      const value = limit === 'requestsInFlight' ? OUTSTANDING : limitOf(limit);
      assert.equal(world.values, by === 0 ? [] : [value]);
      assert.equal(world.drain(), by === 0 ? [] : [`pause ${connection.id}`]);
      assert.equal(world.drain(), []);
    }
  });
}

test('a closed connection is not paused', () => {
  const { world, pressure, connection } = makeWorld();
  world.outstanding = OUTSTANDING + 1;
  connection.phase = 'closed';
  pressure.holdBack(connection);
  assert.equal([world.exceeded, world.drain()], [[], []]);
});

function paused() {
  const made = makeWorld();
  made.world.outstanding = OUTSTANDING + 1;
  made.pressure.holdBack(made.connection);
  made.world.drain();
  made.world.outstanding = 0;
  return made;
}

test('an idle client resumes at the limit, and one with requests at half of each', () => {
  const half = OUTSTANDING / 2;
  const bytes = limitOf('requestBytesInFlight') / 2;
  const pendingBytes = limitOf('pendingBytes') / 2;
  const pending = limitOf('pendingRequests') / 2;
  for (const [outstanding, inFlight, count, size, isResumed] of [
    [OUTSTANDING, 9 * bytes, 0, 0, true],
    [OUTSTANDING + 1, 0, 0, 0, false],
    [half, bytes, pending, pendingBytes, true],
    [half + 1, bytes, pending, pendingBytes, false],
    [half, bytes + 1, pending, pendingBytes, false],
    [half, bytes, pending + 1, pendingBytes, false],
    [half, bytes, pending, pendingBytes + 1, false],
    [half + 1, bytes + 1, 1, 0, false],
    [half, bytes, pending + 1, pendingBytes + 1, false],
  ] as const) {
    const { world, pressure, connection } = paused();
    put(connection, count, size);
    world.outstanding = outstanding;
    world.state.inFlight.bytes = inFlight;
    pressure.resume();
    const what = `${outstanding} ${inFlight} ${count} ${size}`;
    assert.equal(world.drain(), isResumed ? [`resume ${connection.id}`] : [], what);
    pressure.resume();
    assert.equal(world.drain(), [], 'once');
  }
});

test('a client that connects, or waits for its read, does not resume', () => {
  for (const change of [{ phase: 'connecting' }, { isDeferred: true }] as const) {
    const { world, pressure, connection } = paused();
    Object.assign(connection, change);
    pressure.resume();
    assert.equal(world.drain(), []);
    Object.assign(connection, { phase: 'open', isDeferred: false });
    pressure.resume();
    assert.equal(world.drain(), [`resume ${connection.id}`]);
  }
});

test('a client that caught up resumes if it exceeds nothing anymore', () => {
  const { world, pressure, connection } = paused();
  world.outstanding = OUTSTANDING + 1;
  pressure.caughtUp(connection);
  assert.equal(world.drain(), []);
  world.outstanding = OUTSTANDING;
  pressure.caughtUp(connection);
  pressure.caughtUp(connection);
  assert.equal(world.drain(), [`resume ${connection.id}`]);
});

test('a connection that is forgotten or let go is not paused anymore', () => {
  const forgotten = paused();
  forgotten.pressure.forget(forgotten.connection);
  forgotten.pressure.resume();
  assert.equal(forgotten.world.drain(), []);
  const { world, pressure, connection } = paused();
  pressure.letGo(connection);
  pressure.letGo(connection);
  assert.equal(world.drain(), [`resume ${connection.id}`]);
});

test('effects leave in order, those of connections that had their share at the end', () => {
  const { world, pressure } = makeWorld(3);
  const [a, b, c] = world.connections as [ClientConnection, ClientConnection, ClientConnection];
  pressure.goesOn(b);
  world.outstanding = OUTSTANDING + 1;
  for (const one of [c, a]) pressure.holdBack(one);
  assert.equal(world.drain(), [`pause ${c.id}`, `pause ${a.id}`, `await-reading ${b.id}`]);
});

test('clients that wait go on in the order in which they were stopped', () => {
  const { world, pressure } = makeWorld(3);
  const [a, b, c] = world.connections as [ClientConnection, ClientConnection, ClientConnection];
  world.state.work.steps = limitOf('turnSteps') + 1;
  for (const one of [b, a, c]) pressure.isHeld(one);
  assert.equal(
    world.drain(),
    [b, a, c].map(({ id }) => `await-reading ${id}`),
  );
  for (const one of [a, b]) put(one, 1);
  pressure.defer(b, Buffer.alloc(8));
  world.drain();
  pressure.defer(a, Buffer.alloc(8));
  b.pending.shift();
  pressure.undefer(b);
  assert.equal(world.drain(), [`pause ${a.id}`, `await-reading ${b.id}`, `resume ${b.id}`]);
});

test('after an answer beyond the limit, the client must read first', () => {
  const limit = limitOf('answerBytes');
  for (const by of [0, 1]) {
    const { world, pressure, connection } = makeWorld();
    connection.out.skip(limit + by);
    assert.ok(pressure.answered(connection, 0));
    assert.is(connection.decoder.isHeld, by === 1);
    assert.ok(pressure.answered(connection, limit + by));
    assert.equal(world.exceeded, by === 0 ? [] : ['answerBytes']);
    assert.equal(world.drain(), by === 0 ? [] : [`await-reading ${connection.id}`]);
  }
});

test('a client for which too much waits is closed, but not for one long answer', () => {
  const limit = limitOf('unreadBytes');
  for (const by of [0, 1]) {
    const { world, pressure, connection } = makeWorld();
    connection.out.skip(limit + by + 7);
    assert.ok(pressure.answered(connection, 0));
    assert.is(pressure.answered(connection, limit + by), by === 0);
    assert.is(world.exceeded.includes('unreadBytes'), by === 1);
    assert.is(connection.out.length, by === 0 ? limit + 7 : 0);
  }
});

test('all clients wait once the answers of a turn are large', () => {
  const limit = limitOf('answerBytesInAll');
  for (const by of [0, 1]) {
    const { world, pressure } = makeWorld(2);
    const [a, b] = world.connections as [ClientConnection, ClientConnection];
    // Only what an answer adds counts.
    a.out.skip(limit + by + 5);
    pressure.answered(a, 5);
    world.exceeded.length = 0;
    assert.is(pressure.isHeld(b), by === 1);
    assert.equal(world.exceeded, by === 0 ? [] : ['answerBytesInAll']);
    b.decoder.isHeld = false;
    world.drain();
    assert.not(pressure.isHeld(b), 'in the next turn');
  }
});

test('all clients wait once a turn has much work, the busy ones earlier', () => {
  const limit = limitOf('turnSteps');
  for (const [steps, isBusy, phase, isHeld] of [
    [limit, false, 'open', false],
    [limit + 1, false, 'open', true],
    [limit / 2, true, 'open', false],
    [limit / 2 + 1, true, 'open', true],
    [limit / 2 + 1, false, 'open', false],
    [limit + 1, true, 'connecting', false],
  ] as const) {
    const { world, pressure, connection } = makeWorld();
    world.state.work.steps = steps;
    Object.assign(connection, { isBusy, phase });
    assert.is(pressure.isHeld(connection), isHeld, `${steps} ${isBusy} ${phase}`);
    assert.equal(world.exceeded, isHeld ? ['turnSteps'] : []);
    world.drain();
    assert.is(world.state.work.steps, 0);
  }
});

test('a connection has a share of a turn', () => {
  const limit = limitOf('connectionSteps');
  const { world, pressure, connection } = makeWorld();
  pressure.didWork(connection, limit - 1);
  pressure.didWork(connection, 1);
  assert.equal([connection.isBusy, world.drain()], [false, []]);
  assert.is(connection.steps, 0, 'in the next turn');
  pressure.didWork(connection, 1);
  world.drain();
  assert.is(connection.steps, 0);
  pressure.didWork(connection, limit);
  pressure.didWork(connection, 1);
  assert.is(connection.isBusy, true);
  assert.equal([world.exceeded, connection.decoder.isHeld], [['connectionSteps'], true]);
  pressure.didWork(connection, 1);
  assert.equal(world.drain(), [`await-reading ${connection.id}`]);
});

test('a connection whose long read takes another turn has had its share', () => {
  const { world, pressure, connection } = makeWorld();
  pressure.goesOn(connection);
  assert.equal([connection.isBusy, world.exceeded], [true, ['connectionSteps']]);
  assert.equal(world.drain(), [`await-reading ${connection.id}`]);
});

/** The frames that the decoder passes on once it is released. */
function returnedTo(connection: ClientConnection): Buffer[] {
  const frames: Buffer[] = [];
  connection.onFrame = (_, bytes, start, end) => {
    frames.push(Buffer.from(bytes.subarray(start, end)));
  };
  connection.decoder.release();
  connection.decoder.push(Buffer.alloc(0));
  return frames;
}

test('a read that waits for writes stops later requests until none is left', () => {
  const { world, pressure, connection } = makeWorld();
  const frame = Buffer.from('12345678body');
  put(connection, 1);
  pressure.defer(connection, frame);
  assert.equal([connection.isDeferred, connection.decoder.isHeld], [true, true]);
  assert.equal(world.drain(), [`pause ${connection.id}`]);
  connection.pending.shift();
  pressure.undefer(connection);
  assert.is(connection.isDeferred, false);
  assert.equal(world.drain(), [`await-reading ${connection.id}`, `resume ${connection.id}`]);
  assert.equal(
    returnedTo(connection).map((one) => `${one}`),
    ['12345678body'],
  );
});

test('a connection that is paused already is not paused again for a read that waits', () => {
  const { world, pressure, connection } = paused();
  put(connection, 1);
  pressure.defer(connection, Buffer.alloc(8));
  assert.equal(world.drain(), []);
});

test('reads are given back in order, and count again when they return', () => {
  const { world, pressure, connection, gate } = makeWorld();
  connection.decoder.hold();
  put(connection, 2, limitOf('earlyBytes'));
  const received = [connection.stats.received, world.state.stats.received];
  assert.ok(pressure.giveBack(connection, gate));
  assert.equal([connection.pending.length, world.done], [0, 2]);
  assert.equal(
    [connection.stats.received, world.state.stats.received],
    received.map((count) => count - 2),
  );
  assert.equal(
    returnedTo(connection).map((frame) => [
      frame.readInt32BE(0),
      frame.readInt32BE(4),
      frame.toString('utf8', 8),
    ]),
    [
      [1, OpCode.exists, 'body'],
      [2, OpCode.exists, 'body'],
    ],
  );
});

const KEPT: readonly [what: string, change: (world: ReturnType<typeof makeWorld>) => void][] = [
  ['too many bytes', ({ connection }) => put(connection, 1, limitOf('earlyBytes') + 1)],
  [
    'later requests under way',
    ({ world }) => {
      world.waiting = 1;
    },
  ],
  [
    'no session',
    ({ connection }) => {
      connection.session = null;
    },
  ],
  [
    'a session that closes',
    ({ connection }) => Object.assign(connection.session ?? {}, { isClosing: true }),
  ],
  ['a write', ({ connection }) => lastOf(connection, { body: null })],
  ['a sync that waits for others', ({ connection }) => lastOf(connection, { isBarrier: true })],
  ['a refused request', ({ connection }) => lastOf(connection, { type: THROTTLED })],
];

function lastOf(connection: ClientConnection, change: Partial<Request>): void {
  put(connection, 1);
  Object.assign([...connection.pending.values()].at(-1) ?? {}, change);
}

for (const [what, change] of KEPT) {
  test(`reads are not given back with ${what}`, () => {
    const made = makeWorld();
    const { world, pressure, connection, gate } = made;
    put(connection, 2);
    change(made);
    const { length } = connection.pending;
    assert.not(pressure.giveBack(connection, gate));
    assert.equal([connection.pending.length, world.done], [length, 0]);
  });
}

test.run();
