import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WORDS } from '../../src/fourlw/index.js';
import { metricOf, summaryPart } from '../../src/fourlw/mntr.js';
import { golden } from './captured-view.js';

test('srvr and stat of 3.8 are read whole', () => {
  const leader = WORDS.stat.parse(golden('leader', 'stat'));
  assert.is(leader.release, '3.8.0');
  assert.is(leader.mode, 'leader');
  assert.is(leader.zxid, 0x100000008n);
  assert.equal(leader.latencyMs, { min: 1, avg: 5.5, max: 12 });
  assert.equal(leader.proposalSizes, { last: 89, min: 48, max: 90 });
  assert.equal(
    leader.clients.map(({ remote, interestOps, received }) => [remote, interestOps, received]),
    [
      ['127.0.0.1:36128', 1, 4],
      ['127.0.0.1:36148', 0, 1],
    ],
  );
  assert.equal(leader.unknown, []);
});

test('stat of 3.4 has whole latencies and IPv6 clients', () => {
  const parsed = WORDS.stat.parse(
    [
      'Zookeeper version: 3.4.14-4c25d480e66aadd371de8bd2fd8da255ac140bcf, built on 03/06/2019 16:18 GMT',
      'Clients:',
      ' /0:0:0:0:0:0:0:1:51234[1](queued=0,recved=1,sent=0)',
      ' /[0:0:0:0:0:0:0:1]:51236[0](queued=0,recved=1,sent=0)',
      '',
      'Latency min/avg/max: 0/12/340',
      'Received: 10',
      'Sent: 9',
      'Connections: 2',
      'Outstanding: 0',
      'Zxid: 0xffffffffffffffff',
      'Mode: follower',
      'Node count: 4',
      '',
    ].join('\r\n'),
  );
  assert.is(parsed.release, '3.4.14');
  assert.equal(parsed.latencyMs, { min: 0, avg: 12, max: 340 });
  assert.is(parsed.zxid, 0xffffffffffffffffn);
  assert.equal(
    parsed.clients.map(({ remote }) => remote),
    ['0:0:0:0:0:0:0:1:51234', '[0:0:0:0:0:0:0:1]:51236'],
  );
});

test('a read-only server is known by its line as by its mode', () => {
  const parsed = WORDS.srvr.parse(
    'Zookeeper version: 3.9.3\nREAD-ONLY mode; serving only read-only clients\nMode: read-only\n',
  );
  assert.is(parsed.isReadOnly, true);
  assert.is(parsed.latencyMs, undefined);
});

test('srvr of ClickHouse Keeper is read, its own lines among them', () => {
  const parsed = WORDS.stat.parse(
    [
      'ClickHouse Keeper version: v23.8.2.7-stable-f73c8f37874',
      'Clients:',
      ' 192.168.1.1:52852(recved=0,sent=0)',
      '',
      'Latency min/avg/max: 0/0/0',
      'Received: 0',
      'Sent: 0',
      'Connections: 1',
      'Outstanding: 0',
      'Zxid: 36',
      'Mode: leader',
      'Node count: 4',
      'Raft term: 7',
    ].join('\n'),
  );
  assert.is(parsed.release, '23.8.2.7');
  assert.is(parsed.zxid, 36n);
  assert.is(parsed.clients[0]?.remote, '192.168.1.1:52852');
  assert.is(parsed.clients[0]?.interestOps, undefined);
  assert.equal(parsed.unknown, ['Raft term: 7']);
});

test("mntr of Apache's default provider keeps every key in order", () => {
  for (const server of ['standalone', 'leader', 'f1', 'observer', 'read-only-1']) {
    const text = golden(server, 'mntr');
    const parsed = WORDS.mntr.parse(text);
    const back = [...parsed.values].map(([key, value]) => `zk_${key}\t${value}\n`).join('');
    assert.is(back, text);
    assert.is(parsed.dialect, 'default');
  }
  const standalone = WORDS.mntr.parse(golden('standalone', 'mntr'));
  assert.is(metricOf(standalone, 'avg_latency'), 1.9276);
  assert.is(metricOf(standalone, 'avg_proposal_process_time'), 0.0004);
  assert.is(summaryPart(standalone, 'updatelatency', 'p99'), 17);
  assert.is(metricOf(standalone, 'synced_followers'), undefined);
});

