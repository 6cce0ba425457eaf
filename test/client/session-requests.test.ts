import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../src/client/session/request.js';
import { EventType, WatcherType } from '../../src/protocol/watch-event.js';
import {
  byte,
  bytes,
  event,
  frame,
  int,
  list,
  long,
  PATH_ONLY,
  reply,
  request,
  SessionHarness,
  TWO,
  welcome,
} from './session-harness.js';

const getData: Operation<string, string> = { ...PATH_ONLY, code: 4, watchKind: 'data' };
const getChildren: Operation<string, string> = { ...PATH_ONLY, code: 12, watchKind: 'child' };
const exists: Operation<string, string> = {
  ...PATH_ONLY,
  code: 3,
  watchKind: 'exists',
  noNodeValue: 'absent',
};
const recursive: Operation<string, string> = { ...PATH_ONLY, code: 106, watchKind: 'recursive' };

test('requests: wait for the connection, leave in one write, are answered in order', () => {
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
  assert.is(h.session.identity.lastZxid, 2n);
});

test('requests: an invalid zxid (0 of auth, -1 of an unknown op) is ignored', () => {
  const h = new SessionHarness();
  h.establish();
  for (const path of ['/a', '/b', '/c']) h.ask(path);
  h.receive(reply(1, 7n, 0, bytes('')), reply(2, 0n, -102), reply(3, -1n, -6));
  assert.is(h.session.identity.lastZxid, 7n);
});

const BROKEN: readonly (readonly [string, Buffer])[] = [
  ['a reply to another request', reply(2, 1n, 0, bytes(''))],
  ['a truncated header', frame(int(1), int(0))],
  ['a truncated body', reply(1, 1n, 0, int(5), byte(1))],
  ['a negative length inside', reply(1, 1n, 0, int(-2))],
  ['a negative frame length', int(-1)],
  ['a frame longer than allowed', int(1001)],
];
for (const [title, answer] of BROKEN) {
  test(`requests: ${title} breaks the connection and fails requests in flight`, () => {
    const h = new SessionHarness({ servers: TWO });
    h.establish();
    h.ask('/a');
    h.receive(answer, reply(1, 1n, 0, bytes('late')));
    assert.is(h.log[0], 'disconnect');
    assert.match(
      h.log[1] ?? '',
      /^state disconnected: a:1 (violated the protocol: |sent a reply of \d+ bytes, more than )/,
    );
    assert.equal(h.log.slice(2), ['connect b:2', 'CONNECTIONLOSS /a']);
  });
}

test('requests: an unexpected reply breaks the connection', () => {
  const h = new SessionHarness({ servers: TWO });
  h.establish();
  h.receive(reply(1, 1n, 0));
  assert.is(h.log[0], 'disconnect');
});

test('requests: an invalid one is refused, sends no bytes, and uses no xid', () => {
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
  assert.equal(h.takeBytes(), request(1, '/a'));
});

