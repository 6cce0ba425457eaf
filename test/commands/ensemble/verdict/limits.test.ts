import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../../src/commands/ensemble/member.js';
import type { Sample } from '../../../../src/commands/ensemble/sample.js';
import { explainLimits, findAlarms } from '../../../../src/commands/ensemble/verdict/alarms.js';
import {
  type LimitChange,
  parseLimit,
  parseLimitsFile,
} from '../../../../src/commands/ensemble/verdict/limits.js';
import { measure, sampleOf } from '../../../../src/commands/ensemble/verdict/measure.js';
import type { Reading } from '../../../../src/commands/ensemble/verdict/threshold.js';
import { THRESHOLDS } from '../../../../src/commands/ensemble/verdict/thresholds.js';
import { answering, captured, srvrText, verbNamed } from '../../zkops/members-of.js';

const mntr = verbNamed('mntr');

/** A member by what its mntr tells besides its role. */
function withMetrics(
  metrics: Readonly<Record<string, number | string>>,
  { mode = 'leader', zxid = '0x100000008', port = 1 } = {},
): Member {
  const lines = Object.entries(metrics).map(([key, value]) => `zk_${key}\t${value}\n`);
  return answering(mntr, port, (word) =>
    word === 'srvr' ? srvrText(mode, zxid) : `zk_server_state\t${mode}\n${lines.join('')}`,
  );
}

const now = (
  members: readonly Member[],
  earlier: ReadonlyMap<string, Sample> = new Map(),
  timeMs = 10_000,
) => ({ members, timeMs, earlier });

const alarmsOf = (member: Member, changes: readonly LimitChange[] = []) =>
  findAlarms(now([member]), changes).map(({ level, code }) => `${level} ${code}`);

test('every limit has a name of its own, a sentence, advice and a source', () => {
  const names = THRESHOLDS.map(({ name }) => name);
  assert.is(new Set(names).size, names.length);
  for (const { name, label, advice, source, warning, critical, bound } of THRESHOLDS) {
    assert.match(name, /^[a-z0-9_]+$/);
    for (const text of [label, advice, source]) assert.ok(text !== '' && !text.endsWith('.'), name);
    if (warning === undefined || critical === undefined) continue;
    assert.ok(bound === 'above' ? warning < critical : warning > critical, name);
  }
});

test('a figure is good up to its limit, a warning above it and critical above the second', () => {
  const levels = [10, 11, 50, 51].map((value) =>
    alarmsOf(withMetrics({ outstanding_requests: value })),
  );
  assert.equal(levels, [
    [],
    ['warning limit:outstanding_requests'],
    ['warning limit:outstanding_requests'],
    ['critical limit:outstanding_requests'],
  ]);
});

test('a limit that the user gave is never silently unjudged', () => {
  const given = (text: string): LimitChange => parseLimit('critical', text);
  const bare = withMetrics({ znode_count: 5, open_file_descriptor_count: -1 });
  for (const name of ['open_files', 'connections', 'fsync_time', 'update_latency_p99']) {
    assert.equal(alarmsOf(bare, [given(`${name}=1`)]), [`unknown limit:${name}`]);
    assert.equal(alarmsOf(bare, [given(`${name}=off`)]), []);
    assert.equal(alarmsOf(bare, [given(`follower:${name}=1`)]), []);
  }
  assert.equal(alarmsOf(bare), []);
  assert.equal(alarmsOf(bare, [given('certificate_days=5')]), ['unknown limit:certificate_days']);
  const lost: Member = { ...bare, isCertificateUnknown: true };
  assert.equal(alarmsOf(lost), ['unknown limit:certificate_days']);
  // A mean without an event since the last poll is unknown, and nothing is wrong.
  const idle = withMetrics({ sum_fsynctime: 0, cnt_fsynctime: 0 });
  assert.equal(alarmsOf(idle, [given('fsync_time=1')]), []);
});

test('an alarm says the figure, the limit, its source and what to do', () => {
  const member = withMetrics({
    open_file_descriptor_count: 900,
    max_file_descriptor_count: 1000,
  });
  const [alarm] = findAlarms(now([member]), []);
  assert.is(
    alarm?.text,
    'share of its open file limit in use: 90%, above the limit of 85% (open_files); raise its limit ' +
      '(ulimit -n), and check which hosts hold many connections',
  );
  assert.is(alarm?.server, '10.0.0.1:1');
  assert.equal([alarm?.limit?.value, alarm?.limit?.threshold], [90, 85]);
  assert.match(alarm?.limit?.source ?? '', 'Zabbix');
});

