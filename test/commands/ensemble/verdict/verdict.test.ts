import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member, Reason } from '../../../../src/commands/ensemble/member.js';
import { lagOf } from '../../../../src/commands/ensemble/status.js';
import type { Level } from '../../../../src/commands/ensemble/verdict/result.js';
import { judge } from '../../../../src/commands/ensemble/verdict/verdict.js';
import { answering, captured, failing, srvrText, verbNamed } from '../../zkops/members-of.js';

const srvr = verbNamed('srvr');
const mntr = verbNamed('mntr');
const ruok = verbNamed('ruok');

/** Members of `srvr` by mode, or by the reason they failed. */
function srvrMembers(...modes: readonly string[]): Member[] {
  return modes.map((mode, index) => {
    const isMode = ['leader', 'follower', 'observer', 'standalone', 'read-only'].includes(mode);
    return isMode
      ? answering(srvr, index + 1, () => srvrText(mode))
      : failing(srvr, index + 1, mode as Reason);
  });
}

const CASES: readonly (readonly [modes: string, level: Level, summary: string])[] = [
  ['standalone', 'healthy', 'the standalone server serves'],
  ['refused', 'critical', 'no member serves'],
  ['standalone standalone', 'warning', '2 of 2 members serve, all standalone'],
  ['standalone standalone refused', 'critical', 'cannot replace each other'],
  ['leader follower follower', 'healthy', '10.0.0.1:1 leads, 3 of 3 voters in sync'],
  ['leader follower follower observer', 'healthy', '3 of 3 voters'],
  ['leader follower refused', 'warning', '2 of 3 voters'],
  ['leader follower timeout', 'warning', '2 of 3 voters'],
  ['leader follower not-serving', 'warning', '2 of 3 voters'],
  ['leader follower read-only', 'warning', '2 of 3 voters'],
  ['leader refused refused', 'critical', 'no quorum: 1 of 3 voters in sync (expected at least 2)'],
  ['follower follower refused', 'critical', 'no leader'],
  ['not-serving not-serving refused', 'critical', 'no member serves'],
  ['read-only read-only refused', 'critical', 'no quorum: only read-only members answer'],
  ['leader leader follower', 'critical', 'two leaders at once: 10.0.0.1:1, 10.0.0.1:2'],
  ['not-serving refused refused', 'critical', '1 of 3 members run, without a quorum'],
  ['leader follower standalone', 'critical', '10.0.0.1:3 runs standalone beside an ensemble'],
  ['standalone read-only', 'critical', 'runs standalone beside an ensemble'],
  ['follower', 'unknown', 'the leader is not in the list of members'],
  ['follower follower', 'unknown', 'the leader is not in the list of members'],
  ['unreadable', 'unknown', 'no member reported its role'],
  ['unreadable refused', 'unknown', 'no member reported its role'],
  ['leader follower unreadable', 'unknown', '2 of 3 voters'],
  ['leader refused refused unreadable', 'critical', 'no quorum'],
];

for (const [modes, level, summary] of CASES) {
  test(`${modes}: ${level}`, () => {
    const verdict = judge(srvr, srvrMembers(...modes.split(' ')));
    assert.is(verdict.level, level);
    assert.ok(verdict.summary.includes(summary), verdict.summary);
    assert.is(verdict.problems.length === 0, level === 'healthy');
  });
}

test("a captured ensemble of Apache's is healthy by its metrics", () => {
  const members = ['leader', 'f1', 'f2', 'observer'].map((server, index) =>
    captured(mntr, server, index + 1),
  );
  const verdict = judge(mntr, members);
  assert.is(verdict.level, 'healthy');
  assert.is(verdict.summary, '10.0.0.1:1 leads, 3 of 3 voters in sync');
  assert.equal(
    members.map((member) => lagOf(member, members)),
    [0n, 0n, 0n, 0n],
  );
});

test('a leader without its followers is not a quorum, whatever it calls itself', () => {
  const zombie = answering(mntr, 1, (word) =>
    word === 'srvr'
      ? srvrText('leader')
      : 'zk_server_state\tleader\nzk_quorum_size\t3\nzk_synced_followers\t0\n',
  );
  const verdict = judge(mntr, [zombie, failing(mntr, 2, 'refused'), failing(mntr, 3, 'refused')]);
  assert.is(verdict.level, 'critical');
  assert.is(verdict.summary, 'no quorum: 1 of 3 voters in sync (expected at least 2)');
});

for (const [gauges, level, summary] of [
  ['zk_leads_alone\t1\n', 'warning', '10.0.0.1:1 leads, 1 of 2 voters in sync: its oracle lets it'],
  ['', 'critical', 'no quorum: 1 of 2 voters in sync (expected at least 2)'],
] as const) {
  test(`one of two voters ${gauges === '' ? 'without' : 'with'} the word of its oracle`, () => {
    const base = 'zk_server_state\tleader\nzk_quorum_size\t2\nzk_synced_followers\t0\n';
    const leader = answering(mntr, 1, (word) =>
      word === 'srvr' ? srvrText('leader') : base + gauges,
    );
    const verdict = judge(mntr, [leader, failing(mntr, 2, 'refused')]);
    assert.is(verdict.level, level);
    assert.ok(verdict.summary.includes(summary), verdict.summary);
  });
}

