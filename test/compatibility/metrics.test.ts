// The metrics of the table, as the word mntr and the Prometheus port of running members show them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseServerAddress } from '../../src/client/base/connect-string.js';
import { askWord } from '../../src/client/base/four-letter.js';
import { createClient } from '../../src/client/zookeeper.js';
import { startBundledEnsemble } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { apacheNames, laterNames } from './apache.js';
import { METRICS } from './states.js';

const PROVIDER = 'org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider';
const ALL = [...apacheNames().metrics, ...laterNames().metrics];
/**
 * They need a request over a quota, or more acks than this test makes; quota-check.test.ts and
 * peer-metrics.test.ts show them.
 */
const UNPLAYED = ['quota_exceeded_error_per_namespace', 'ack_latency'];

/** What may stand before the name of a metric: a part of a summary, and a sid or a namespace. */
const BEFORE = String.raw`^(zk_)?((avg|min|max|cnt|sum|p\d+)_)?((\d+|app|zookeeper)_)?`;

function missingIn(text: string): string[] {
  return ALL.filter((name) => METRICS[name] === undefined && !UNPLAYED.includes(name)).filter(
    (name) => !new RegExp(`${BEFORE}${name}(_count)?(_total)?[\\t {]`, 'm').test(text),
  );
}

test('a text without metrics lacks them all', () => {
  assert.ok(missingIn('zk_version\t3.9.5\n').length > 150);
});

test('members show every metric of the table in mntr and on the Prometheus port', async () => {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const ensemble = await startBundledEnsemble({
    config: { 'metricsProvider.className': PROVIDER, 'metricsProvider.httpHost': '127.0.0.1' },
    configOf: (sid) => ({ 'metricsProvider.httpPort': `${ports[sid - 1]}` }),
  });
  const client = createClient({ connectString: ensemble.connectString });
  try {
    await client.connect();
    await client.create('/app', Buffer.from('data'));
    await client.getData('/app');
    await client.create('/zookeeper/quota/app', null);
    const limits = Buffer.from('count=9,bytes=-1,countHardLimit=-1,bytesHardLimit=-1');
    await client.create('/zookeeper/quota/app/zookeeper_limits', limits);
    await client.create('/zookeeper/quota/app/zookeeper_stats', Buffer.from('count=1,bytes=4'));
    const words = ensemble.members.map(({ connectString }) =>
      askWord(parseServerAddress(connectString), 'mntr'),
    );
    const pages = ports.map(async (port) => {
      return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    });
    assert.equal(missingIn((await Promise.all(words)).join('\n')), []);
    assert.equal(missingIn((await Promise.all(pages)).join('\n')), []);
  } finally {
    await client.close();
    await ensemble.close();
  }
});

test.run();
