import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/client/request.js';
import { CLOSE_TIMEOUT_MS } from '../../src/client/session.js';
import { EventType, WatcherType } from '../../src/protocol/watch-event.js';
import {
  byte,
  bytes,
  event,
  frame,
  hello,
  int,
  list,
  long,
  PASSWORD,
  PATH_ONLY,
  reply,
  request,
  SessionHarness,
  welcome,
} from './session-harness.js';

const TWO = [
  { host: 'a', port: 1 },
  { host: 'b', port: 2 },
];
const PING = frame(int(-2), int(11));
const getData: Operation<string, string> = { ...PATH_ONLY, code: 4, watchKind: 'data' };
const getChildren: Operation<string, string> = { ...PATH_ONLY, code: 12, watchKind: 'child' };
const exists: Operation<string, string> = {
  ...PATH_ONLY,
  code: 3,
  watchKind: 'exists',
  noNodeValue: 'absent',
};
const recursive: Operation<string, string> = { ...PATH_ONLY, code: 106, watchKind: 'recursive' };

test('connecting: dials, says hello, takes the session that the server gives', () => {
  const h = new SessionHarness();
  h.session.start(0);
  assert.is(h.session.state, 'connecting');
  h.session.handleConnected(0);
  assert.equal(h.takeBytes(), hello(0n, 0n, null));
  h.receive(welcome({ timeoutMs: 4000, sessionId: 0x100000000000001n }));
  assert.equal(h.log, ['connect a:1', 'state connected']);
  assert.is(h.session.sessionId, 0x100000000000001n);
  assert.is(h.session.sessionTimeoutMs, 4000);
  assert.equal(h.session.password, Buffer.from(PASSWORD));
  assert.equal(h.session.server, { host: 'a', port: 1 });
});

test('connecting: a server older than 3.4 answers without the readOnly byte', () => {
  const h = new SessionHarness();
  h.establish({ isShort: true });
  assert.is(h.session.state, 'connected');
});

test('connecting: every frame may come byte by byte', () => {
  const h = new SessionHarness();
  h.ask('/a');
  h.session.start(0);
  h.session.handleConnected(0);
  const stream = Buffer.concat([welcome(), reply(1, 5n, 0, bytes('x')), event(1, '/b')]);
  for (const one of stream) h.session.handleBytes(Buffer.from([one]), 0);
  assert.equal(h.log, ['connect a:1', 'state connected', 'ok /a x']);
});

test('connecting: goes through the list, then waits longer before each round', () => {
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
  assert.equal(h.session.failedAttempts, [
    { server: 'a:1', reason: 'a:1 refused' },
    { server: 'b:2', reason: 'b:2 refused' },
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
  assert.is(h.session.failedAttempts[1]?.reason, 'b:2 did not answer in time');
});

test('connecting: gives up after so many rounds, if it was told to', () => {
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
    'state closed: no server took the session in 2 rounds of the list',
    'CONNECTIONLOSS /a',
  ]);
});

test('connecting: rounds no longer count once there was a connection', () => {
  const h = new SessionHarness({ connectRounds: 1 });
  h.establish();
  for (let i = 0; i < 3; i++) {
    h.session.handleClosed(new Error('gone'), h.now);
    h.tick(h.session.nextDeadlineMs);
  }
  assert.is(h.session.state, 'disconnected');
});

test('connecting: a server that closes instead of answering is behind; the next one is tried', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  h.session.handleConnected(0);
  h.session.handleClosed(undefined, 0);
  assert.equal(h.log, ['connect a:1', 'connect b:2']);
  assert.match(h.session.failedAttempts[0]?.reason ?? '', 'during the handshake');
});

test('re-attach: says who it was and the last zxid it saw', () => {
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
  const session = { id: 0x55n, password: Buffer.from(PASSWORD) };
  const h = new SessionHarness({ session });
  h.session.start(0);
  h.session.handleConnected(0);
  assert.equal(h.takeBytes(), hello(0n, 0x55n, PASSWORD));
});

