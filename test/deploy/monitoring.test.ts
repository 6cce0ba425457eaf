// conformance: runs against Apache's server, too.
/** The dashboard and the rules of deploy/: from zkops, and only of metrics that servers have. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../src/client/index.js';
import { FINDING_NAMES } from '../../src/commands/ensemble/verdict/finding-name.js';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { callTask } from '../commands/zkops/call-task.js';
import { isOracle39, oracleTest } from '../support/apache/oracle.js';
import { makeSeats, waitUntilServing } from '../support/apache/oracle-ensemble.js';
import { promtoolTest } from '../support/machine/promtool.js';
import { schemaFaults } from '../support/pages/json-schema.js';
import { readProjectFile } from '../support/tidy/source-file.js';

const DASHBOARD = 'deploy/grafana/zookeeper.json';
const RULES = 'deploy/prometheus/zookeeper.rules.yml';

const zkops = async (args: readonly string[]) => (await callTask(args, { ask: askWord })).out;

test('the files are what zkops exporter prints', async () => {
  assert.fixture(readFileSync(DASHBOARD, 'utf8'), await zkops(['exporter', '--dashboard']));
  assert.fixture(readFileSync(RULES, 'utf8'), await zkops(['exporter', '--rules']));
});

test('the dashboard has what Grafana requires of one', () => {
  const place = { type: 'integer' };
  const panel = {
    type: 'object',
    required: ['id', 'type', 'title', 'datasource', 'gridPos', 'targets'],
    properties: {
      id: { type: 'integer' },
      type: { enum: ['stat', 'table', 'timeseries'] },
      title: { type: 'string' },
      gridPos: {
        type: 'object',
        required: ['x', 'y', 'w', 'h'],
        properties: { x: place, y: place, w: place, h: place },
      },
      targets: {
        type: 'array',
        items: {
          type: 'object',
          required: ['refId', 'expr', 'datasource'],
          properties: { refId: { type: 'string' }, expr: { type: 'string' } },
        },
      },
    },
  };
  const schema = {
    type: 'object',
    required: ['title', 'uid', 'schemaVersion', 'panels', 'templating', 'time'],
    properties: {
      title: { type: 'string' },
      uid: { type: 'string' },
      schemaVersion: { type: 'integer' },
      panels: { type: 'array', items: panel },
    },
  };
  assert.equal(schemaFaults(schema, JSON.parse(readFileSync(DASHBOARD, 'utf8'))), []);
});

/** The series that the exporter serves of an ensemble of that kind of server. */
async function seriesOf(kind: 'startBundled' | 'startApache'): Promise<Set<string | undefined>> {
  const seats = await makeSeats({ participants: 3 });
  try {
    for (const { sid } of seats.all) seats[kind](sid);
    for (const seat of seats.all) await waitUntilServing(seat);
    const servers = seats.all.map(({ connectString }) => connectString).join();
    const out = await zkops(['exporter', '--once', '--servers', servers]);
    return new Set([...out.matchAll(/^([a-z_]+?)(?:\{| )/gm)].map(([, name]) => name));
  } finally {
    await seats.close();
  }
}

/** A healthy ensemble without TLS has none of these. */
const ABSENT = ['zk_certificate_expiry_timestamp_seconds', 'zkops_problem'];

async function lackingOf(kind: 'startBundled' | 'startApache'): Promise<string[]> {
  const served = await seriesOf(kind);
  const text = [DASHBOARD, RULES].map((file) => readFileSync(file, 'utf8')).join('');
  const exprs = [...text.matchAll(/"?expr"?: "(.*)"/g)].map(([, expr = '']) => expr);
  const asked = exprs.flatMap((expr) =>
    [...expr.matchAll(/\bzk(?:ops)?_[a-z_]+/g)].map(([name]) => name),
  );
  assert.ok(asked.length > 50);
  return [...new Set(asked)].filter((name) => !served.has(name)).sort();
}

test('zkserver has each metric that the dashboard and the rules name', async () => {
  assert.equal(await lackingOf('startBundled'), ABSENT);
});

oracleTest("Apache's server has each metric that the dashboard and the rules name", async () => {
  const later = isOracle39 ? [] : ['zk_snapshot_error_count_total'];
  assert.equal(await lackingOf('startApache'), [...ABSENT, ...later].sort());
});

promtoolTest('Prometheus accepts its configuration, with the rules', () => {
  const file = 'deploy/prometheus/prometheus.yml';
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', file], {
    encoding: 'utf8',
  });
  assert.is(status, 0, stdout + stderr);
});

test('each alert that names an entry of the runbook names one that exists', () => {
  const page = readProjectFile('docs/runbook.md');
  const names = [...readFileSync(RULES, 'utf8').matchAll(/runbook: "(.*)"/g)];
  assert.ok(names.length > FINDING_NAMES.length / 2);
  for (const [, name = ''] of names) assert.ok(page.includes(`\n### ${name}\n`), name);
});

test('the settings of servers that the guides show are keys without a warning', () => {
  for (const name of ['applications', 'security', 'monitoring']) {
    const page = readProjectFile(`docs/${name}.md`);
    const blocks = [...page.matchAll(/^```properties server\n([\s\S]*?)^```$/gm)];
    assert.ok(blocks.length > 0, name);
    for (const [, lines = ''] of blocks) {
      const result = parseConfig(`dataDir=/d\nclientPort=2181\n${lines}`, { fileName: 'zoo.cfg' });
      if ('errors' in result) throw new Error(`${name}: ${result.errors[0]?.text}`);
      assert.equal(result.warnings, [], name);
    }
  }
});

test.run();
