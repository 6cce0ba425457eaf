import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { startBundled } from '../../../support/bundled.js';

const PROMETHEUS = {
  'metricsProvider.className': 'org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider',
  'metricsProvider.httpHost': '127.0.0.1',
  'metricsProvider.httpPort': '0',
};

async function scrape(config: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await startBundled({ config: { ...PROMETHEUS, ...config } });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/app "x"\\', Buffer.from('data'));
    await client.getData('/app "x"\\');
    const origin = `http://127.0.0.1:${server.metricsPort}`;
    assert.is((await fetch(origin)).status, 404);
    assert.is((await fetch(`${origin}/metrics`, { method: 'POST' })).status, 405);
    const response = await fetch(`${origin}/metrics`);
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    return await response.text();
  } finally {
    await client.close();
    await server.close();
  }
}

const LABEL = String.raw`[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"`;
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][\w:]*)(\{${LABEL}(?:,${LABEL})*\})? (NaN|Nan|[+-]Inf|-?[\d.]+(?:e[+-]?\d+)?)$`,
);

/**
 * Reads the text format 0.0.4, and fails where Prometheus would. It takes NaN in any case;
 * prom-client writes Nan.
 */
function parse(text: string): Map<string, number> {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  let family = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, kind, name = '', type = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'TYPE') {
      assert.not(types.has(name), `${name} has two types`);
      types.set(name, type);
      family = name;
    }
    if (kind !== undefined) continue;
    const [, metric = '', labels = '', value] = SAMPLE.exec(line) ?? [];
    assert.ok(metric.startsWith(family) && family !== '', `${line} below the type of ${family}`);
    assert.not(values.has(metric + labels), `${metric}${labels} appears twice`);
    values.set(metric + labels, Number(value));
  }
  return values;
}

test('Prometheus can read the metrics, named as in mntr without zk_', async () => {
  const text = await scrape();
  const values = parse(text);
  assert.is(values.get('znode_count'), 6);
  assert.is(values.get('connection_request_count'), 1);
  assert.is(values.get('connection_request_count_total'), 1);
  assert.is(values.get('op_count_create_total'), 1);
  assert.ok((values.get('op_count_total') ?? 0) >= 2);
  assert.not(values.has('op_count_total_total'));
  assert.is(values.get('updatelatency_count'), 2);
  assert.ok(values.has('readlatency{quantile="0.99"}'));
  assert.ok(values.has('readlatency_sum'));
  const key = String.raw`{key="app \"x\"\\"}`;
  assert.is(values.get(`read_per_namespace_count${key}`), 1);
  assert.ok(values.has('process_resident_memory_bytes'));
  assert.ok(values.has('nodejs_eventloop_lag_seconds'));
  assert.not.match(text, /^zk_/m);
});

/** The metrics in the alerts of zookeeperMonitor.md of 3.9.5, except Prometheus's own `up`. */
const IN_ALERTS = [
  'znode_count',
  'num_alive_connections',
  'approximate_data_size',
  'watch_count',
  'election_time_count',
  'open_file_descriptor_count',
  'fsynctime_sum',
  'snapshottime_sum',
  'avg_latency',
  'jvm_memory_bytes_used{area="heap"}',
  'jvm_memory_bytes_max{area="heap"}',
];

test("the alerts of Apache's guide find their metrics", async () => {
  const values = parse(await scrape());
  const missing = IN_ALERTS.filter((name) => !Number.isFinite(values.get(name)));
  assert.equal(missing, []);
  for (const name of ['jvm_memory_bytes_N', 'jvm_memory_N_bytes']) {
    const of = (figure: string) => values.get(`${name.replace('N', figure)}{area="heap"}`) ?? 0;
    assert.ok(0 < of('used') && of('used') <= of('committed') && of('used') < of('max'), name);
  }
});

test('exportJvmInfo=false omits the process metrics', async () => {
  const values = parse(await scrape({ 'metricsProvider.exportJvmInfo': 'false' }));
  assert.not(values.has('process_resident_memory_bytes'));
  assert.not(values.has('jvm_memory_bytes_used{area="heap"}'));
  assert.ok(values.has('uptime'));
});

test('promtool accepts it, if installed', async () => {
  const input = await scrape();
  const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input });
  if (error !== undefined) {
    console.log('skipped: promtool is not installed (Debian: prometheus)');
    return;
  }
  // 3 means that promtool prefers other names, but these are Apache's.
  assert.ok(status === 0 || status === 3, `${stdout}${stderr}`);
});

test('without the provider, no port is opened, and an unknown provider is reported', async () => {
  const warnings: string[] = [];
  const server = await startBundled({
    config: { 'metricsProvider.className': 'org.example.Provider' },
    onWarning: (text) => warnings.push(text),
  });
  try {
    assert.is(server.metricsPort, undefined);
    assert.match(warnings.join(), /unknown: org\.example\.Provider/);
  } finally {
    await server.close();
  }
});

test.run();
