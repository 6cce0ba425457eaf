import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../src/client/base/four-letter.js';
import { ZooKeeper } from '../../../src/client/zookeeper.js';
import { metricOf, mntr, type ParsedMntr } from '../../../src/fourlw/mntr.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { startBundled } from '../../support/bundled.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';

async function ask(port: number, word: string): Promise<string> {
  return (await askWord({ host: '127.0.0.1', port }, word)).toString();
}

async function askMetrics(port: number): Promise<ParsedMntr> {
  const parsed = mntr.parse(await ask(port, 'mntr'));
  if (!('values' in parsed)) throw new Error('the server does not serve');
  return parsed;
}

test('mntr counts the requests of a session at every stage', async () => {
  const home = makeTempDir('metrics');
  const server = await startBundled({ dataDir: home.path });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/app', Buffer.from('data'));
    await client.getData('/app', { watch: () => undefined });
    await client.setData('/app', Buffer.from('datum'));
    await client.getChildren('/', {});
    await client.exists('/app');
    await client.delete('/app');
    const metrics = await askMetrics(server.port);
    const of = (key: string) => metricOf(metrics, key);
    assert.is(of('connection_request_count'), 1);
    assert.is(of('cnt_updatelatency'), 4, 'createSession, create, setData, delete');
    assert.is(of('cnt_propagation_latency'), 4);
    assert.is(of('cnt_readlatency'), 3);
    assert.is(of('cnt_node_changed_watch_count'), 1);
    assert.is(of('watch_bytes'), 28 + '/app'.length);
    assert.is(of('outstanding_changes_queued'), of('outstanding_changes_removed'));
    assert.is(of('cnt_app_read_per_namespace'), 2);
    assert.is(of('sum_app_read_per_namespace'), 4 + 68 + 4 + 4 + 68);
    assert.is(of('cnt_app_write_per_namespace'), 3);
    assert.is(of('sum_app_write_per_namespace'), 8 + 9 + 4);
    for (const key of ['bytes_received_count', 'response_bytes']) assert.ok((of(key) ?? 0) > 100);
    for (const key of [
      'cnt_fsynctime',
      'cnt_sync_processor_batch_size',
      'cnt_sync_processor_queue_flush_time_ms',
    ]) {
      assert.ok((of(key) ?? 0) >= 4, `${key} is ${of(key)}`);
    }
    assert.is(of('cnt_dbinittime'), 1);
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
});

/** Three reads of one type, one write that fails, and others. */
async function requestEachType(client: ZooKeeper): Promise<void> {
  await client.create('/app', Buffer.from('data'));
  await client.create('/app/ttl', null, { mode: CreateModes.PERSISTENT_WITH_TTL, ttl: 60_000 });
  await client.setData('/app', Buffer.from('datum'));
  await client.getData('/app');
  await client.getChildren('/');
  await client.getChildren('/app');
  for (const path of ['/app', '/none', '/none/at/all']) await client.exists(path);
  await client.delete('/none').catch(() => undefined);
  await client.multi([
    { op: 'delete', path: '/app/ttl' },
    { op: 'delete', path: '/app' },
  ]);
  await client.sync('/');
}

test('requests are counted by type, refused writes are not', async () => {
  const server = await startBundled({ config: { extendedTypesEnabled: 'true' } });
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await requestEachType(client);
    const metrics = await askMetrics(server.port);
    const of = (type: string) => metricOf(metrics, `op_count_${type}`);
    for (const [type, count] of Object.entries({
      create_session: 1,
      create: 2,
      set_data: 1,
      get_data: 1,
      get_children: 2,
      exists: 3,
      delete: 0,
      multi: 1,
      sync: 1,
      total: 12 + (of('ping') ?? 0),
    })) {
      assert.is(of(type), count, type);
    }
    assert.is(metricOf(metrics, 'ttl_node_created_count'), 1);
    assert.is(metricOf(metrics, 'ttl_node_deleted_count'), 1);
    await client.close();
    assert.is(metricOf(await askMetrics(server.port), 'op_count_close_session'), 1);
    await ask(server.port, 'srst');
    assert.is(metricOf(await askMetrics(server.port), 'op_count_total'), 0);
  } finally {
    await client.close();
    await server.close();
  }
});

test('srst resets all of them', async () => {
  const server = await startBundled();
  const client = new ZooKeeper({ connectString: server.connectString });
  try {
    await client.connect();
    await client.create('/a');
    assert.is(await ask(server.port, 'srst'), 'Server stats reset.\n');
    const metrics = await askMetrics(server.port);
    for (const key of ['cnt_updatelatency', 'response_bytes', 'connection_request_count']) {
      assert.is(metricOf(metrics, key), 0, key);
    }
    assert.is(metricOf(metrics, 'cnt_a_write_per_namespace'), undefined);
  } finally {
    await client.close();
    await server.close();
  }
});

test('a client that disconnects without a close is a dropped connection', async () => {
  const server = await startBundled();
  try {
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.destroy();
    await waitFor('the drop to be counted', async () => {
      return metricOf(await askMetrics(server.port), 'connection_drop_count') === 1;
    });
  } finally {
    await server.close();
  }
});

test('a start reports how long it took to load snapshot and log', async () => {
  const home = makeTempDir('metrics');
  try {
    const first = await startBundled({ dataDir: home.path });
    const client = new ZooKeeper({ connectString: first.connectString });
    await client.connect();
    await client.create('/a');
    await client.close();
    await first.close();
    const second = await startBundled({ dataDir: home.path });
    try {
      const metrics = await askMetrics(second.port);
      assert.is(metricOf(metrics, 'cnt_startup_snap_load_time'), 1);
      assert.is(metricOf(metrics, 'sum_startup_txns_loaded'), 3);
    } finally {
      await second.close();
    }
  } finally {
    home.remove();
  }
});

test.run();