test('a limit is changed for all, for a role, or turned off; the last change wins', () => {
  const member = withMetrics({ outstanding_requests: 20 });
  const changed = (...texts: readonly string[]) =>
    alarmsOf(
      member,
      texts.map((text) => parseLimit('warning', text)),
    );
  assert.equal(changed('outstanding_requests=20'), []);
  assert.equal(changed('outstanding_requests=off'), []);
  assert.equal(changed('leader:outstanding_requests=20'), []);
  assert.equal(changed('follower:outstanding_requests=20').length, 1);
  assert.equal(changed('outstanding_requests=20', 'outstanding_requests=19').length, 1);
  assert.equal(changed('leader:outstanding_requests=19', 'outstanding_requests=20').length, 1);
  assert.equal(changed('connections=0', 'connections=off'), ['warning limit:outstanding_requests']);
});

test('an invalid limit is refused with the expected form', () => {
  for (const [text, says] of [
    ['outstanding_requests', /expected \[role:\]name=number/],
    ['outstanding_requests=many', /expected \[role:\]name=number/],
    ['boss:outstanding_requests=1', /invalid role: "boss"/],
    ['nosuch=1', /unknown limit: "nosuch"/],
  ] as const) {
    assert.throws(() => parseLimit('warning', text), says);
  }
});

test('a file of limits has two tables; its bad lines are named', () => {
  const { changes, faults } = parseLimitsFile(
    '# ours\r\n[warn]\noutstanding_requests = 20 # more\n"leader:open_files" = 70\nznode_count = "off"\n[crit]\nconnections=5000\n',
  );
  assert.equal(faults, []);
  assert.equal(changes, [
    { level: 'warning', name: 'outstanding_requests', limit: 20 },
    { level: 'warning', name: 'open_files', role: 'leader', limit: 70 },
    { level: 'warning', name: 'znode_count', limit: undefined },
    { level: 'critical', name: 'connections', limit: 5000 },
  ]);
  const bad = parseLimitsFile('a = 1\n[warn]\nnosuch = 1\n[error]\n[crit]\nlag\n');
  assert.equal(
    bad.faults.map(({ line }) => line),
    [1, 3, 4, 6],
  );
});

test('growth is measured against an earlier look, and not over a restart or a reset', () => {
  const before = withMetrics({
    digest_mismatches_count: 3,
    sum_fsynctime: 100,
    cnt_fsynctime: 10,
    sum_jvm_pause_time_ms: 0,
  });
  const after = withMetrics({
    digest_mismatches_count: 4,
    sum_fsynctime: 700,
    cnt_fsynctime: 12,
    sum_jvm_pause_time_ms: 900,
  });
  const looked = (member: Member) => new Map([[member.server, sampleOf(member, 0)]]);
  const read = (reading: Reading, member: Member, earlier = looked(before)) =>
    measure(reading, member, now([member], earlier));
  const mismatches: Reading = { kind: 'increase', key: 'digest_mismatches_count' };
  const fsync: Reading = { kind: 'mean', summary: 'fsynctime' };
  assert.is(read(mismatches, after), 1);
  assert.is(read(fsync, after), 300);
  assert.is(read({ kind: 'rate', summary: 'jvm_pause_time_ms' }, after), 90);
  // Without an earlier look, and after a restart.
  assert.is(read(mismatches, after, new Map()), undefined);
  assert.is(read(fsync, withMetrics({ avg_fsynctime: 7 }), new Map()), 7);
  assert.is(read(mismatches, before, looked(after)), undefined);
  assert.equal(
    findAlarms(now([after], looked(before)), []).map(({ level, code, isEvent }) => [
      level,
      code,
      isEvent,
    ]),
    [
      ['warning', 'limit:fsync_time', undefined],
      ['critical', 'limit:digest_mismatches_count', true],
    ],
  );
});

