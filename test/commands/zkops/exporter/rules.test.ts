import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { THRESHOLDS } from '../../../../src/commands/ensemble/verdict/thresholds.js';
import { alertRules } from '../../../../src/commands/zkops/exporter/rules.js';
import { golden } from '../../../fourlw/captured-view.js';
import { promtoolTest } from '../../../support/machine/promtool.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { callTask } from '../call-task.js';
import { askFakes } from '../probes/fake-members.js';

const rules = async (...args: string[]) => (await callTask(['exporter', '--rules', ...args])).out;

/** The complaints of promtool about files, or "" if it accepts them. */
function promtool(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  const said = `${stdout}${stderr}`;
  // Duplicates are only a warning.
  return status === 0 && !/duplicate/i.test(said) ? '' : said;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly thresholds?: { steps: unknown } } };
}

async function panels(...args: string[]): Promise<readonly Panel[]> {
  const { out, exitCode } = await callTask(['exporter', '--dashboard', ...args]);
  assert.is(exitCode, 0);
  return JSON.parse(out).panels;
}

test('every limit of the table has its rules and its plot', async () => {
  const alerts = alertRules([]);
  const plots = (await panels()).map(({ title }) => title);
  for (const { name, warning, critical } of THRESHOLDS) {
    assert.ok(plots.includes(name), `a plot of ${name}`);
    const camel = name.replace(/(^|_)(.)/g, (_, __, letter: string) => letter.toUpperCase());
    const found = alerts.filter(({ alert }) => alert === `ZooKeeper${camel}`);
    const levels = found.map(({ severity }) => severity);
    const expected = [
      ...(warning === undefined ? [] : ['warning']),
      ...(critical === undefined ? [] : ['critical']),
    ];
    assert.equal(levels, expected, name);
    for (const { expr, severity } of found) {
      const limit = severity === 'warning' ? warning : critical;
      assert.match(expr, new RegExp(`[<>] ${limit}( and |$)`), name);
    }
  }
});

test('rules and dashboard use changed limits', async () => {
  const folder = makeTempDir('limits');
  try {
    const file = join(folder.path, 'limits.toml');
    writeFileSync(file, '[warn]\noutstanding_requests = 7\n"leader:open_files" = 50\nlag = off\n');
    const text = await rules('--limits', file);
    assert.ok(text.includes('zk_outstanding_requests > 7"'));
    assert.ok(!text.includes('zk_lag_txns >'));
    const files = '100 * zk_open_file_descriptors / (zk_max_file_descriptors > 0)';
    assert.ok(text.includes(`${files} > 50 and on (server) zk_role{role=~\\"leader\\"} == 1`));
    assert.ok(text.includes(`${files} > 85 and on (server) zk_role{role=~\\"follower|observer|`));
    const [plot] = (await panels('--limits', file)).filter(
      ({ title }) => title === 'outstanding_requests',
    );
    assert.equal(plot?.fieldConfig?.defaults.thresholds?.steps, [
      { color: 'green', value: null },
      { color: 'yellow', value: 7 },
      { color: 'red', value: 50 },
    ]);
    writeFileSync(file, 'nonsense\n');
    assert.is((await callTask(['exporter', '--rules', '--limits', file])).exitCode, 65);
  } finally {
    folder.remove();
  }
});