test('re-attach: a lone server is not dialled again at once', () => {
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
  test(`expired: only when a server says so, by ${title}`, () => {
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
      'state expired: b:2 says that the session has expired',
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

test('read-only: a server in read-only mode is left by a client that may not use one', () => {
  const h = new SessionHarness({ servers: TWO });
  h.session.start(0);
  h.session.handleConnected(0);
  h.receive(welcome({ isReadOnly: true }));
  assert.equal(h.log, ['connect a:1', 'disconnect', 'connect b:2']);
});

test('read-only: its session is its own, so the next server is asked for a new one', () => {
  const h = new SessionHarness({ servers: TWO, canBeReadOnly: true });
  h.establish({ isReadOnly: true, sessionId: 0x99n });
  assert.is(h.session.state, 'connected-readonly');
  h.session.handleClosed(undefined, 0);
  h.session.handleConnected(0);
  const asked = h.takeBytes();
  assert.is(asked.readBigInt64BE(20), 0n);
  assert.is(asked.at(-1), 1);
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

test('liveness: what is sent counts as a heartbeat', () => {
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

test('liveness: a server silent for two thirds of the timeout is left', () => {
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

test('requests: wait for the connection, go out in one piece, are answered in order', () => {
  const h = new SessionHarness();
  h.ask('/a');
  h.ask('/b');
  h.establish();
  h.ask('/c');
  assert.equal(
    h.takeBytes(),
    Buffer.concat([request(1, '/a'), request(2, '/b'), request(3, '/c')]),
  );
  h.receive(reply(1, 1n, 0, bytes('A')), reply(2, 1n, -101), reply(3, 2n, 0, bytes('C')));
  assert.equal(h.log, ['ok /a A', 'NONODE /b', 'ok /c C']);
  assert.is(h.session.lastZxid, 2n);
});

test('requests: a zxid that is none (0 of auth, -1 of an unknown op) is not kept', () => {
  const h = new SessionHarness();
  h.establish();
  for (const path of ['/a', '/b', '/c']) h.ask(path);
  h.receive(reply(1, 7n, 0, bytes('')), reply(2, 0n, -102), reply(3, -1n, -6));
  assert.is(h.session.lastZxid, 7n);
});

const BROKEN: readonly (readonly [string, Buffer])[] = [
  ['a reply to another request', reply(2, 1n, 0, bytes(''))],
  ['a header cut short', frame(int(1), int(0))],
  ['a body cut short', reply(1, 1n, 0, int(5), byte(1))],
  ['a negative length inside', reply(1, 1n, 0, int(-2))],
  ['a negative frame length', int(-1)],
  ['a frame longer than allowed', int(1001)],
];
for (const [title, answer] of BROKEN) {
  test(`requests: ${title} breaks the connection and fails what is in flight`, () => {
    const h = new SessionHarness({ servers: TWO });
    h.establish();
    h.ask('/a');
    h.receive(answer, reply(1, 1n, 0, bytes('late')));
    assert.is(h.log[0], 'disconnect');
    assert.match(h.log[1] ?? '', /^state disconnected: a:1 broke the protocol: /);
    assert.equal(h.log.slice(2), ['connect b:2', 'CONNECTIONLOSS /a']);
  });
}

test('requests: a reply that nobody asked for breaks the connection', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.receive(reply(1, 1n, 0));
  assert.is(h.log[0], 'disconnect');
});

test('requests: one that cannot be written is refused and leaves no bytes', () => {
  const h = new SessionHarness();
  h.establish();
  const operation: Operation<string, string> = {
    ...PATH_ONLY,
    write: (out) => {
      out.writeInt(1);
      throw new TypeError('no path');
    },
  };
  h.ask('/bad', { operation });
  h.ask('/a');
  assert.equal(h.takeLog(), ['TypeError /bad']);
  assert.equal(h.takeBytes(), request(2, '/a'));
});

test('loss: what was sent fails, what waits is sent on the next connection', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.ask('/sent');
  h.session.handleClosed(new Error('gone'), 0);
  h.ask('/waits');
  h.session.handleConnected(0);
  h.takeBytes();
  h.receive(welcome());
  assert.equal(h.takeBytes(), request(2, '/waits'));
  assert.equal(h.log, [
    'state disconnected: gone',
    'connect b:2',
    'CONNECTIONLOSS /sent',
    'state connected',
  ]);
});

test('auth: is answered in order, and sent again before all else on every connection', () => {
  const h = new SessionHarness({ servers: TWO });
  h.addAuth('digest', 'u:1');
  h.ask('/a');
  h.establish();
  const auth = (text: string) => frame(int(-4), int(100), int(0), bytes('digest'), bytes(text));
  assert.equal(h.takeBytes(), Buffer.concat([auth('u:1'), request(1, '/a')]));
  h.addAuth('digest', 'u:2');
  h.addAuth('digest', 'u:1');
  h.takeBytes();
  h.receive(reply(-4, 0n, 0));
  assert.equal(h.takeLog(), ['auth ok u:1', 'auth ok u:1']);
  h.session.handleClosed(new Error('gone'), 0);
  h.session.handleConnected(0);
  h.takeBytes();
  h.receive(welcome());
  assert.equal(h.takeBytes(), Buffer.concat([auth('u:1'), auth('u:2')]));
  h.takeLog();
  h.receive(reply(-4, 0n, 0), reply(-4, 0n, 0));
  assert.equal(h.takeLog(), ['auth ok u:2']);
});

test('auth: a refusal ends the session', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a');
  h.addAuth('nonsense', 'x');
  h.receive(reply(-4, 0n, -115));
  assert.equal(h.takeLog(), [
    'disconnect',
    'state auth-failed: a:1 refused the authentication',
    'AUTHFAILED /a',
    'auth AUTHFAILED x',
  ]);
  h.ask('/b');
  assert.equal(h.takeLog(), ['AUTHFAILED /b']);
});

test('watches: the event comes before the reply behind it, without the chroot', () => {
  const h = new SessionHarness({ chroot: '/app' });
  h.establish();
  h.ask('/app/a', { operation: getData });
  h.ask('/app/a');
  h.receive(
    reply(1, 1n, 0, bytes('')),
    event(EventType.NodeDataChanged, '/app/a', 5n),
    reply(2, 5n, 0, bytes('')),
    event(EventType.NodeDataChanged, '/app/a', 6n),
  );
  assert.equal(h.log, ['ok /app/a ', 'NodeDataChanged /a 5 to 1', 'ok /app/a ']);
});

test('watches: a failed read arms none', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a', { operation: getData });
  h.receive(reply(1, 1n, -101), event(EventType.NodeCreated, '/a'));
  assert.equal(h.log, ['NONODE /a']);
});

test('watches: are armed again on a new connection, before the requests that wait', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.ask('/data', { operation: getData });
  h.ask('/there', { operation: exists });
  h.ask('/absent', { operation: exists });
  h.ask('/children', { operation: getChildren });
  h.takeBytes();
  h.receive(
    reply(1, 1n, 0, bytes('')),
    reply(2, 2n, 0, bytes('')),
    reply(3, 3n, -101),
    reply(4, 4n, 0, bytes('')),
  );
  h.session.handleClosed(new Error('gone'), 0);
  h.ask('/waits');
  h.session.handleConnected(0);
  h.takeBytes();
  h.receive(welcome());
  const setWatches = frame(
    int(-8),
    int(101),
    long(4n),
    list('/data', '/there'),
    list('/absent'),
    list('/children'),
  );
  assert.equal(h.takeBytes(), Buffer.concat([setWatches, request(5, '/waits')]));
  h.takeLog();
  h.receive(event(EventType.NodeDeleted, '/there'), reply(-8, 4n, 0), reply(5, 4n, 0, bytes('')));
  assert.equal(h.takeLog(), ['NodeDeleted /there -1 to 1', 'ok /waits ']);
});

test('watches: persistent ones need setWatches2, and stay after an event', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.ask('/r', { operation: recursive });
  h.receive(reply(1, 1n, 0, bytes('')));
  h.receive(event(EventType.NodeCreated, '/r/x'), event(EventType.NodeDeleted, '/r/x'));
  h.session.handleClosed(new Error('gone'), 0);
  h.session.handleConnected(0);
  h.takeBytes();
  h.receive(welcome());
  const empty = list();
  assert.equal(
    h.takeBytes(),
    frame(int(-8), int(105), long(1n), empty, empty, empty, empty, list('/r')),
  );
  assert.equal(h.log.slice(1, 3), ['NodeCreated /r/x -1 to 1', 'NodeDeleted /r/x -1 to 1']);
});

test('watches: so many that one frame cannot hold them go in several', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  const path = (i: number) => `/${String(i).padStart(9999, '0')}`;
  for (let i = 1; i <= 20; i++) {
    h.ask(path(i), { operation: getData });
    h.receive(reply(i, 1n, 0, bytes('')));
  }
  h.session.handleClosed(new Error('gone'), 0);
  h.session.handleConnected(0);
  h.takeBytes();
  h.receive(welcome());
  const sent = h.takeBytes();
  const counts: number[] = [];
  for (let at = 0; at < sent.length; at += 4 + sent.readInt32BE(at)) {
    assert.ok(sent.readInt32BE(at) <= 128 * 1024 + 40);
    counts.push(sent.readInt32BE(at + 20));
  }
  assert.equal(counts, [13, 7]);
});

test('watches: removed ones are told so', () => {
  const h = new SessionHarness({ chroot: '/app' });
  h.establish();
  h.ask('/app/a', { operation: getData });
  h.ask('/app/a', { operation: getChildren });
  h.receive(reply(1, 1n, 0, bytes('')), reply(2, 1n, 0, bytes('')));
  h.takeLog();
  h.session.removeWatchers('/app/a', WatcherType.Any);
  assert.equal(h.takeLog(), ['DataWatchRemoved /a -1 to 1', 'ChildWatchRemoved /a -1 to 1']);
  assert.ok(h.session.watches.isEmpty);
});

test('timeout: a request on the wire keeps its place for the reply that may still come', () => {
  const h = new SessionHarness({ requestTimeoutMs: 100 });
  h.establish();
  h.ask('/slow', { operation: getData });
  h.now = 60;
  h.ask('/next');
  assert.is(h.session.nextDeadlineMs, 100);
  h.tick(100);
  assert.equal(h.takeLog(), ['REQUESTTIMEOUT /slow']);
  assert.is(h.session.nextDeadlineMs, 160);
  h.receive(reply(1, 1n, 0, bytes('late')), reply(2, 1n, 0, bytes('B')));
  assert.equal(h.takeLog(), ['ok /next B']);
  assert.ok(h.session.watches.isEmpty, 'the caller was told that it failed');
});

test('timeout: one that waits for a connection is never sent', () => {
  const h = new SessionHarness({ requestTimeoutMs: 100 });
  h.session.start(0);
  h.ask('/a');
  h.now = 50;
  h.ask('/b');
  h.tick(120);
  assert.equal(h.takeLog(), ['connect a:1', 'REQUESTTIMEOUT /a']);
  h.session.handleConnected(120);
  h.takeBytes();
  h.receive(welcome());
  assert.equal(h.takeBytes(), request(1, '/b'));
});

test('timeout: an abandoned request is not told a second time when the connection goes', () => {
  const h = new SessionHarness({ servers: TWO, requestTimeoutMs: 100 });
  h.establish();
  h.ask('/a');
  h.tick(100);
  h.session.handleClosed(new Error('gone'), 100);
  assert.equal(h.log, ['REQUESTTIMEOUT /a', 'state disconnected: gone', 'connect b:2']);
});

test('close: goes out behind what was asked, and ends when the server has closed the session', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a');
  h.session.close(0);
  h.ask('/b');
  assert.equal(h.takeLog(), ['CONNECTIONLOSS /b']);
  assert.equal(h.takeBytes(), Buffer.concat([request(1, '/a'), frame(int(2), int(-11))]));
  h.receive(reply(1, 1n, 0, bytes('A')), reply(2, 2n, 0));
  assert.equal(h.takeLog(), ['ok /a A', 'disconnect', 'state closed']);
  h.session.close(0);
  assert.equal(h.takeLog(), []);
});

test('close: ends too when the connection goes before the answer', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a');
  h.session.close(0);
  h.session.handleClosed(new Error('gone'), 0);
  assert.equal(h.log, ['disconnect', 'state closed', 'CONNECTIONLOSS /a']);
});

test('close: waits for the server only so long', () => {
  const h = new SessionHarness();
  h.establish();
  h.session.close(0);
  h.tick(CLOSE_TIMEOUT_MS - 1);
  assert.is(h.session.state, 'connected');
  h.tick(CLOSE_TIMEOUT_MS);
  assert.is(h.session.state, 'closed');
});

test('close: without a connection there is nobody to tell', () => {
  const h = new SessionHarness();
  h.ask('/a');
  h.session.start(0);
  h.session.close(0);
  assert.equal(h.log, ['connect a:1', 'disconnect', 'state closed', 'CONNECTIONLOSS /a']);
});

test('late words of a connection that is gone change nothing', () => {
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
