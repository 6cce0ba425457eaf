import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Member } from '../../../src/commands/ensemble/member.js';
import type { Change, OpsResult, Problem } from '../../../src/commands/ensemble/verdict/result.js';
import { MEMBER_FORMATS } from '../../../src/commands/program/output-format.js';
import { renderMembers } from '../../../src/commands/results/members.js';
import type { ShowOptions } from '../../../src/commands/results/pairs.js';
import { VERBS } from '../../../src/commands/zkops/index.js';
import { expectGolden } from '../../support/pages/golden-file.js';
import { schemaFaults } from '../../support/pages/json-schema.js';
import { readProjectFile } from '../../support/tidy/source-file.js';
import { captured, failing, verbNamed } from '../zkops/members-of.js';
import { resultOf } from '../zkops/results.js';

// The output for scripts, monitors, and users, byte for byte. A change of these files changes the
// input of someone's parser. Removed fields and new meanings require a new schema.

const health = verbNamed('health');

const RATES: NonNullable<Member['rates']> = {
  requestsPerSecond: 120.5,
  writesPerSecond: 12,
  latencyMs: 1.25,
  operationsPerSecond: { create: 2 },
};

function members(): readonly Member[] {
  return [
    {
      ...captured(health, 'leader', 2181),
      rates: RATES,
      certificateEndsMs: Date.parse('2027-02-01T00:00:00Z'),
    },
    captured(health, 'f1', 2182),
    failing(health, 2183, 'refused'),
    captured(health, 'observer', 2184),
  ];
}

const ALARM: Problem = {
  level: 'warning',
  code: 'limit:outstanding_requests',
  server: '10.0.0.1:2182',
  text: 'requests waiting in its queue: 27, above the limit of 10 (outstanding_requests); check the disk of its log',
  limit: { name: 'outstanding_requests', value: 27, threshold: 10, source: "Zabbix's template" },
};

const CHANGES: readonly Change[] = [
  { kind: 'role', level: 'warning', server: '10.0.0.1:2181', text: 'was follower, is leader' },
  { kind: 'recovered', level: 'healthy', text: 'ended, first found …: no quorum' },
];

function result(more: Partial<OpsResult> = {}): OpsResult {
  const found = resultOf(health, members());
  const problems = [...found.verdict.problems, ALARM];
  return { ...found, verdict: { ...found.verdict, problems }, ...more };
}

function show(
  output: ShowOptions['output'],
  given = result(),
  width = 80,
  isQuiet = false,
): string {
  const options = { output, isAll: false, keys: undefined, isQuiet };
  return renderMembers(given, options, { width, isColor: false }).toString();
}

for (const output of MEMBER_FORMATS) {
  test(`health as ${output}`, () => {
    expectGolden(`ops/health.${output}`, show(output));
  });
}

test('JSON of every verb matches docs/zkops-1.schema.json', () => {
  const schema = JSON.parse(readProjectFile('docs/zkops-1.schema.json'));
  const faultsOf = (document: unknown) => schemaFaults(schema, document);
  for (const verb of VERBS) {
    const own = verb.words[0] ?? 'srvr';
    const answers = ['gtmk', 'stmk', 'crst', 'srst'].includes(own) ? 'standalone' : 'leader';
    const good = own === 'gtmk' || answers === 'leader' ? [captured(verb, answers, 1)] : [];
    const found = resultOf(verb, [...good, failing(verb, 2, 'timeout')]);
    assert.equal(faultsOf(JSON.parse(show('json', found))), [], verb.name);
  }
  assert.equal(faultsOf(JSON.parse(show('json', result({ changes: CHANGES })))), []);
  assert.equal(faultsOf({ schema: 'zkops/2', members: [{}] }).slice(0, 4), [
    '$.verb is missing',
    '$.time is missing',
    '$.verdict is missing',
    '$.schema: expected zkops/1, found zkops/2',
  ]);
});

test('health on a wide terminal', () => {
  expectGolden('ops/health-wide.table', show('table', result(), 160));
});

test('health with the changes since the previous run', () => {
  const changed = result({ changes: CHANGES });
  expectGolden('ops/health-changes.table', show('table', changed));
  expectGolden('ops/health-changes.json', show('json', changed));
  expectGolden('ops/health-changes.ndjson', show('ndjson', changed));
  expectGolden('ops/health-changes.quiet', show('table', changed, 80, true));
});

test('health quiet', () => {
  expectGolden('ops/health.quiet', show('table', result(), 80, true));
});

test('nagios uses its own word for each level', () => {
  const level = (...states: Parameters<typeof failing>[2][]) =>
    show(
      'nagios',
      resultOf(
        health,
        states.map((state, at) => failing(health, at + 1, state)),
      ),
    );
  assert.match(level('refused'), /^ZOOKEEPER CRITICAL - no member serves: no answers[^|]*\|/);
  assert.match(level('unreadable'), /^ZOOKEEPER UNKNOWN - no member reported its role[^|]*\|/);
  const well = resultOf(health, [captured(health, 'standalone', 1)]);
  assert.match(
    show('nagios', well),
    /^ZOOKEEPER OK - the standalone server serves \| members_up=1/,
  );
});

for (const name of ['mntr', 'srvr', 'quorum', 'check', 'conf'] as const) {
  test(`the columns of ${name} in CSV are stable`, () => {
    const verb = verbNamed(name);
    const csv = show('csv', resultOf(verb, [captured(verb, 'leader', 2181)]));
    expectGolden(`ops/${name}.csv-head`, `${csv.split('\n')[0]}\n`);
  });
}

test.run();