/** A leader that still counts as many followers, and how the others answered. */
function led(syncedFollowers: number, ...others: readonly string[]): Member[] {
  const leader = answering(mntr, 1, (word) =>
    word === 'srvr'
      ? srvrText('leader')
      : `zk_server_state\tleader\nzk_quorum_size\t3\nzk_synced_followers\t${syncedFollowers}\n`,
  );
  const rest = others.map((other, index) =>
    other === 'follower'
      ? answering(mntr, index + 2, (word) =>
          word === 'srvr' ? srvrText('follower') : 'zk_server_state\tfollower\n',
        )
      : failing(mntr, index + 2, other as Reason),
  );
  return [leader, ...rest];
}

test('a follower that does not answer is not in sync, though its leader still counts it', () => {
  const verdict = judge(mntr, led(2, 'timeout', 'follower'));
  assert.is(verdict.level, 'warning');
  assert.match(verdict.summary, /; 10\.0\.0\.1:1 leads, 2 of 3 voters in sync, no more may fail$/);
});

test('a leader alone is not believed about its followers', () => {
  const verdict = judge(mntr, led(2, 'timeout', 'timeout'));
  assert.is(verdict.level, 'critical');
  assert.is(
    verdict.summary,
    'no quorum: 1 of 3 voters in sync (expected at least 2); ' +
      'the leader counts 3, but 10.0.0.1:2, 10.0.0.1:3 do not answer',
  );
});

test('the sentence begins with the worst finding, and counts the others', () => {
  const alarm = {
    level: 'warning',
    code: 'limit:x',
    server: 'zk2',
    text: 'requests: 11, above the limit of 10 (x); do something',
  } as const;
  const members = srvrMembers('leader', 'follower', 'follower');
  assert.is(
    judge(srvr, members, { alarms: [alarm] }).summary,
    'zk2: requests: 11, above the limit of 10 (x); 10.0.0.1:1 leads, 3 of 3 voters in sync',
  );
  const worse = { ...alarm, level: 'critical', server: 'zk3' } as const;
  assert.match(
    judge(srvr, members, { alarms: [alarm, worse] }).summary,
    /^zk3: requests: 11, above the limit of 10 \(x\) \(and 1 more\); /,
  );
});

test('a follower that is up and lags is a warning', () => {
  const leader = answering(mntr, 1, (word) =>
    word === 'srvr'
      ? srvrText('leader')
      : 'zk_server_state\tleader\nzk_quorum_size\t3\nzk_synced_followers\t1\n',
  );
  const followers = [2, 3].map((port) =>
    answering(mntr, port, (word) =>
      word === 'srvr' ? srvrText('follower') : 'zk_server_state\tfollower\n',
    ),
  );
  const verdict = judge(mntr, [leader, ...followers]);
  assert.is(verdict.level, 'warning');
  assert.equal(verdict.problems, [
    { level: 'warning', code: 'not-in-sync', text: '10.0.0.1:1 leads, only 2 of 3 voters in sync' },
  ]);
});

test('one follower of three listed alone cannot be judged', () => {
  assert.is(judge(mntr, [captured(mntr, 'f1', 1)]).level, 'unknown');
});

test('nobody can judge a member by srvr alone, whatever the failure of mntr', () => {
  const member = answering(mntr, 1, (word) =>
    word === 'mntr' ? 'not-whitelisted' : srvrText('standalone'),
  );
  assert.is(member.state, 'serving');
  assert.is(member.note?.reason, 'not-whitelisted');
  assert.ok(member.note?.advice.includes('4lw.commands.whitelist=srvr,mntr'));
  for (const verb of ['mntr', 'check', 'health', 'quorum', 'top'].map(verbNamed)) {
    for (const reason of ['not-whitelisted', 'reset', 'timeout', 'empty', 'unreadable'] as const) {
      const blind = answering(verb, 1, (word) =>
        word === 'mntr' ? reason : word === 'srvr' ? srvrText('standalone') : 'clientPort=1\n',
      );
      const { level, problems } = judge(verb, [blind]);
      assert.equal([level, problems[0]?.code], ['unknown', `member:${reason}`], verb.name);
    }
  }
});

test('words without roles are judged by who answers', () => {
  const judged = (...states: readonly string[]) =>
    judge(
      ruok,
      states.map((state, index) =>
        state === 'imok'
          ? answering(ruok, index, () => 'imok')
          : failing(ruok, index, state as Reason),
      ),
    ).level;
  assert.is(judged('imok'), 'healthy');
  assert.is(judged('imok', 'imok', 'refused'), 'warning');
  assert.is(judged('imok', 'refused'), 'critical');
  assert.is(judged('refused'), 'critical');
  assert.is(judged('not-whitelisted'), 'unknown');
  assert.is(judged('imok', 'not-whitelisted'), 'unknown');
  const foreign = judge(ruok, [failing(ruok, 1, 'tls'), failing(ruok, 2, 'unreadable')]);
  assert.equal(
    [foreign.level, /; 0 of 2 members answer$/.test(foreign.summary)],
    ['unknown', true],
  );
});

test('a read-only answer to isro is a row that says so', () => {
  const isro = verbNamed('isro');
  const member = answering(isro, 1, () => 'ro');
  assert.is(member.state, 'read-only');
  assert.is(judge(isro, [member, answering(isro, 2, () => 'rw')]).level, 'warning');
});

test('lag is reported in txns within one epoch, and never measured on a read-only member', () => {
  const at = (mode: string, zxid: string, port: number) =>
    answering(srvr, port, () => srvrText(mode, zxid));
  const members = [
    at('leader', '0x200000010', 1),
    at('follower', '0x20000000c', 2),
    at('follower', '0x1ffffffff', 3),
    at('read-only', '0x2000000ff', 4),
  ];
  assert.equal(
    members.map((member) => lagOf(member, members)),
    [0n, 4n, undefined, undefined],
  );
});

test.run();
