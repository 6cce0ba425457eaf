import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLOSE_TIMEOUT_MS } from '../../../src/client/session/session-contract.js';
import {
  bytes,
  event,
  frame,
  hello,
  int,
  PASSWORD,
  reply,
  request,
  SessionHarness,
  TWO,
  welcome,
} from '../session-harness.js';

const PING = frame(int(-2), int(11));

test('connecting: opens a socket, sends the handshake, adopts the session of the server', () => {
  const h = new SessionHarness();
  h.session.start(0);
  assert.is(h.session.state, 'connecting');
  h.session.handleConnected(0);
  assert.equal(h.takeBytes(), hello(0n, 0n, null));
  h.receive(welcome({ timeoutMs: 4000, sessionId: 0x100000000000001n }));
  assert.equal(h.log, ['connect a:1', 'state connected']);
  assert.is(h.session.identity.id, 0x100000000000001n);
  assert.is(h.session.identity.timeoutMs, 4000);
  assert.equal(h.session.identity.password, Buffer.from(PASSWORD));
  assert.equal(h.session.server, { host: 'a', port: 1 });
});

test('connecting: a server older than 3.4 answers without the readOnly byte', () => {
  const h = new SessionHarness();
  h.establish({ isShort: true });
  assert.is(h.session.state, 'connected');
});

test('connecting: every frame may arrive byte by byte', () => {
  const h = new SessionHarness();
  h.ask('/a');
  h.session.start(0);
  h.session.handleConnected(0);
  const stream = Buffer.concat([welcome(), reply(1, 5n, 0, bytes('x')), event(1, '/b')]);
  for (const one of stream) h.session.handleBytes(Buffer.from([one]), 0);
  assert.equal(h.log, ['connect a:1', 'state connected', 'ok /a x']);
});

test('connecting: tries the whole list, then waits longer before each round', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  const waits: number[] = [];
  for (let round = 0; round < 6; round++) {
    h.session.handleClosed(new Error('a:1 refused'), h.now);
    h.session.handleClosed(new Error('b:2 refused'), h.now);
    waits.push(h.session.nextDeadlineMs - h.now);
    h.tick(h.session.nextDeadlineMs);
  }
  assert.equal(waits, [100, 200, 400, 800, 1000, 1000]);
  assert.equal(h.log.slice(0, 4), ['connect a:1', 'connect b:2', 'connect a:1', 'connect b:2']);
  assert.is(h.session.state, 'connecting');
  assert.equal(h.session.list.failedAttempts, [
    { server: 'a:1', code: 'ECLOSED', reason: 'a:1 refused' },
    { server: 'b:2', code: 'ECLOSED', reason: 'b:2 refused' },
  ]);
});

test('connecting: an attempt may take its share of the time, then the next server is tried', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  assert.is(h.session.nextDeadlineMs, 3000);
  h.tick(2999);
  assert.equal(h.takeLog(), ['connect a:1']);
  h.tick(3000);
  assert.equal(h.takeLog(), ['disconnect', 'connect b:2']);
  h.session.handleConnected(3100);
  h.tick(6000);
  assert.is(h.log[0], 'disconnect');
  assert.is(h.session.list.failedAttempts[1]?.reason, 'b:2 did not answer in time');
});

test('connecting: gives up after the configured number of rounds', () => {
  const h = new SessionHarness({ servers: TWO, connectRounds: 2 });
  h.session.start(0);
  h.ask('/a');
  h.session.handleClosed(new Error('a:1 refused'), 0);
  h.session.handleClosed(new Error('b:2 refused'), 0);
  h.tick(h.session.nextDeadlineMs);
  h.session.handleClosed(new Error('a:1 refused'), h.now);
  h.takeLog();
  h.session.handleClosed(new Error('b:2 refused'), h.now);
  assert.equal(h.takeLog(), [
    'disconnect',
    'state closed: no server accepted the session in 2 rounds of the list',
    'ECLOSED /a',
  ]);
});

test('connecting: the limit of rounds ends with the first connection', () => {
  const h = new SessionHarness({ connectRounds: 1 });
  h.establish();
  for (let i = 0; i < 3; i++) {
    h.session.handleClosed(new Error('gone'), h.now);
    h.tick(h.session.nextDeadlineMs);
  }
  assert.is(h.session.state, 'disconnected');
});

test('connecting: after a server that closes during the handshake, the next one is tried', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  h.session.handleConnected(0);
  h.session.handleClosed(undefined, 0);
  assert.equal(h.log, ['connect a:1', 'connect b:2']);
  assert.match(h.session.list.failedAttempts[0]?.reason ?? '', 'during the handshake');
});

test('re-attach: sends its session and the last zxid it saw', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.ask('/a');
  h.receive(reply(1, 0x1_8000_0002n, 0, bytes('')));
  h.takeBytes();
  h.session.handleClosed(undefined, 0);
  h.session.handleConnected(0);
  assert.equal(h.takeBytes(), hello(0x1_8000_0002n, 0x77n, PASSWORD));
  h.receive(welcome());
  assert.equal(h.log, [
    'ok /a ',
    'state disconnected: a:1 closed the connection',
    'connect b:2',
    'state connected',
  ]);
});

test('re-attach: to the session of an earlier client', () => {
  const h = new SessionHarness({ session: { id: 0x55n, password: Buffer.from(PASSWORD) } });
  h.session.start(0);
  h.session.handleConnected(0);
  assert.equal(h.takeBytes(), hello(0n, 0x55n, PASSWORD));
});

