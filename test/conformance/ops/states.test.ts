import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { taskJson } from '../../commands/zkops/call-task.js';
import { oracleTest } from '../../support/apache/oracle.js';
import {
  type Member,
  makeSeats,
  type Seat,
  waitUntilServing,
} from '../../support/apache/oracle-ensemble.js';
import { lookUntil, PATIENT } from '../../support/pages/ops-checks.js';
import { type Expected, expectTable, serving } from '../../support/pages/ops-table.js';
import { rolesOf, runZkops } from '../../support/terminal/run-zkops.js';

// Every zkops verb with members that lead, follow, observe, hang, are dead, look for a leader, or
// serve read-only clients. Apache's and the bundled servers must give the same results.

type Kind = 'Apache' | 'bundled';
const KINDS: readonly Kind[] = ['Apache', 'bundled'];
const READ_ONLY = { 'readonlymode.enabled': 'true' };

/** Long enough for a server under load. Each query of a hanging server takes all of it. */
const LIMITS = ['--timeout', '3000', '--deadline', '20000'];
const listOf = (seats: readonly Seat[]) => [
  '--servers',
  seats.map(({ connectString }) => connectString).join(),
  ...LIMITS,
];

const probes = (most: string, differing: Readonly<Record<string, string>> = {}) => ({
  'latency --count 3': most,
  smoke: most,
  gate: most,
  consistency: most,
  'consistency --walk': most,
  drift: most,
  clients: most,
  watches: most,
  'watches --by path': most,
  'watches --by host': most,
  ...differing,
});

interface Members {
  readonly leader: Member;
  readonly followers: readonly Member[];
  readonly observer: Member;
}

/** Three voters and an observer, by their roles. */
async function withEnsemble(
  kind: Kind,
  isReadOnly: (seat: Seat) => boolean,
  use: (members: Members) => Promise<void>,
): Promise<void> {
  const seats = await makeSeats({ participants: 3, observers: 1 });
  try {
    const started = seats.all.map((seat) => {
      const start = kind === 'Apache' ? seats.startApache : seats.startBundled;
      return start(seat.sid, isReadOnly(seat) ? READ_ONLY : {});
    });
    for (const seat of seats.all) await waitUntilServing(seat);
    // On a busy machine, a member may lose its leader once more.
    const look = await lookUntil(
      'all roles',
      () => runZkops(['srvr', ...listOf(seats.all).slice(0, 2), ...PATIENT]),
      (run) => [...rolesOf(run)].sort().join() === 'follower,follower,leader,observer',
    );
    const roles = rolesOf(look);
    const [leader] = started.filter((_, at) => roles[at] === 'leader');
    const followers = started.filter((_, at) => roles[at] === 'follower');
    const [observer] = started.filter((_, at) => roles[at] === 'observer');
    if (leader === undefined || observer === undefined) throw new Error(look.out);
    await use({ leader, followers, observer });
  } finally {
    await seats.close();
  }
}

const seatsOf = (members: readonly (Member | undefined)[]): Seat[] =>
  members.flatMap((member) => (member === undefined ? [] : [member.seat]));

async function waitForStates(members: readonly (Member | undefined)[], states: string) {
  await lookUntil(
    states,
    () => runZkops(['srvr', ...listOf(seatsOf(members))]),
    (run) => run.result?.members.map(({ state }) => state).join(' ') === states,
  );
}

async function expectReady(member: Member | undefined, exitCode: number, ...args: string[]) {
  const servers = listOf(seatsOf([member]));
  const found = await taskJson(['ready', ...servers, ...args], { ask: askWord });
  assert.is(found.exitCode, exitCode, found.verdict.summary);
}

const WELL = serving(4);

const ONE_HANGS: Expected = {
  judged: '1 serving timeout serving serving',
  alive: '1 answered timeout answered answered',
  served: '1 answered timeout answered answered',
  isro: '1 answered timeout answered answered',
  probes: probes('1 member:timeout', {
    'latency --count 3': '1 no-session',
    smoke: '1 no-session',
  }),
};