test('mntr of the Prometheus provider is read: doubles, labels, NaN, totals', () => {
  const parsed = WORDS.mntr.parse(
    [
      'zk_version\t3.9.3-c26634f, built on 2024-10-17 23:21 UTC',
      'zk_server_state\tleader',
      'zk_uptime\t11438.0',
      'zk_approximate_data_size\t1.2345678E7',
      'zk_commit_count_total\t8.0',
      'zk_readlatency{quantile="0.5"}\tNaN',
      'zk_readlatency{quantile="0.99"}\t3.0',
      'zk_readlatency_count\t4.0',
      'zk_readlatency_sum\t10.0',
      'zk_write_per_namespace{key="my app",quantile="0.5"}\t7.0',
    ].join('\n'),
  );
  assert.is(parsed.dialect, 'prometheus');
  assert.is(metricOf(parsed, 'uptime'), 11438);
  assert.is(metricOf(parsed, 'approximate_data_size'), 12345678);
  assert.is(metricOf(parsed, 'commit_count'), 8);
  assert.is(summaryPart(parsed, 'readlatency', 'p50'), undefined);
  assert.is(summaryPart(parsed, 'readlatency', 'p99'), 3);
  assert.is(summaryPart(parsed, 'readlatency', 'avg'), 2.5);
  assert.is(parsed.values.get('write_per_namespace{key="my app",quantile="0.5"}'), '7.0');
  assert.equal(parsed.unknown, []);
});

test('mntr of 3.4 calls its learners followers', () => {
  const parsed = WORDS.mntr.parse(
    'zk_server_state\tleader\nzk_followers\t2\nzk_synced_followers\t2\n',
  );
  assert.is(metricOf(parsed, 'learners'), 2);
});

test('cons keeps every field, known or not; a probe has no session', () => {
  const [session, probe] = WORDS.cons.parse(golden('leader', 'cons')).connections;
  assert.is(session?.sessionId, '0x300001226380000');
  assert.is(session?.lastOperation, 'GETD');
  assert.is(session?.establishedMs, 1795245532658);
  assert.is(session?.maxLatencyMs, 12);
  assert.is(session?.fields['lresp'], '1234028');
  assert.is(probe?.sessionId, undefined);
  const odd = WORDS.cons.parse(' /10.0.0.1:5[5](queued=2,recved=3,sent=1,color=blue)\n\n???\n');
  assert.is(odd.connections[0]?.fields['color'], 'blue');
  assert.equal(odd.unknown, ['???']);
});

test('conf gives values, members and version; a standalone has no members', () => {
  const leader = WORDS.conf.parse(golden('leader', 'conf'));
  assert.is(leader.values['serverId'], '3');
  assert.is(leader.servers['4'], '127.0.0.1:22304:22314:observer');
  assert.is(leader.configVersion, '0');
  const standalone = WORDS.conf.parse(golden('standalone', 'conf'));
  assert.equal(standalone.servers, {});
  assert.is(standalone.configVersion, undefined);
  const v6 = WORDS.conf.parse('server.1=[::1]:2888:3888:participant;[::]:2181\nserver_id=2\n');
  assert.is(v6.servers['1'], '[::1]:2888:3888:participant;[::]:2181');
  assert.is(v6.values['server_id'], '2');
});

test('envi splits at the first equals sign', () => {
  const parsed = WORDS.envi.parse('Environment:\nuser.home=/x=y\njava.compiler=<NA>\nodd\n');
  assert.equal(parsed.values, { 'user.home': '/x=y', 'java.compiler': '<NA>' });
  assert.equal(parsed.unknown, ['odd']);
});