test('re-attach: a single server is not contacted again at once', () => {
  const h = new SessionHarness();
  h.establish();
  h.session.handleClosed(new Error('gone'), 0);
  assert.equal(h.takeLog(), ['state disconnected: gone']);
  assert.is(h.session.nextDeadlineMs, 50);
  h.tick(50);
  assert.equal(h.takeLog(), ['connect a:1']);
});

for (const [title, answer] of [
  ['timeout 0', welcome({ timeoutMs: 0 })],
  ['session id 0', welcome({ sessionId: 0n })],
] as const) {
  test(`expired: a server says so, by ${title}`, () => {
    const h = new SessionHarness({ servers: TWO });
    h.establish();
    h.session.handleClosed(new Error('gone'), 0);
    h.ask('/a');
    h.addAuth('digest', 'u:p');
    h.takeLog();
    h.session.handleConnected(0);
    h.receive(answer);
    assert.equal(h.takeLog(), [
      'disconnect',
      'state expired: b:2 reports that the session has expired',
      'SESSIONEXPIRED /a',
      'auth SESSIONEXPIRED u:p',
    ]);
    h.ask('/b');
    assert.equal(h.takeLog(), ['SESSIONEXPIRED /b']);
    assert.is(h.session.nextDeadlineMs, Number.POSITIVE_INFINITY);
    h.session.close(0);
    assert.equal(h.takeLog(), ['state closed']);
  });
}

test('read-only: a client that requires a read-write server leaves a read-only one', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  h.session.handleConnected(0);
  h.receive(welcome({ isReadOnly: true }));
  assert.equal(h.log, ['connect a:1', 'disconnect', 'connect b:2']);
});

test('read-only: its session is local, so the client requests a new one from the next server', () => {
  const h = new SessionHarness({ servers: TWO, canBeReadOnly: true });
  h.establish({ isReadOnly: true, sessionId: 0x99n });
  assert.is(h.session.state, 'connected-readonly');
  h.session.handleClosed(undefined, 0);
  h.session.handleConnected(0);
  const asked = h.takeBytes();
  assert.equal([asked.readBigInt64BE(20), asked.at(-1)], [0n, 1]);
  h.receive(welcome({ sessionId: 0x77n }));
  h.session.handleClosed(undefined, 0);
  h.session.handleConnected(0);
  assert.is(h.takeBytes().readBigInt64BE(20), 0x77n);
});

test('liveness: a ping after a third of the timeout without a send', () => {
  const h = new SessionHarness();
  h.establish();
  assert.is(h.session.nextDeadlineMs, 3000);
  h.tick(2999);
  assert.is(h.takeBytes().length, 0);
  h.now = 0;
  h.takeBytes();
  h.tick(3000);
  assert.equal(h.takeBytes(), PING);
  h.receive(reply(-2, 0n, 0));
  assert.is(h.session.nextDeadlineMs, 6000);
});

test('liveness: every request counts as a heartbeat', () => {
  const h = new SessionHarness();
  h.establish();
  h.now = 2000;
  h.ask('/a');
  h.takeBytes();
  h.receive(reply(1, 1n, 0, bytes('')));
  h.tick(3000);
  assert.is(h.isWriteWanted, false);
  assert.is(h.session.nextDeadlineMs, 5000);
});

test('liveness: a server silent for two thirds of the timeout is abandoned', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.ask('/a');
  h.tick(3000);
  h.takeBytes();
  h.tick(5999);
  assert.equal(h.takeLog(), []);
  h.tick(6000);
  assert.equal(h.takeLog(), [
    'disconnect',
    'state disconnected: a:1 was silent for 6000 ms',
    'connect b:2',
    'CONNECTIONLOSS /a',
  ]);
});

test('close: is sent after pending requests, and ends when the server has closed the session', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a');
  h.session.close(0);
  h.ask('/b');
  assert.equal(h.takeLog(), ['ECLOSED /b']);
  assert.equal(h.takeBytes(), Buffer.concat([request(1, '/a'), frame(int(2), int(-11))]));
  h.receive(reply(1, 1n, 0, bytes('A')), reply(2, 2n, 0));
  assert.equal(h.takeLog(), ['ok /a A', 'disconnect', 'state closed']);
  h.session.close(0);
  assert.equal(h.takeLog(), []);
});

test('close: also ends if the connection is lost before the response', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a');
  h.session.close(0);
  h.session.handleClosed(new Error('gone'), 0);
  assert.equal(h.log, ['disconnect', 'state closed', 'ECLOSED /a']);
});

test('close: waits for the server only until its timeout', () => {
  const h = new SessionHarness();
  h.establish();
  h.session.close(0);
  h.tick(CLOSE_TIMEOUT_MS - 1);
  assert.is(h.session.state, 'connected');
  h.tick(CLOSE_TIMEOUT_MS);
  assert.is(h.session.state, 'closed');
});

test('close: without a connection, it ends at once', () => {
  const h = new SessionHarness();
  h.ask('/a');
  h.session.start(0);
  h.session.close(0);
  assert.equal(h.log, ['connect a:1', 'disconnect', 'state closed', 'ECLOSED /a']);
});

test('events of a closed connection change nothing', () => {
  const h = new SessionHarness();
  h.establish();
  h.session.close(0);
  h.receive(reply(1, 1n, 0));
  h.takeLog();
  h.session.handleClosed(new Error('late'), 0);
  h.session.handleConnected(0);
  h.tick(100_000);
  h.receive(reply(5, 1n, 0));
  assert.equal(h.takeLog(), []);
});

test.run();
