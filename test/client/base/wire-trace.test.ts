// Hand-made frames, whole and byte by byte.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type WireEvent, WireTrace } from '../../../src/client/base/wire-trace.js';

function ints(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeInt32BE(value, at * 4);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.concat([ints(Buffer.byteLength(value)), Buffer.from(value)]);
}

function frame(...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([ints(body.length), body]);
}

const CONNECT = frame(ints(0, 0, 0, 30_000, 0, 0), text('0123456789abcdef'));
const CONNECTED = frame(ints(0, 20_000, 0x1, 0x2), text('password-of-the-s'));
const SENT = Buffer.concat([
  frame(ints(1, 4), text('/größe'), Buffer.of(0)),
  frame(ints(-4, 100, 0), text('digest'), text('ann:secret')),
  frame(ints(2, 14), ints(1), Buffer.of(0), ints(-1), text('/hidden')),
  frame(ints(-2, 11)),
]);
const RECEIVED = Buffer.concat([
  frame(ints(-1, -1, -1, 0, 3, 3), text('/w')),
  frame(ints(1, 0, 0x12, -101)),
  frame(ints(-4, 0, 0, 0)),
  frame(ints(2, 0, 0x13, 0), Buffer.alloc(5000)),
  frame(ints(-2, 0, 0, 0)),
]);

const EXPECTED: readonly WireEvent[] = [
  { kind: 'request', op: 'connect', bytes: 48, detail: 'zk1:2181' },
  {
    kind: 'answer',
    op: 'connect',
    error: 'OK',
    bytes: 41,
    ms: 1,
    detail: 'session 0x100000002, timeout 20000 ms',
  },
  { kind: 'request', op: 'getData', path: '/größe', xid: 1, bytes: 25 },
  { kind: 'request', op: 'auth', bytes: 40, detail: 'digest' },
  { kind: 'request', op: 'multi', xid: 2, bytes: 32 },
  { kind: 'request', op: 'ping', bytes: 12 },
  { kind: 'event', type: 'NodeDataChanged', path: '/w', zxid: '0xffffffffffffffff', bytes: 34 },
  {
    kind: 'answer',
    op: 'getData',
    path: '/größe',
    xid: 1,
    zxid: '0x12',
    error: 'NONODE',
    bytes: 20,
    ms: 2,
  },
  { kind: 'answer', op: 'auth', zxid: '0x0', error: 'OK', bytes: 20, ms: 2 },
  { kind: 'answer', op: 'multi', xid: 2, zxid: '0x13', error: 'OK', bytes: 5020, ms: 2 },
  { kind: 'answer', op: 'ping', zxid: '0x0', error: 'OK', bytes: 20, ms: 2 },
  { kind: 'closed', reason: 'reset' },
];

function traced(step: number): readonly WireEvent[] {
  const events: WireEvent[] = [];
  const trace = new WireTrace({ isOn: true, tell: (event) => events.push(event) });
  const each = (bytes: Buffer, feed: (piece: Buffer) => void) => {
    for (let at = 0; at < bytes.length; at += step) feed(bytes.subarray(at, at + step));
  };
  trace.dialed('zk1:2181');
  each(CONNECT, (piece) => trace.sent(piece, 10));
  each(CONNECTED, (piece) => trace.received(piece, 11));
  each(SENT, (piece) => trace.sent(piece, 20));
  each(RECEIVED, (piece) => trace.received(piece, 22));
  trace.closed(new Error('reset'));
  return events;
}

for (const step of [1, 7, 100_000]) {
  test(`traces every packet, ${step} bytes at a time`, () => {
    assert.equal(traced(step), EXPECTED);
  });
}

test('omits data and credentials', () => {
  const told = JSON.stringify(traced(100_000));
  assert.not.match(told, /secret|ann|password|0123456789abcdef|hidden/);
});

test('can be switched on and off between any two frames', () => {
  const events: WireEvent[] = [];
  const tracer = { isOn: false, tell: (event: WireEvent) => void events.push(event) };
  const trace = new WireTrace(tracer);
  trace.dialed('zk1:2181');
  trace.sent(CONNECT, 1);
  trace.received(Buffer.concat([CONNECTED, RECEIVED.subarray(0, 6)]), 2);
  tracer.isOn = true;
  trace.received(RECEIVED.subarray(6, 34), 3);
  tracer.isOn = false;
  trace.received(RECEIVED.subarray(34), 4);
  assert.equal(
    events.map(({ kind }) => kind),
    ['event'],
  );
});

test('a new connection begins with a handshake again', () => {
  const events: WireEvent[] = [];
  const trace = new WireTrace({ isOn: true, tell: (event) => events.push(event) });
  for (const server of ['zk1:2181', 'zk2:2181']) {
    trace.dialed(server);
    trace.sent(CONNECT, 1);
    trace.received(CONNECTED.subarray(0, 20), 2);
    trace.closed(undefined);
  }
  assert.equal(
    events.map((event) => ('detail' in event ? event.detail : event.kind)),
    ['zk1:2181', 'closed', 'zk2:2181', 'closed'],
  );
});

test.run();