test('watches and dump give sessions, paths and connections', () => {
  const summary = WORDS.wchs.parse(golden('f1', 'wchs'));
  assert.equal([summary.connections, summary.paths, summary.watches], [1, 3, 3]);
  assert.equal(WORDS.wchc.parse(golden('f1', 'wchc')).sessions, [
    ['0x100001226710000', ['/a', '/a/e1', '/nope']],
  ]);
  assert.equal(WORDS.wchp.parse(golden('f1', 'wchp')).paths[2], ['/nope', ['0x100001226710000']]);
  for (const server of ['leader', 'f1']) {
    const dump = WORDS.dump.parse(golden(server, 'dump'));
    assert.is(dump.sessions.length, 4);
    assert.equal(dump.ephemerals[1], ['0x300001226380000', ['/a/e2']]);
    assert.is(dump.connections[0]?.sessionId, '0x0');
    assert.equal(dump.unknown, []);
  }
});

test('the small words are read', () => {
  assert.is(WORDS.ruok.parse('imok').isOk, true);
  assert.is(WORDS.ruok.parse('HTTP/1.1 400 Bad Request').isOk, false);
  assert.is(WORDS.isro.parse('ro\n').state, 'ro');
  assert.is(WORDS.isro.parse('maybe').state, undefined);
  assert.is(WORDS.gtmk.parse('306').mask, 306n);
  assert.is(WORDS.srst.parse('Server stats reset.\n').isDone, true);
  assert.is(WORDS.dirs.parse(golden('leader', 'dirs')).logDirSize, 67109517n);
  assert.is(WORDS.dirs.parse('snapshot_dir_size: 0\nlog_dir_size: 3875\n').logDirSize, 3875n);
  const { digests } = WORDS.hash.parse(golden('standalone', 'hash'));
  assert.equal(digests[0], { zxid: 0x176c80n, digest: 1290176252434349n });
});

test('the address of a connection has no parenthesis', () => {
  assert.equal(WORDS.cons.parse(' /1.2.3.4:5[1](queued=0)(sent=1)\n').connections, []);
});

test('no parser throws, whatever it is given', () => {
  const inputs = [
    '',
    '\0\xff',
    '=',
    'server.=',
    'zk_',
    '{"a":1}',
    '[](=)',
    '\t',
    'Zxid: 0xzz',
    '(',
  ];
  // A parser that reads the rest of a line again and again would take hours.
  const long = ['x', ' ', '(', '/1.2.3.4:1[1](queued=0,', '[0', '='].map((unit) => {
    return unit.repeat(1_000_000);
  });
  const digits = '0'.repeat(1_000_000);
  const numbers = ['Zookeeper version: ', 'Node count: ', '/1.2.3.4:1[1](queued='].map((field) => {
    return `${field}${digits}x)`;
  });
  const all = [...inputs, inputs.join('\n'), ...long, ...numbers];
  for (const word of Object.values(WORDS)) {
    for (const text of all) assert.ok(word.parse(text) !== undefined);
  }
});

test('the release of a bundled server is that of zkserver', () => {
  for (const [version, release] of [
    ['3.9.3-c26634f, built on 2024-10-17 23:21 UTC', '3.9.3'],
    ['3.9.4-zksh-1.0.0, built on 2026-11-21 00:00 UTC', '3.9.4-zksh-1.0.0'],
    ['3.9.4-zksh-1.1.0-rc.1, built on 2026-11-21 00:00 UTC', '3.9.4-zksh-1.1.0-rc.1'],
  ] as const) {
    assert.is(WORDS.srvr.parse(`Zookeeper version: ${version}\n`).release, release);
  }
});

test('an answer to load has at most 1000 rows', () => {
  const row = 'path\t1\t1\t1\t/a\n';
  const { rows, unknown } = WORDS.load.parse(`total\t2\t2\t2\t60\n${row.repeat(200_000)}`);
  assert.equal([rows.length, unknown.length], [1000, 199_000]);
});

test.run();
