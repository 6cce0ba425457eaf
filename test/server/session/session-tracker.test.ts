import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SessionTracker } from '../../../src/server/session/session-tracker.js';

const TICK = 100;
const ID = 0x1000_0000_0000_0001n;

function ids(sessions: Iterable<{ readonly id: bigint }>): bigint[] {
  return Array.from(sessions, ({ id }) => id);
}

test('a session is found by its id, negative ones too', () => {
  const tracker = new SessionTracker(TICK, 0);
  for (const id of [ID, -ID, -1n, 1n]) {
    const session = tracker.add(id, 1000, 0);
    assert.is(tracker.get(id), session);
    assert.is(session.id, id);
    assert.is(session.timeoutMs, 1000);
  }
  assert.is(tracker.size, 4);
  assert.is(tracker.get(2n), undefined);
});

test('a session that is there already stays as it is', () => {
  const tracker = new SessionTracker(TICK, 0);
  const session = tracker.add(ID, 1000, 0);
  assert.is(tracker.add(ID, 5000, 0), session);
  assert.is(session.timeoutMs, 1000);
  assert.is(tracker.size, 1);
});

test('a session that is silent for its timeout ends, one that is not lives on', () => {
  const tracker = new SessionTracker(TICK, 0);
  tracker.add(1n, 500, 0);
  const lively = tracker.add(2n, 500, 0);
  tracker.touch(lively, 400);
  assert.equal(ids(tracker.expire(500)), []);
  assert.equal(ids(tracker.expire(600)), [1n]);
  assert.equal(ids(tracker.expire(900)), []);
  assert.equal(ids(tracker.expire(1000)), [2n]);
});

test('a session that expired is closing until its closeSession is applied, and expires once', () => {
  const tracker = new SessionTracker(TICK, 0);
  const session = tracker.add(ID, 100, 0);
  tracker.expire(1000);
  assert.ok(session.isClosing);
  assert.is(tracker.get(ID), session);
  // Too late: it is not brought back.
  tracker.touch(session, 1000);
  assert.equal(ids(tracker.expire(5000)), []);
  assert.is(tracker.remove(ID), session);
  assert.is(tracker.get(ID), undefined);
});

test('a session that was removed does not expire any more', () => {
  const tracker = new SessionTracker(TICK, 0);
  const session = tracker.add(ID, 100, 0);
  assert.is(tracker.remove(ID), session);
  assert.ok(session.isClosing);
  assert.is(tracker.remove(ID), undefined);
  assert.equal(ids(tracker.expire(5000)), []);
  assert.is(tracker.size, 0);
});

test('the tracker reports the next expiry and all expiry times', () => {
  const tracker = new SessionTracker(TICK, 0);
  tracker.add(1n, 250, 0);
  tracker.add(2n, 50, 0);
  assert.is(tracker.nextExpiryMs, 100);
  assert.equal(
    Array.from(tracker.expiryEntries(), ([bucketMs, sessions]) => [bucketMs, ids(sessions)]),
    [
      [100, [2n]],
      [300, [1n]],
    ],
  );
  assert.equal(ids(tracker.values()), [1n, 2n]);
});

test('a session whose createSession is under way is found, and not yet there', () => {
  const tracker = new SessionTracker(TICK, 0);
  const session = tracker.open(ID, 1000);
  assert.is(tracker.open(ID, 5000), session);
  assert.is(tracker.find(ID), session);
  assert.is(tracker.get(ID), undefined);
  assert.is(tracker.size, 0);
  assert.ok(tracker.has(ID));
  assert.is(tracker.add(ID, 1000, 0), session);
  assert.is(tracker.get(ID), session);
  assert.is(tracker.open(ID, 1000), session);
});

test('local sessions are kept apart, and expire apart', () => {
  const tracker = new SessionTracker(TICK, 0);
  assert.is(tracker.local, null);
  const local = tracker.addLocal(1n, 500, 0);
  tracker.add(2n, 500, 0);
  assert.equal(ids(tracker.values()), [2n]);
  assert.is(tracker.find(1n), undefined);
  assert.ok(tracker.has(1n));
  tracker.touch(local, 400);
  assert.equal(ids(tracker.expire(600)), [2n]);
  assert.equal(ids(tracker.local?.expire(600) ?? []), []);
  assert.equal(ids(tracker.local?.expire(1000) ?? []), [1n]);
});

test('a learner reports global sessions to its leader, and not local ones', () => {
  const tracker = new SessionTracker(TICK, 0);
  tracker.reportTouched();
  const local = tracker.addLocal(1n, 500, 0);
  const upgraded = tracker.addLocal(2n, 500, 0);
  tracker.upgrade(upgraded);
  for (const session of [local, upgraded]) tracker.touch(session, 100);
  assert.equal(ids(tracker.takeTouched()), [2n]);
});

test('a local session becomes one of the ensemble when its createSession is applied', () => {
  const tracker = new SessionTracker(TICK, 0);
  const session = tracker.addLocal(ID, 500, 0);
  tracker.upgrade(session);
  assert.not.ok(session.isLocal || session.isClosing);
  assert.is(tracker.local?.size, 0);
  assert.is(tracker.size, 0);
  assert.is(tracker.add(ID, 500, 0), session);
  assert.is(tracker.size, 1);
  assert.equal(ids(tracker.local?.expire(10_000) ?? []), []);
  assert.equal(ids(tracker.expire(600)), [ID]);
});

test.run();
