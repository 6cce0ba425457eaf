import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperError } from '../../src/client/base/errors.js';
import { makeRequest } from '../../src/client/session/request.js';
import {
  bytes,
  event,
  int,
  PATH_ONLY,
  reply,
  SessionHarness,
  TWO,
  welcome,
} from './session-harness.js';

// The session timeout of the harness is 9000 ms: two thirds are 6000, four thirds are 12000.

/** Asks, and writes the outcome down: "SESSIONEXPIRED /a unknown". */
function ask(h: SessionHarness, path: string, isWrite = true): void {
  const request = makeRequest(
    isWrite ? { ...PATH_ONLY, isWrite } : PATH_ONLY,
    path,
    path,
    () => h.log.push(`ok ${path}`),
    (error) => {
      const { code, hasUnknownOutcome } = error as ZooKeeperError;
      h.log.push(`${code} ${path}${hasUnknownOutcome ? ' unknown' : ''}`);
    },
  );
  h.session.submit(request, h.now);
}

/** Passes the time with an event at each deadline; each attempt to connect is refused. */
function passUntil(h: SessionHarness, endMs: number, refuse = true): void {
  while (h.session.nextDeadlineMs <= endMs) {
    h.tick(h.session.nextDeadlineMs);
    h.takeBytes();
    if (refuse) h.session.handleClosed(new Error('refused'), h.now);
  }
  h.tick(endMs);
}

test('a session that reaches no server for 4/3 of its timeout has expired', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.session.handleClosed(new Error('gone'), 0);
  ask(h, '/a');
  passUntil(h, 11_999);
  assert.is(h.session.state, 'disconnected');
  h.takeLog();
  h.tick(12_000);
  assert.equal(h.takeLog(), [
    'disconnect',
    'state expired: no server answered for 12000 ms, with a session timeout of 9000 ms',
    'SESSIONEXPIRED /a',
  ]);
  ask(h, '/b');
  assert.equal(h.takeLog(), ['SESSIONEXPIRED /b']);
  assert.is(h.session.nextDeadlineMs, Number.POSITIVE_INFINITY);
});

test('the time counts from the last answer, not from the end of the connection', () => {
  const h = new SessionHarness();
  h.establish();
  passUntil(h, 5000, false);
  h.receive(reply(-2, 0n, 0));
  h.session.handleClosed(new Error('gone'), 5000);
  passUntil(h, 16_999);
  assert.is(h.session.state, 'disconnected');
  h.tick(17_000);
  assert.is(h.session.state, 'expired');
});

test('a server that accepts connections and never answers keeps no session alive', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.session.handleClosed(new Error('gone'), 0);
  while (h.now < 12_000 && h.session.state !== 'expired') {
    h.session.handleConnected(h.now);
    h.takeBytes();
    h.tick(Math.min(h.session.nextDeadlineMs, h.now + 1000));
  }
  assert.is(h.session.state, 'expired');
});

test('a frame that never ends keeps no session alive, though its bytes keep coming', () => {
  const h = new SessionHarness({ maxFrameLength: 100_000 });
  h.establish();
  ask(h, '/a');
  h.takeBytes();
  h.receive(int(99_999));
  while (h.now < 11_000) {
    h.tick(h.now + 1000);
    h.receive(Buffer.from('Z'));
  }
  assert.is(h.session.state, 'connected');
  h.takeLog();
  h.tick(12_000);
  assert.match(h.takeLog().join('\n'), /state expired: .*\nSESSIONEXPIRED \/a unknown$/);
});

test('a read of an ended session has no outcome that anybody could miss', () => {
  const h = new SessionHarness();
  h.establish();
  ask(h, '/write');
  ask(h, '/read', false);
  h.takeBytes();
  h.tick(12_000);
  const lines = h.takeLog().filter((line) => line.startsWith('SESSIONEXPIRED'));
  assert.equal(lines, ['SESSIONEXPIRED /write unknown', 'SESSIONEXPIRED /read']);
});

test('a session that was never established does not expire: connect() has its own timeout', () => {
  const h = new SessionHarness();
  h.session.start(0);
  passUntil(h, 100_000);
  assert.is(h.session.state, 'connecting');
});

test('a close that is under way stays a close', () => {
  const h = new SessionHarness();
  h.establish();
  h.session.close(0);
  h.tick(50_000);
  assert.is(h.session.state, 'closed');
});

test('a process that was stopped tells the loss before it reads what waits in the socket', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  ask(h, '/a');
  h.takeBytes();
  h.now = 9000;
  h.receive(reply(1, 1n, 0, bytes('x')), event(3, '/a'));
  assert.equal(h.takeLog(), [
    'disconnect',
    'state disconnected: a:1 was silent for 9000 ms',
    'connect b:2',
    'CONNECTIONLOSS /a unknown',
  ]);
});

test('a process that was stopped for 4/3 of the timeout tells that the session has expired', () => {
  const h = new SessionHarness();
  h.establish();
  h.now = 60_000;
  h.receive(reply(-2, 0n, 0));
  assert.is(h.session.state, 'expired');
});

test('errors tell whether the request was sent', () => {
  const h = new SessionHarness({ requestTimeoutMs: 100, servers: TWO });
  ask(h, '/waits');
  h.session.start(0);
  h.tick(100);
  h.session.handleConnected(100);
  h.receive(welcome());
  ask(h, '/sent');
  h.tick(200);
  ask(h, '/lost');
  ask(h, '/refused');
  h.receive(reply(1, 1n, 0, bytes('')), reply(2, 1n, -103));
  h.session.handleClosed(new Error('gone'), h.now);
  ask(h, '/later');
  h.session.close(h.now);
  ask(h, '/last');
  const outcomes = h.log.filter((line) => line.includes('/'));
  assert.equal(outcomes, [
    'ETIMEDOUT /waits',
    'ETIMEDOUT /sent unknown',
    'BADVERSION /lost',
    'CONNECTIONLOSS /refused unknown',
    'ECLOSED /later',
    'ECLOSED /last',
  ]);
});

test.run();
