import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startEnsemble } from '../../../src/server/main.js';
import { checkFormats, flat, health, lookUntil, PATIENT } from '../../support/pages/ops-checks.js';
import { codesOf, rolesOf, runZkops } from '../../support/terminal/run-zkops.js';

// zkops with bundled ensembles. test/conformance/ops/ensemble.test.ts does the same with Apache's.

const CONFIG = { config: { '4lw.commands.whitelist': '*', 'admin.enableServer': 'false' } };

test('an ensemble is healthy, loses a follower, then its quorum, and recovers', async () => {
  const ensemble = await startEnsemble({ size: 3, observers: 1, ...CONFIG });
  try {
    const { connectString: servers, members } = ensemble;
    const isWell = ({ exitCode }: { readonly exitCode: number }) => exitCode === 0;
    const well = await lookUntil('all voters in sync', () => health(servers), isWell);
    assert.equal([...rolesOf(well)].sort(), ['follower', 'follower', 'leader', 'observer']);
    assert.match(well.out, /HEALTHY: 127\.0\.0\.1:\d+ leads, 3 of 3 voters in sync\n$/);
    await checkFormats(servers);

    const one = await runZkops([
      'srvr',
      '--servers',
      members[0]?.connectString ?? '',
      '--discover',
    ]);
    const found = one.result?.members.map(({ address }) => address.port) ?? [];
    assert.equal(found.sort(), members.map(({ port }) => port).sort(), one.error);

    const roles = rolesOf(well);
    const followers = members.filter((_, at) => roles[at] === 'follower');
    await followers[0]?.close();
    const lostOne = await lookUntil(
      'the leader to miss its follower',
      () => health(servers),
      (run) => flat(run).includes('2 of 3 voters in sync, no more may fail'),
    );
    assert.equal([lostOne.exitCode, codesOf(lostOne)], [1, ['member:refused']]);

    await followers[1]?.close();
    const lost = await lookUntil(
      'the quorum to be lost',
      () => health(servers),
      (run) => run.exitCode === 2,
    );
    assert.match(flat(lost), /CRITICAL: .*(no quorum|without a quorum)/);

    await Promise.all(followers.map((member) => member.start()));
    const back = await lookUntil('the ensemble to be healthy again', () => health(servers), isWell);
    assert.match(back.out, /HEALTHY: .* leads, 3 of 3 voters in sync\n$/);
  } finally {
    await ensemble.close();
  }
});

test('two ensembles in one list give another verdict than a narrow whitelist', async () => {
  const [first, second] = await Promise.all([
    startEnsemble({ size: 1, observers: 1, ...CONFIG }),
    startEnsemble({ size: 3, config: { 'admin.enableServer': 'false' } }),
  ]);
  try {
    const mixed = await health(`${first.connectString},${second.connectString}`);
    assert.is(mixed.exitCode, 2, mixed.out);
    assert.match(flat(mixed), 'two ensembles in one list');
    const narrow = await health(second.connectString);
    assert.is(narrow.exitCode, 3, narrow.out);
    assert.match(
      flat(narrow),
      'mntr is not in its whitelist; add 4lw.commands.whitelist=srvr,mntr',
    );
    const refused = await runZkops(['ruok', '--servers', second.connectString, ...PATIENT]);
    assert.is(refused.exitCode, 3);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test.run();
