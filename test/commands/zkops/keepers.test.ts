/**
 * An ensemble of ClickHouse Keepers. Source of the answers: FourLetterCommand.cpp, and
 * CoordinationSettings.cpp for conf.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { answers } from '../../support/peers/fake-member.js';
import { flat, over } from './fake-ensemble.js';

interface Keeper {
  readonly id: number;
  readonly mode: 'leader' | 'follower';
  /** Of a leader. */
  readonly synced?: number;
}

const keeper = ({ id, mode, synced }: Keeper) =>
  answers({
    srvr: [
      'ClickHouse Keeper version: v25.8.1.1-stable-abc',
      'Latency min/avg/max: 0/1/12',
      'Received: 100',
      'Sent: 120',
      'Connections: 1',
      'Outstanding: 0',
      'Zxid: 36',
      `Mode: ${mode}`,
      'Node count: 44\n',
    ].join('\n'),
    mntr: [
      'zk_version\tv25.8.1.1-stable-abc',
      'zk_avg_latency\t1',
      'zk_max_latency\t12',
      'zk_min_latency\t0',
      'zk_packets_received\t100',
      'zk_packets_sent\t120',
      'zk_num_alive_connections\t1',
      'zk_outstanding_requests\t0',
      `zk_server_state\t${mode}`,
      'zk_znode_count\t44',
      'zk_watch_count\t3',
      'zk_ephemerals_count\t1',
      'zk_approximate_data_size\t8820',
      'zk_key_arena_size\t4096',
      'zk_latest_snapshot_size\t0',
      'zk_open_file_descriptor_count\t80',
      'zk_max_file_descriptor_count\t1048576',
      ...(synced === undefined ? [] : ['zk_followers\t2', `zk_synced_followers\t${synced}`]),
      '',
    ].join('\n'),
    conf: [
      `server_id=${id}`,
      'enable_ipv6=true',
      'tcp_port=9181',
      'four_letter_word_allow_list=*',
      'log_storage_path=/var/lib/clickhouse/log',
      'snapshot_storage_path=/var/lib/clickhouse/snapshots',
      'min_session_timeout_ms=10000',
      'session_timeout_ms=100000\n',
    ].join('\n'),
  });

const followers = [2, 3].map((id) => keeper({ id, mode: 'follower' }));

test('three Keepers in sync are healthy', async () => {
  const run = await over([keeper({ id: 1, mode: 'leader', synced: 2 }), ...followers]);
  assert.is(run.exitCode, 0, run.out);
  assert.match(flat(run), /HEALTHY: 127\.0\.0\.1:\d+ leads, 3 of 3 voters in sync/);
  assert.match(run.out, '25.8.1.1');
});

test('a Keeper without a leader is a warning, and a leader without followers is critical', async () => {
  const text = 'This instance is not currently serving requests';
  const idle = answers({ srvr: text, mntr: text });
  const [follower] = followers;
  assert.ok(follower);
  const warned = await over([keeper({ id: 1, mode: 'leader', synced: 1 }), follower, idle]);
  assert.is(warned.exitCode, 1, warned.out);
  const alone = await over([keeper({ id: 1, mode: 'leader', synced: 0 }), idle, idle]);
  assert.is(alone.exitCode, 2, alone.out);
  assert.match(flat(alone), 'no quorum: 1 of 3 voters in sync');
});

test('conf shows the numbers and limits of Keepers', async () => {
  const run = await over([keeper({ id: 1, mode: 'leader', synced: 2 }), ...followers], 'conf');
  assert.is(run.exitCode, 0, run.out);
  assert.match(flat(run), 'answered 3 9181 10000 100000');
});

test.run();
