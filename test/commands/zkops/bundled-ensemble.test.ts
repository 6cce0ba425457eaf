import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { startEnsemble } from '../../../src/server/main.js';
import { checkFormats, flat, health, lookUntil, PATIENT } from '../../support/pages/ops-checks.js';
import { codesOf, rolesOf, runZkops } from '../../support/terminal/run-zkops.js';
import { taskJson } from './call-task.js';

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

test('two of five voters are a quorum of groups, and zkops sees it, and which may stop', async () => {
  const groups = { 'group.1': '1', 'group.2': '2', 'group.3': '3:4:5' };
  const ensemble = await startEnsemble({ size: 5, config: { ...CONFIG.config, ...groups } });
  const gate = (sid: number) => {
    const target = ensemble.members[sid - 1]?.connectString ?? '';
    const servers = ['--servers', ensemble.connectString];
    return taskJson(['gate', ...servers, '--restart', target], { ask: askWord });
  };
  try {
    const well = await lookUntil(
      'all voters in sync',
      () => health(ensemble.connectString),
      ({ exitCode }) => exitCode === 0,
    );
    assert.match(flat(well), '5 of 5 voters in sync, a majority in 3 of 3 groups');
    assert.is((await gate(1)).exitCode, 0);
    await Promise.all(ensemble.members.slice(2).map((member) => member.close()));
    const tight = await lookUntil(
      'the leader to miss three',
      () => health(ensemble.connectString),
      (run) => flat(run).includes('2 of 5 voters in sync, a majority in 2 of 3 groups'),
    );
    assert.is(tight.exitCode, 1, tight.out);
    assert.match(flat(tight), 'no more may fail');
    const refused = await gate(2);
    assert.is(refused.exitCode, 2);
    assert.match(
      refused.verdict.summary,
      '1 of 5 voters stay in sync, a majority in 1 of 3 groups (expected at least 2)',
    );
    assert.is((await gate(4)).exitCode, 0);
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