test('a maximum since the start is judged only when it grows; otherwise the last value is', () => {
  const size: Reading = { kind: 'peak', summary: 'proposal_size' };
  const read = (last: number, max: number, before?: number) => {
    const member = withMetrics({ last_proposal_size: last, max_proposal_size: max });
    const earlier =
      before === undefined
        ? new Map()
        : new Map([[member.server, sampleOf(withMetrics({ max_proposal_size: before }), 0)]]);
    return measure(size, member, now([member], earlier));
  };
  assert.is(read(60, 900_000), 60, 'a large write of last year');
  assert.is(read(900_000, 900_000), 900_000, 'a large write now');
  assert.is(read(60, 900_000, 900_000), 60, 'nothing new');
  assert.is(read(60, 900_000, 800_000), 900_000, 'a new maximum between two looks');
});

test('a server that was started anew counts from zero, even past what it had counted', () => {
  const at = (uptime: number, throttled_ops: number) => withMetrics({ uptime, throttled_ops });
  const before = at(60_000, 3);
  const earlier = new Map([[before.server, sampleOf(before, 0)]]);
  const grown = (member: Member) =>
    measure({ kind: 'increase', key: 'throttled_ops' }, member, now([member], earlier));
  assert.is(grown(at(70_000, 5)), 2);
  assert.is(grown(at(5000, 5)), undefined);
});

test('the Prometheus provider is measured as the default one', () => {
  const dialect = (count: number, sum: number) =>
    withMetrics({
      'fsynctime{quantile="0.5"}': 'NaN',
      fsynctime_count: `${count}.0`,
      fsynctime_sum: `${sum}.0`,
      throttled_ops_total: `${count}.0`,
    });
  const [before, after] = [dialect(1, 10), dialect(3, 30)];
  const earlier = new Map([[before.server, sampleOf(before, 0)]]);
  const context = now([after], earlier);
  assert.is(measure({ kind: 'mean', summary: 'fsynctime' }, after, context), 10);
  assert.is(measure({ kind: 'increase', key: 'throttled_ops' }, after, context), 2);
});

test('the end of the zxid is reported in percent, and in days at the present rate', () => {
  const member = withMetrics({}, { zxid: '0x1f0000000' });
  assert.is(measure({ kind: 'zxid-used' }, member, now([member])), 93.8);
  const before = withMetrics({}, { zxid: '0x1effffc18' });
  const earlier = new Map([[before.server, sampleOf(before, 9000)]]);
  // 1000 txns in a second, and 2^28 are left.
  assert.is(measure({ kind: 'zxid-days' }, member, now([member], earlier)), 3.1);
  const other = withMetrics({}, { zxid: '0x2f0000000' });
  assert.is(measure({ kind: 'zxid-days' }, other, now([other], earlier)), undefined);
});

test('days of a certificate count down to its limits', () => {
  const day = 86_400_000;
  const levels = [31, 29, 6].map((days) => {
    const member = { ...withMetrics({}), certificateEndsMs: 10_000 + days * day };
    return findAlarms(now([member]), []).map(({ level }) => level);
  });
  assert.equal(levels, [[], ['warning'], ['critical']]);
});

test('a follower that lags far is named with its lag; one of another role is not measured', () => {
  const leader = withMetrics({}, { zxid: '0x100001000' });
  const follower = withMetrics({}, { mode: 'follower', port: 2 });
  const [alarm] = findAlarms(now([leader, follower]), []);
  assert.is(alarm?.server, '10.0.0.1:2');
  assert.match(alarm?.text ?? '', /^lag from the newest member: 4088 txns, above the limit/);
});

test("no limit is passed by the captures of Apache's ensemble", () => {
  const members = ['leader', 'f1', 'f2', 'observer'].map((server, index) =>
    captured(mntr, server, index + 1),
  );
  assert.equal(findAlarms(now(members), []), []);
});

test('the table of limits shows the limits in force', () => {
  const changes = [parseLimit('warning', 'lag=5'), parseLimit('warning', 'follower:lag=7')];
  const { keys, rows } = explainLimits(changes);
  assert.is(rows.length, THRESHOLDS.length);
  const lag = rows.find(([name]) => name === 'lag');
  assert.is(lag?.[keys.indexOf('warning')], '5 txns, follower: 7 txns');
  assert.is(lag?.[keys.indexOf('critical')], undefined);
});

test.run();
