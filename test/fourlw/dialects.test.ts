import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kindOfAnswer, WORDS, type WordName } from '../../src/fourlw/index.js';
import { metricOf, summaryPart } from '../../src/fourlw/mntr.js';
import { repositoryRoot } from './captured-view.js';

// Answers as the releases print them, and another server that speaks the words. Written by hand
// after their sources and manuals, where no capture of Apache's 3.8 can show them.

const FOLDER = join(repositoryRoot(), 'test', 'golden', 'dialects');

function dialect<Name extends WordName>(name: string, word: Name) {
  const text = readFileSync(join(FOLDER, `${name}.${word}`), 'utf8');
  return WORDS[word].parse(text) as ReturnType<(typeof WORDS)[Name]['parse']>;
}

test('every file is read without a line left over', () => {
  const files = readdirSync(FOLDER);
  assert.ok(files.length > 10);
  for (const file of files) {
    const word = file.slice(file.lastIndexOf('.') + 1) as WordName;
    const parsed = WORDS[word].parse(readFileSync(join(FOLDER, file), 'utf8'));
    if (!('unknown' in parsed)) throw new Error(`${file}: ${word} keeps no unknown lines`);
    assert.equal(parsed.unknown, [], file);
  }
});

test('srvr: whole and broken latencies, dates and revisions of every age', () => {
  const read = (name: string) => {
    const { release, latencyMs, zxid, mode } = dialect(name, 'srvr');
    return [release, latencyMs?.avg, zxid, mode];
  };
  assert.equal(read('zookeeper-3.4'), ['3.4.14', 12, 0x500000007n, 'leader']);
  assert.equal(read('zookeeper-3.6'), ['3.6.4', 0.0005, 0x2000003e8n, 'follower']);
  assert.equal(read('zookeeper-3.10'), ['3.10.0', 12_000_000, 0x300000010n, 'observer']);
  assert.equal(read('clickhouse-keeper'), ['24.8.4.13', 0, 36n, 'leader']);
});

test('mntr: the leader of 3.4 counts followers, that of ClickHouse too', () => {
  for (const name of ['zookeeper-3.4', 'clickhouse-keeper']) {
    const parsed = dialect(name, 'mntr');
    assert.is(parsed.dialect, 'default');
    assert.is(metricOf(parsed, 'learners'), 2);
    assert.is(metricOf(parsed, 'synced_followers'), 2);
    assert.is(metricOf(parsed, 'quorum_size'), undefined);
  }
});

test('mntr: 3.10 counts operations; what no one knows is kept', () => {
  const parsed = dialect('zookeeper-3.10', 'mntr');
  assert.is(metricOf(parsed, 'op_count_get_data'), 40);
  assert.is(metricOf(parsed, 'avg_latency'), 12_000_000);
  assert.is(metricOf(parsed, 'word_of_tomorrow'), undefined);
  assert.is(parsed.values.get('word_of_tomorrow'), 'many');
  assert.is(parsed.values.get('observer_master_id'), '2');
});

test('mntr: both ages of the Prometheus provider give the same figures', () => {
  const [old, young] = ['prometheus-3.9', 'prometheus-3.10'].map((name) => dialect(name, 'mntr'));
  for (const parsed of [old, young]) {
    assert.is(parsed?.dialect, 'prometheus');
    assert.is(parsed && metricOf(parsed, 'commit_count'), 8);
    assert.is(parsed && metricOf(parsed, 'quorum_size'), 3);
    assert.is(parsed && summaryPart(parsed, 'fsynctime', 'avg'), 3);
    assert.is(parsed && summaryPart(parsed, 'fsynctime', 'sum'), 24);
  }
  assert.is(old && summaryPart(old, 'updatelatency', 'p99'), undefined);
  assert.is(young && summaryPart(young, 'updatelatency', 'p99'), 5);
  assert.is(young && summaryPart(young, 'updatelatency', 'p95'), 4);
  assert.is(old && summaryPart(old, 'updatelatency', 'avg'), undefined);
});

test('conf: 3.4 has no membership, ClickHouse names its id otherwise', () => {
  assert.is(dialect('zookeeper-3.4', 'conf').values['serverId'], '3');
  assert.equal(dialect('zookeeper-3.4', 'conf').servers, {});
  assert.is(dialect('clickhouse-keeper', 'conf').values['server_id'], '1');
});

test('cons and dump: IPv6 without brackets, ids with leading zeros, blanks for tabs', () => {
  const [session, probe] = dialect('zookeeper-3.4', 'cons').connections;
  assert.is(session?.sessionId, '0x300001226380000');
  assert.is(probe?.remote, '0:0:0:0:0:0:0:1:51236');
  const keeper = dialect('clickhouse-keeper', 'cons').connections;
  assert.equal(
    keeper.map(({ remote, sessionId }) => [remote, sessionId]),
    [
      ['192.168.1.1:52163', '0xffffffffffffffff'],
      ['192.168.1.1:52042', '0x1'],
    ],
  );
  assert.equal(dialect('zookeeper-3.4', 'dump').ephemerals, [
    ['0x300001226380000', ['/app/leader']],
  ]);
  const dump = dialect('clickhouse-keeper', 'dump');
  assert.is(dump.sessions.length, 2);
  assert.equal(dump.ephemerals, [['0x0000000000000001', ['/clickhouse/task_queue/ddl']]]);
});

test('a refusal is known by its words, in either spelling', () => {
  for (const list of ['whitelist', 'white list']) {
    const text = `mntr is not executed because it is not in the ${list}.\n`;
    assert.is(kindOfAnswer('mntr', text), 'not-whitelisted');
  }
});

test.run();