test('rules and dashboard use only series that the exporter has', async () => {
  const member = (server: string) => ({
    srvr: golden(server, 'srvr'),
    mntr: golden(server, 'mntr'),
  });
  const ask = askFakes({ 1: member('leader'), 2: member('f1') });
  const args = ['exporter', '--once', '--servers', '10.0.0.1:1,10.0.0.1:2'];
  const { out } = await callTask(args, { ask });
  const given = new Set([...out.matchAll(/^([a-z_]+?)(?:\{| )/gm)].map(([, name]) => name));
  const asked = [
    ...alertRules([]).map(({ expr }) => expr),
    ...(await panels()).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ].flatMap((expr) => [...expr.matchAll(/\bzk(?:ops)?_[a-z_]+/g)].map(([name]) => name));
  // Series without a sample here: no member has a problem, and none uses TLS.
  const absent = ['zkops_problem', 'zk_certificate_expiry_timestamp_seconds'];
  // From a release before 3.9, which had no such counter.
  const later = ['zk_snapshot_error_count_total'];
  const lacking = [...new Set(asked)].filter((name) => !given.has(name));
  assert.equal(lacking.sort(), [...absent, ...later].sort());
});

test('panel ids are unique', async () => {
  const ids = (await panels()).map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
});

promtoolTest('Prometheus accepts the rules and every expression of the dashboard', async () => {
  const folder = makeTempDir('rules');
  try {
    const file = join(folder.path, 'rules.yml');
    writeFileSync(file, await rules());
    assert.is(promtool(['check', 'rules', file]), '');
    // The example of zkops(1) has limits for one role.
    const manual = readFileSync('man/prose/zkops.1', 'utf8');
    const limits = join(folder.path, 'limits.toml');
    writeFileSync(limits, /^# limits\.toml\n(.*?)^\.Ed$/ms.exec(manual)?.[1] ?? '');
    writeFileSync(file, await rules('--limits', limits));
    assert.match(readFileSync(file, 'utf8'), / roles: "leader"/);
    assert.is(promtool(['check', 'rules', file]), '');
    const records = (await panels()).flatMap(({ id, targets }) =>
      targets.map(({ expr }) => `- record: panel${id}\n  expr: ${JSON.stringify(expr)}\n`),
    );
    const group = `groups:\n- name: dashboard\n  rules:\n${records.join('')}`;
    writeFileSync(
      file,
      group.replaceAll('\n- record', '\n  - record').replaceAll('\n  expr', '\n    expr'),
    );
    assert.is(promtool(['check', 'rules', file]), '');
  } finally {
    folder.remove();
  }
});

/** One alert, with metrics beyond its limit for half an hour, and with metrics on it. */
const CASES: readonly [alert: string, firing: string, quiet: string, count: number][] = [
  [
    'ZooKeeperOutstandingRequests',
    'zk_outstanding_requests 11x30',
    'zk_outstanding_requests 10x30',
    1,
  ],
  [
    'ZooKeeperOutstandingRequests',
    'zk_outstanding_requests 51x30',
    'zk_outstanding_requests 0x30',
    2,
  ],
  ['ZooKeeperZnodeCount', 'zk_znodes 1000001x30', 'zk_znodes 1000000x30', 1],
  ['ZooKeeperLookingCount', 'zk_looking_count_total 0+1x30', 'zk_looking_count_total 7x30', 1],
  ['ZooKeeperMemberDown', 'zk_up 0x30', 'zk_up 1x30', 1],
];

promtoolTest('alerts fire beyond their limit, but not on it', async () => {
  const folder = makeTempDir('rules');
  try {
    const [rulesFile, tests] = [join(folder.path, 'rules.yml'), join(folder.path, 'tests.yml')];
    writeFileSync(rulesFile, await rules());
    for (const [alert, firing, quiet, count] of CASES) {
      for (const [series, expected] of [
        [firing, count],
        [quiet, 0],
      ] as const) {
        const [name = '', values = ''] = series.split(' ');
        const expanded = values.includes('+') ? values : values.replace(/^(\d+)x/, '$1+0x');
        writeFileSync(
          tests,
          `rule_files: [${rulesFile}]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - series: '${name}{server="a"}'
        values: '${expanded}'
    promql_expr_test:
      - expr: count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)
        eval_time: 20m
        exp_samples: [{labels: '{}', value: ${expected}}]
`,
        );
        assert.is(promtool(['test', 'rules', tests]), '', `${alert} on ${series}`);
      }
    }
  } finally {
    folder.remove();
  }
});

test.run();
