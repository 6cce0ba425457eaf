import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../src/server/main.js';
import { oracleTest } from '../../support/apache/oracle.js';
import { makeSeats, type Seats, waitUntilServing } from '../../support/apache/oracle-ensemble.js';
import { checkFormats, flat, health, lookUntil, PATIENT } from '../../support/pages/ops-checks.js';
import { codesOf, rolesOf, runZkops } from '../../support/terminal/run-zkops.js';

// zkops with ensembles of Apache's servers, with members in every role and with every loss.
// Members are slow on a machine under load, so the limits are wide.

async function startAll(seats: Seats, properties?: Readonly<Record<string, string>>) {
  const members = seats.all.map(({ sid }) => seats.startApache(sid, properties));
  await Promise.all(seats.all.map(waitUntilServing));
  return members;
}

function serversOf(...seats: readonly Seats[]): string {
  return seats.flatMap(({ all }) => all.map(({ connectString }) => connectString)).join(',');
}

oracleTest(
  'an ensemble is healthy, then loses a response, a follower, and its quorum',
  async () => {
    const seats = await makeSeats({ participants: 3, observers: 1 });
    const standalone = await startServer({ config: { '4lw.commands.whitelist': '*' } });
    try {
      const members = await startAll(seats, { 'readonlymode.enabled': 'true' });
      const servers = serversOf(seats);
      const well = await lookUntil(
        'all three voters in sync',
        () => health(servers),
        ({ exitCode }) => exitCode === 0,
      );
      assert.equal([...rolesOf(well)].sort(), ['follower', 'follower', 'leader', 'observer']);
      assert.match(well.out, /HEALTHY: 127\.0\.0\.1:\d+ leads, 3 of 3 voters in sync\n$/);

      await checkFormats(servers);
      const mixed = await health(`${servers},${standalone.connectString}`);
      assert.is(mixed.exitCode, 2);
      assert.is(codesOf(mixed)[0], 'standalone-beside-ensemble');
      assert.ok(
        mixed.out.includes(`${standalone.connectString} runs standalone beside an ensemble`),
      );

      const quorum = await runZkops(['quorum', '--servers', servers, ...PATIENT, '-o', 'json']);
      const views: readonly Record<string, unknown>[] = JSON.parse(quorum.out).members;
      assert.equal(
        views.map(({ sid, isVoter }) => [sid, isVoter]),
        [
          ['1', true],
          ['2', true],
          ['3', true],
          ['4', false],
        ],
      );
      assert.is(views[3]?.['role'], 'observer');
      assert.ok(['1', '2', '3'].includes(String(views[3]?.['observerMaster'])));

      const roles = rolesOf(well);
      const [first = 0, second = 0] = [0, 1, 2].filter((at) => roles[at] === 'follower');
      process.kill(members[first]?.pid() ?? 0, 'SIGSTOP');
      const stopped = await health(servers, '--timeout', '1500');
      assert.is(stopped.result?.members[first]?.state, 'timeout', stopped.out);
      assert.ok(codesOf(stopped).includes('member:timeout'));
      process.kill(members[first]?.pid() ?? 0, 'SIGCONT');

      await members[first]?.stop('SIGKILL');
      const oneLost = await lookUntil(
        'the leader to miss its follower',
        () => health(servers),
        (run) => flat(run).includes('2 of 3 voters in sync'),
      );
      assert.is(oneLost.exitCode, 1);
      assert.equal(codesOf(oneLost), ['member:refused']);
      assert.match(flat(oneLost), /WARNING: .* leads, 2 of 3 voters in sync, no more may fail $/);

      await members[second]?.stop('SIGKILL');
      const lost = await health(servers);
      assert.is(lost.exitCode, 2, lost.out);
      assert.match(lost.out, /CRITICAL: .*(no quorum|without a quorum)/);
      const readOnly = await lookUntil(
        'the last voter to turn read-only',
        () => health(servers),
        (run) => rolesOf(run).includes('read-only'),
      );
      assert.is(readOnly.exitCode, 2);
      assert.match(flat(readOnly), 'it has no quorum and serves read-only clients');
    } finally {
      await standalone.close();
      await seats.close();
    }
  },
);

oracleTest('members that lost their quorum run and serve no client', async () => {
  const seats = await makeSeats({ participants: 3 });
  try {
    // One of three has no majority, so it looks for a leader forever.
    seats.startApache(1);
    const electing = await lookUntil(
      'the only member to answer',
      () => health(serversOf(seats)),
      (run) => rolesOf(run)[0] === 'not-serving',
    );
    assert.is(electing.exitCode, 2);
    assert.match(flat(electing), 'no member serves: 1 of 3 members run, without a quorum');
    assert.match(flat(electing), 'it may be starting, or lack a quorum');
  } finally {
    await seats.close();
  }
});

oracleTest('a leader that serves no clients does not count as down', async () => {
  const seats = await makeSeats({ participants: 3, config: { leaderServes: 'no' } });
  try {
    for (const { sid } of seats.all) seats.startApache(sid);
    const hidden = await lookUntil(
      'two followers and a leader that is silent',
      () => health(serversOf(seats)),
      (run) => [...rolesOf(run)].sort().join() === 'follower,follower,not-serving',
    );
    assert.is(hidden.exitCode, 1, hidden.out);
    assert.is(codesOf(hidden)[0], 'leader-hidden');
    assert.match(flat(hidden), 'as a leader with leaderServes=no; its AdminServer shows it');
  } finally {
    await seats.close();
  }
});

oracleTest('two ensembles in one list are recognized, with mntr and without', async () => {
  const [first, second] = await Promise.all([
    makeSeats({ participants: 2 }),
    makeSeats({ participants: 2, config: { '4lw.commands.whitelist': 'srvr' } }),
  ]);
  try {
    await Promise.all([startAll(first), startAll(second)]);
    const servers = serversOf(first, second);
    const mixed = await health(servers);
    assert.is(mixed.exitCode, 2);
    assert.ok(['two-ensembles', 'two-leaders'].includes(codesOf(mixed)[0] ?? ''), mixed.out);
    assert.match(flat(mixed), 'two ensembles in one list');

    // With a narrow whitelist, figures are missing: it cannot judge, and names one line for all.
    const narrow = await health(serversOf(second));
    assert.is(narrow.exitCode, 3, narrow.out);
    const words = narrow.out.replace(/\s+/g, ' ');
    assert.match(
      words,
      'mntr is not in its whitelist; add 4lw.commands.whitelist=srvr,mntr,conf,ruok,',
    );
    // As a client, because conf is refused. A static configuration has no client ports.
    const found = await runZkops([
      'srvr',
      '--servers',
      serversOf(second),
      '--discover',
      ...PATIENT,
    ]);
    assert.is(found.exitCode, 3);
    assert.match(found.error, 'its membership has no client ports, and several members share a');
    const refused = await runZkops(['ruok', '--servers', serversOf(second), ...PATIENT]);
    assert.is(refused.exitCode, 3);
    assert.match(refused.out, / not-whitelisted /);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test.run();