test('loss: sent requests fail, and waiting ones are sent on the next connection', () => {
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

test('auth: is answered in order, and sent again first on every connection', () => {
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

test('watches: the event comes before the next reply, without the chroot', () => {
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

test('watches: a failed read sets none', () => {
  const h = new SessionHarness();
  h.establish();
  h.ask('/a', { operation: getData });
  h.receive(reply(1, 1n, -101), event(EventType.NodeCreated, '/a'));
  assert.equal(h.log, ['NONODE /a']);
});

test('watches: are set again on a new connection, before waiting requests', () => {
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

/** Paths whose watches need a request each. */
const LONG = ['a', 'b'].map((letter) => `/${letter.repeat(100_000)}`);

/** A session with a watch on each of LONG at zxid 4, whose connection is lost. */
function watchingLongPaths(): SessionHarness {
  const h = new SessionHarness({ maxFrameLength: 1 << 20 });
  h.establish();
  for (const path of LONG) h.ask(path, { operation: getData });
  h.receive(reply(1, 3n, 0, bytes('')), reply(2, 4n, 0, bytes('')));
  return h;
}

/** Connects again. @returns the hello, and the requests behind it */
function connectAgain(h: SessionHarness): readonly [Buffer, Buffer] {
  h.session.handleClosed(new Error('gone'), 0);
  h.tick(h.now + 10_000);
  h.session.handleConnected(h.now);
  const hello = h.takeBytes();
  h.receive(welcome());
  return [hello, h.takeBytes()];
}

test('watches: events are asked for since the same zxid until all are set', () => {
  const h = watchingLongPaths();
  h.takeBytes();
  const setWatches = (path: string, zxid: bigint) =>
    frame(int(-8), int(101), long(zxid), list(path), list(), list());
  const both = (zxid: bigint) => Buffer.concat(LONG.map((path) => setWatches(path, zxid)));
  const [first, requests] = connectAgain(h);
  assert.ok(requests.equals(both(4n)));
  h.receive(reply(-8, 9n, 0));
  const [second, again] = connectAgain(h);
  assert.ok(second.equals(first));
  assert.ok(again.equals(both(4n)));
  h.receive(reply(-8, 9n, 0), reply(-8, 9n, 0));
  const [, last] = connectAgain(h);
  assert.ok(last.equals(both(9n)));
});

test('watches: are set in smaller requests after a connection that they may have ended', () => {
  const h = new SessionHarness({ maxFrameLength: 1 << 20 });
  h.establish();
  const paths = Array.from({ length: 100 }, (_, i) => `/${i}${'x'.repeat(1000)}`);
  for (const [i, path] of paths.entries()) {
    h.ask(path, { operation: getData });
    h.receive(reply(i + 1, 1n, 0, bytes('')));
  }
  h.takeBytes();
  const lengths = (requests: Buffer): number[] => {
    const found: number[] = [];
    for (let at = 0; at < requests.length; at += 4 + (found.at(-1) ?? 0)) {
      found.push(requests.readInt32BE(at));
    }
    return found;
  };
  let longest = Number.POSITIVE_INFINITY;
  for (const limit of [128, 64, 32, 16]) {
    const all = lengths(connectAgain(h)[1]);
    longest = Math.max(...all);
    assert.ok(longest <= limit * 1024 + 100, `${longest} bytes, of at most ${limit} KiB`);
  }
  assert.ok(longest > 10_000);
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

test('watches: too many for one frame are sent in several', () => {
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

test('watches: removed ones are notified', () => {
  const h = new SessionHarness({ chroot: '/app' });
  h.establish();
  h.ask('/app/a', { operation: getData });
  h.ask('/app/a', { operation: getChildren });
  h.receive(reply(1, 1n, 0, bytes('')), reply(2, 1n, 0, bytes('')));
  h.takeLog();
  h.session.replies.removeWatchers('/app/a', WatcherType.Any);
  assert.equal(h.takeLog(), ['DataWatchRemoved /a -1 to 1', 'ChildWatchRemoved /a -1 to 1']);
  assert.ok(h.session.watches.isEmpty);
});

test('timeout: a sent request keeps its place for a late reply', () => {
  const h = new SessionHarness({ requestTimeoutMs: 100 });
  h.establish();
  h.ask('/slow', { operation: getData });
  h.now = 60;
  h.ask('/next');
  assert.is(h.session.nextDeadlineMs, 100);
  h.tick(100);
  assert.equal(h.takeLog(), ['ETIMEDOUT /slow']);
  assert.is(h.session.nextDeadlineMs, 160);
  h.receive(reply(1, 1n, 0, bytes('late')), reply(2, 1n, 0, bytes('B')));
  assert.equal(h.takeLog(), ['ok /next B']);
  assert.ok(h.session.watches.isEmpty, 'the caller already got the error');
});

test('timeout: one that waits for a connection is never sent', () => {
  const h = new SessionHarness({ requestTimeoutMs: 100 });
  h.session.start(0);
  h.ask('/a');
  h.now = 50;
  h.ask('/b');
  h.tick(120);
  assert.equal(h.takeLog(), ['connect a:1', 'ETIMEDOUT /a']);
  h.session.handleConnected(120);
  h.takeBytes();
  h.receive(welcome());
  assert.equal(h.takeBytes(), request(1, '/b'));
});

test('timeout: an abandoned request fails only once when the connection is lost', () => {
  const h = new SessionHarness({ servers: TWO, requestTimeoutMs: 100 });
  h.establish();
  h.ask('/a');
  h.tick(100);
  h.session.handleClosed(new Error('gone'), 100);
  assert.equal(h.log, ['ETIMEDOUT /a', 'state disconnected: gone', 'connect b:2']);
});

test.run();