/** The leader is dead, a follower hangs, the other one is read-only, and the observer looks. */
const LOST: Expected = {
  judged: '2 refused timeout read-only not-serving',
  alive: '2 refused timeout answered answered',
  served: '2 refused timeout answered not-serving',
  isro: '2 refused timeout read-only not-serving',
  probes: probes('1 member:not-serving member:refused member:timeout', {
    'latency --count 3': '2 no-session',
    smoke: '2 no-session',
    gate: '2 member:not-serving member:read-only member:refused member:timeout no-quorum',
    consistency: '3 member:not-serving member:read-only member:refused member:timeout no-walk',
    'consistency --walk':
      '3 member:not-serving member:read-only member:refused member:timeout no-walk',
    drift: '3 member:not-serving member:read-only member:refused member:timeout',
  }),
};

/** Apache's read-only server does not report the members. The bundled one does. */
const readOnlyAlone = (kind: Kind): Expected => ({
  judged: '2 read-only',
  alive: '0 answered',
  served: '0 answered',
  isro: '1 read-only',
  probes: probes('0', {
    'latency --count 3': '2 no-session',
    smoke: '2 no-session',
    gate: '2 member:read-only no-quorum',
    consistency: '3 member:read-only no-walk',
    'consistency --walk': '3 member:read-only no-walk',
    drift: kind === 'Apache' ? '1 member:read-only' : '1 listed member:read-only',
  }),
});

const ELECTING_ALONE: Expected = {
  judged: '2 not-serving',
  alive: '0 answered',
  served: '2 not-serving',
  isro: '2 not-serving',
  probes: probes('3 member:not-serving no-answer', {
    'latency --count 3': '2 no-session',
    smoke: '2 no-session',
    gate: '2 member:not-serving no-quorum',
    consistency: '3 member:not-serving no-walk',
    'consistency --walk': '3 member:not-serving no-walk',
    drift: '3 member:not-serving',
  }),
};

for (const kind of KINDS) {
  const kindTest = kind === 'Apache' ? oracleTest : test;

  kindTest(
    `every verb with ${kind} members that serve, hang, are dead, or lost the quorum`,
    async () => {
      await withEnsemble(
        kind,
        ({ role }) => role === 'participant',
        async (members) => {
          const { leader, followers, observer } = members;
          const [stuck, left] = followers;
          const list = listOf(seatsOf([leader, stuck, left, observer]));
          await expectTable('all serve', list, WELL);
          for (const member of [leader, stuck, left, observer]) await expectReady(member, 0);

          process.kill(stuck?.pid() ?? 0, 'SIGSTOP');
          await expectTable('a follower hangs', list, ONE_HANGS);
          await expectReady(stuck, 2);

          await leader.stop('SIGKILL');
          await waitForStates([left, observer], 'read-only not-serving');
          await expectTable('the quorum is lost', list, LOST);
          await expectTable('read-only', listOf(seatsOf([left])), readOnlyAlone(kind));
          await expectReady(left, 2);
          await expectReady(left, 0, '--read-only');
          await expectReady(leader, 2);
          await expectReady(observer, 2, '--read-only');
        },
      );
    },
  );

  kindTest(`every verb with a ${kind} voter that looks and a read-only observer`, async () => {
    await withEnsemble(
      kind,
      ({ role }) => role === 'observer',
      async (members) => {
        const { leader, followers, observer } = members;
        const [other, left] = followers;
        await Promise.all([leader.stop('SIGKILL'), other?.stop('SIGKILL')]);
        await waitForStates([left, observer], 'not-serving read-only');
        await expectTable('a voter looks', listOf(seatsOf([left])), ELECTING_ALONE);
        await expectTable('an observer', listOf(seatsOf([observer])), readOnlyAlone(kind));
      },
    );
  });
}

test.run();
