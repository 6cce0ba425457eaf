import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Establishment,
  isPossibleEpoch,
  MAX_EPOCHS_AHEAD,
} from '../../../../src/server/quorum/leading/establishment.js';
import { Membership } from '../../../../src/server/quorum/membership/membership.js';
import { parse } from '../../../sim/shape.js';

// Server 1 leads three voters; server 4 is an observer, and server 5 no member.

const LINES = [1, 2, 3, 4].map(
  (sid) => `server.${sid}=h${sid}:2888:3888:${sid === 4 ? 'observer' : 'participant'}`,
);
const LATE = 1000;

function begun(): Establishment {
  return new Establishment(new Membership(parse([...LINES, 'version=0'].join('\n'))), 1);
}

/** Past the discovery: the voters accepted 5 and 7, so the epoch is 8. */
function proposed(): Establishment {
  const establishment = begun();
  establishment.connect(1, 5);
  assert.ok(establishment.connect(2, 7));
  assert.is(establishment.stage, 'proposing');
  establishment.written('acceptedEpoch');
  return establishment;
}

function established(): Establishment {
  const establishment = proposed();
  establishment.promise(1);
  assert.ok(establishment.promise(2));
  establishment.written('currentEpoch');
  establishment.sync(1);
  assert.ok(establishment.sync(2));
  return establishment;
}

test('the epoch is newer than those of a quorum with the leader, and of observers', () => {
  const establishment = begun();
  assert.not(establishment.connect(2, 7));
  assert.not(establishment.connect(3, 3), 'not without the leader');
  assert.not(establishment.connect(4, 9));
  assert.not(establishment.connect(5, 20), 'no member');
  assert.ok(establishment.connect(1, 5));
  assert.is(establishment.epoch, 10);
  assert.not(establishment.connect(3, 30), 'too late');
  assert.is(establishment.epoch, 10);
});

test('an observer and a stranger make no quorum, and an impossible epoch does not count', () => {
  const establishment = begun();
  assert.not(establishment.connect(1, 5));
  assert.not(establishment.connect(4, 5));
  assert.not(establishment.connect(5, 5));
  assert.not(establishment.connect(2, 5 + MAX_EPOCHS_AHEAD + 1));
  assert.is(establishment.epoch, 6);
  assert.ok(establishment.connect(2, 5 + MAX_EPOCHS_AHEAD));
});

test('an epoch is possible from 0 to MAX_EPOCHS_AHEAD later, but for the last one', () => {
  assert.equal(
    [-1, 0, 3, 4].map((epoch) => isPossibleEpoch(epoch, 4)),
    [false, true, true, true],
  );
  const last = 0x7fff_ffff;
  assert.equal(
    [last - 1, last].map((epoch) => isPossibleEpoch(epoch, last - 2)),
    [true, false],
  );
});

for (const [name, ready, stage, next] of [
  ['promise', proposed, 'election', 'taking'],
  [
    'sync',
    () => {
      const establishment = proposed();
      establishment.promise(1);
      establishment.promise(2);
      establishment.written('currentEpoch');
      return establishment;
    },
    'synchronization',
    'broadcast',
  ],
] as const) {
  test(`a ${name} counts once for each voter, and a quorum includes the leader`, () => {
    const establishment = ready();
    for (const sid of [2, 2, 4, 5, 3]) assert.not(establishment[name](sid), `${sid}`);
    assert.is(establishment.stage, stage);
    assert.ok(establishment[name](1));
    assert.is(establishment.stage, next);
    assert.not(establishment[name](3), 'only once');
  });
}

test('the oracle excuses voters at each stage, but never the leader itself', () => {
  const pair = new Membership(parse([...LINES.slice(0, 2), 'version=0'].join('\n')));
  const establishment = new Establishment(pair, 1);
  const other = (sid: number) => sid === 2;
  assert.not(establishment.excuse((sid) => sid === 1));
  assert.not(establishment.connect(1, 5));
  assert.ok(establishment.excuse(other));
  assert.not(establishment.excuse(other), 'the disk decides now');
  establishment.written('acceptedEpoch');
  assert.not(establishment.promise(1));
  assert.ok(establishment.excuse(other));
  establishment.written('currentEpoch');
  assert.not(establishment.sync(1));
  assert.ok(establishment.excuse(other));
  assert.is(establishment.stage, 'broadcast');
});

test('it waits in turn for voters and the disk, and is taken once the disk has it', () => {
  const establishment = begun();
  const states: string[] = [];
  const step = (end: () => unknown): void => {
    const { stage, isCounting, isTaken } = establishment;
    states.push(`${stage}${isCounting ? ' counts' : ''}${isTaken ? ' taken' : ''}`);
    end();
  };
  step(() => [1, 2].map((sid) => establishment.connect(sid, 5)));
  step(() => establishment.written('acceptedEpoch'));
  step(() => [1, 2].map((sid) => establishment.promise(sid)));
  step(() => establishment.written('currentEpoch'));
  step(() => [1, 2].map((sid) => establishment.sync(sid)));
  step(() => undefined);
  assert.equal(states, [
    'discovery counts',
    'proposing',
    'election counts',
    'taking',
    'synchronization counts taken',
    'broadcast taken',
  ]);
});

test('a leader that serves steps down only for a possible newer epoch of a voter, in time', () => {
  const establishment = established();
  assert.is(establishment.epoch, 8);
  assert.is(establishment.overtakenBy(2, 8, LATE), null);
  assert.is(establishment.overtakenBy(4, 9, LATE), null);
  assert.is(establishment.overtakenBy(2, 9 + MAX_EPOCHS_AHEAD, LATE), null);
  assert.is(establishment.overtakenBy(2, 9, 99), null);
  assert.match(establishment.overtakenBy(2, 9, 100) ?? '', /accepted epoch 9 and cannot follow/);
  assert.is(proposed().overtakenBy(2, 9, LATE), null);
});

test.run();
