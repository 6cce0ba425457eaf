import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../src/client/zookeeper.js';
import { renderMembers } from '../../src/commands/results/members.js';
import { answering, captured, failing, srvrText, verbNamed } from '../commands/zkops/members-of.js';
import { resultOf } from '../commands/zkops/results.js';
import { startBundled } from '../support/bundled.js';
import { promtoolComplaints, promtoolTest } from '../support/machine/promtool.js';

// Prometheus's own tool checks the metrics that zkops prints: syntax, names, types, and units.

const PROVIDER = 'org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider';
const mntr = verbNamed('mntr');

function metricsOf(...members: Parameters<typeof resultOf>[1]): string {
  const show = { output: 'prom', isAll: false, keys: undefined, isQuiet: false } as const;
  return renderMembers(resultOf(mntr, members), show, { width: 80, isColor: false }).toString();
}

promtoolTest('promtool complains about a name with the suffix of another type', () => {
  const bad = '# HELP a_count x\n# TYPE a_count gauge\na_count 1\n';
  assert.match(promtoolComplaints(bad), 'a_count');
});

promtoolTest("promtool accepts the metrics of Apache's servers, and of members that fail", () => {
  for (const server of ['standalone', 'leader', 'f1', 'observer', 'read-only-1']) {
    const member =
      server === 'read-only-1' ? answering(mntr, 1, () => 'unreadable') : captured(mntr, server, 1);
    const text = metricsOf(member, failing(mntr, 2, 'refused'), failing(mntr, 3, 'tls'));
    assert.is(promtoolComplaints(text), '', server);
  }
});

promtoolTest('promtool accepts metrics from the Prometheus provider and other servers', () => {
  const dialect = [
    'zk_version\t3.9.3-c26634f, built on 2024-10-17 23:21 UTC',
    'zk_uptime\t11438.0',
    'zk_znode_count\t9.0',
    'zk_approximate_data_size\t1.2345678E7',
    'zk_commit_count_total\t8.0',
    'zk_commit_count\t8.0',
    'zk_op_count_create\t8',
    'zk_readlatency{quantile="0.5"}\tNaN',
    'zk_readlatency_count\t4.0',
    'zk_readlatency_sum\t10.0',
    'zk_odd_sum\t10.0',
    'zk_some_new_time_ms\t10.0',
    'zk_write_per_namespace{key="my app",quantile="0.5"}\t7.0',
  ].join('\n');
  const member = answering(mntr, 1, (word) => (word === 'srvr' ? srvrText('leader') : dialect));
  const text = metricsOf(member, captured(mntr, 'f1', 2));
  assert.is(promtoolComplaints(text), '');
  assert.match(text, /^zk_op_count_create_total\{server="10.0.0.1:1"\} 8$/m);
  assert.match(text, /^zk_readlatency_count\{server="10.0.0.1:1"\} 4$/m);
});

/** Complaints about names of Apache's server or prom-client. */
const NOT_OUR_NAMES: readonly RegExp[] = [
  /^\w+_count non-histogram and non-summary metrics should not have "_count" suffix$/,
  // 3.9 counts without `_total`, 3.10 with it, so both names are there.
  /^(?!.*_total )\w+ counter metrics should have "_total" suffix$/,
  /^\w+_ms metric names should not contain abbreviated units$/,
  /^nodejs_active_\w+_total non-counter metrics should not have "_total" suffix$/,
];

promtoolTest(
  "promtool reads a server's own metrics, and complains only about old names",
  async () => {
    const server = await startBundled({
      config: {
        'metricsProvider.className': PROVIDER,
        'metricsProvider.httpHost': '127.0.0.1',
        'metricsProvider.httpPort': '0',
      },
    });
    const client = new ZooKeeper({ connectString: server.connectString });
    try {
      await client.connect();
      await client.create('/my app', Buffer.from('x'));
      await client.getData('/my app');
      for (const [path, text] of [
        ['', ''],
        ['/zookeeper_limits', 'count=1,bytes=1'],
        ['/zookeeper_stats', 'count=0,bytes=0'],
      ]) {
        await client.create(`/zookeeper/quota/my app${path}`, Buffer.from(text ?? ''));
      }
      const text = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
      assert.match(text, 'quota_count_limit_per_namespace{key="my app"} 1');
      const [status, ...lines] = promtoolComplaints(text).split('\n');
      // 3 means a complaint about names, and 1 an error.
      assert.is(status, 'exit code 3');
      const complaints = lines.filter((line) => line !== '');
      const others = complaints.filter((line) => !NOT_OUR_NAMES.some((name) => name.test(line)));
      assert.equal(others, []);
      assert.match(promtoolComplaints(`${text}\nodd{key="a} 1\n`), 'exit code 1');
    } finally {
      await client.close();
      await server.close();
    }
  },
);

test('every family has its help and its type once, before its samples', () => {
  const lines = metricsOf(captured(mntr, 'leader', 1), captured(mntr, 'f1', 2)).split('\n');
  const heads = lines.filter((line) => line.startsWith('# TYPE'));
  assert.is(new Set(heads).size, heads.length);
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    assert.match(line, /^[a-z_][a-z0-9_]*(\{[^{}]*\})? -?[0-9.e+-]+$/i);
  }
});

test.run();
