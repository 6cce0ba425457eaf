import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mntr } from '../../../src/fourlw/mntr.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { metricFamilies } from '../../../src/server/metrics/families.js';
import {
  MAX_NAMESPACES,
  NamespaceSummaries,
  namespaceOf,
} from '../../../src/server/metrics/namespaces.js';
import { quotaGauges } from '../../../src/server/metrics/quota-gauges.js';
import type { Znode } from '../../../src/server/tree/znode.js';
import { ServerWorld } from '../server-world.js';
import { TreeWorld } from '../tree/tree-world.js';

test('a path counts for its top znode, with its own length', () => {
  const namespaces = new NamespaceSummaries();
  namespaces.record('/a', 4);
  namespaces.record('/a/b', 10);
  namespaces.record('/ab', 1);
  namespaces.record('/a/b/c', 0);
  assert.equal([...namespaces.byName.keys()], ['a', 'ab']);
  const a = namespaces.byName.get('a');
  assert.equal([a?.count, a?.sum, a?.min, a?.max], [3, 26, 6, 14]);
  assert.is(namespaces.byName.get('ab')?.sum, 4);
});

test('the root and invalid paths belong to no namespace', () => {
  const namespaces = new NamespaceSummaries();
  for (const path of ['/', '', '//x']) namespaces.record(path, 1);
  assert.is(namespaces.byName.size, 0);
});

test('above the limit, only existing namespaces are counted', () => {
  const namespaces = new NamespaceSummaries();
  for (let i = 0; i < MAX_NAMESPACES + 5; i++) namespaces.record(`/n${i}`, 0);
  namespaces.record('/n0/x', 0);
  assert.is(namespaces.byName.size, MAX_NAMESPACES);
  assert.is(namespaces.byName.get('n0')?.count, 2);
});

test('the metrics stay short, however long and many the names are', () => {
  const world = new ServerWorld({
    settings: { maxFrameLength: 1 << 20 },
    isQuotaEnforced: true,
  });
  const { metrics } = world.server.state.stats;
  for (let i = 0; i < MAX_NAMESPACES + 100; i++) {
    const name = `n${i}-${'x'.repeat(100_000)}`;
    metrics.reads.record(`/${name}/y`, 0);
    metrics.writes.record(`/${name}`, 0);
    metrics.countQuotaError(namespaceOf(`/${name}/z`));
  }
  const text = mntr.render(world.server.view);
  assert.ok(text.length < 1_000_000, `${text.length} characters`);
  assert.match(text, /^zk_cnt_n7-x{97}_read_per_namespace\t1$/m);
  assert.match(text, /^zk_n7-x{97}_quota_exceeded_error_per_namespace\t1$/m);
  const labels = metricFamilies(world.server.view).flatMap(({ samples }) =>
    samples.map(({ labels: { key = '' } }) => key.length),
  );
  assert.is(Math.max(...labels), 100);
});

test('quotas of long and many names make as few gauges', () => {
  const world = new ServerWorld({ settings: { maxFrameLength: 1 << 20 } });
  const { tree } = world.server.state;
  const path = (i: number) => `/q${i}${'x'.repeat(1000)}`;
  const data = 'count=5,bytes=7';
  let zxid = 0n;
  const create = (at: string) => {
    const head = { sessionId: 0n, cxid: 0, zxid: ++zxid, time: 0n };
    const txn = {
      path: at,
      data,
      acl: OPEN_ACL_UNSAFE,
      isEphemeral: false,
      parentCVersion: -1,
      ttl: 0n,
    };
    tree.apply(head, { type: OpCode.create, ...txn });
  };
  for (let i = 0; i < MAX_NAMESPACES + 10; i++) {
    create(`/zookeeper/quota${path(i)}`);
    create(`/zookeeper/quota${path(i)}/zookeeper_limits`);
  }
  const gauges = quotaGauges(tree);
  const limits = gauges.filter(([name]) => name.endsWith('_quota_count_limit_per_namespace'));
  assert.is(limits.length, MAX_NAMESPACES);
  for (const [name, value] of limits) assert.equal([name.length < 140, value], [true, 5]);
});

test('names that begin alike count together, and short ones apart', () => {
  const namespaces = new NamespaceSummaries();
  const long = 'x'.repeat(100);
  for (const name of [long, `${long}y`, `${long}z`, long.slice(1)]) {
    namespaces.record(`/${name}`, 0);
  }
  assert.equal(
    [...namespaces.byName].map(([name, { count }]) => [name.length, count]),
    [
      [100, 3],
      [99, 1],
    ],
  );
});

test('a znode counts for the namespace of its path', () => {
  const namespaces = new NamespaceSummaries();
  const world = new TreeWorld();
  const { tree } = world;
  const read = (...paths: readonly string[]): unknown => {
    for (const path of paths) namespaces.recordNode(tree, tree.get(path) as Znode, 10);
    return [...namespaces.byName].map(([name, { count, sum }]) => [name, count, sum]);
  };
  for (const path of ['/a', '/a/b', '/ab', '/\u{e1}']) world.create(path);
  assert.equal(read('/', '/a', '/a/b', '/a/b'), [['a', 3, 40]]);
  assert.equal(read('/ab', '/a', '/\u{e1}', '/\u{e1}'), [
    ['a', 4, 52],
    ['ab', 1, 13],
    ['\u{e1}', 2, 24],
  ]);
  namespaces.reset();
  assert.equal(read('/ab'), [['ab', 1, 13]]);
});

test('after a reset a namespace starts again', () => {
  const namespaces = new NamespaceSummaries();
  namespaces.record('/a', 1);
  namespaces.reset();
  namespaces.record('/a', 1);
  assert.is(namespaces.byName.get('a')?.count, 1);
});

test.run();
