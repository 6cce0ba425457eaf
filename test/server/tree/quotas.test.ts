import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { limitPath, statPath } from '../../../src/protocol/quota.js';
import { QuotaPaths, quotaOf, quotaOwner } from '../../../src/server/tree/quotas.js';
import { deleteTxn, setDataTxn, TreeWorld } from './tree-world.js';

const NONE = { count: -1, bytes: -1, countHardLimit: -1, byteHardLimit: -1 };

for (const [text, figures] of [
  ['count=5,bytes=10', { count: 5, bytes: 10 }],
  ['count=-1,bytes=-1=;byteHardLimit=7;countHardLimit=8', { byteHardLimit: 7, countHardLimit: 8 }],
  ['bytes=3', { bytes: 3 }],
  ['count=x,bytes=', {}],
  ['other=5', {}],
  ['toString=5', {}],
  ['', {}],
] as const) {
  test(`the quota "${text}"`, () => {
    assert.equal(quotaOf(text), { ...NONE, ...figures });
  });
}

test('a znode without data has an empty quota', () => {
  assert.equal(quotaOf(null), NONE);
});

test('a quota belongs to the path between its root and its name', () => {
  assert.is(limitPath('/a/b'), '/zookeeper/quota/a/b/zookeeper_limits');
  assert.is(statPath('/a'), '/zookeeper/quota/a/zookeeper_stats');
  assert.is(quotaOwner('/zookeeper/quota/a/b/zookeeper_limits', 'zookeeper_limits'), '/a/b');
  assert.is(quotaOwner('/zookeeper/quota/a/zookeeper_stats', 'zookeeper_limits'), undefined);
  assert.is(quotaOwner('/zookeeper/quota/zookeeper_limits', 'zookeeper_limits'), undefined);
  assert.is(quotaOwner('/a/zookeeper_limits', 'zookeeper_limits'), undefined);
});

test('the deepest quota above a path counts', () => {
  const paths = new QuotaPaths();
  assert.is(paths.above('/a'), undefined);
  paths.add('/a');
  paths.add('/a/b/c');
  assert.is(paths.above('/a'), '/a');
  assert.is(paths.above('/a/b'), '/a');
  assert.is(paths.above('/a/b/c/d'), '/a/b/c');
  assert.is(paths.above('/ab'), undefined);
  assert.is(paths.above('/'), undefined);
  paths.delete('/a');
  assert.is(paths.above('/a/b'), undefined);
});

test('the usage follows changes below, without a new version', () => {
  const world = new TreeWorld();
  const usage = (): string | null | undefined => world.tree.dataAt(statPath('/a'));
  world.create('/a', { data: '12' });
  world.create('/a/b', { data: '345' });
  world.create('/zookeeper/quota/a');
  world.create(limitPath('/a'), { data: 'count=10,bytes=100' });
  world.create(statPath('/a'), { data: 'count=0,bytes=0' });
  assert.is(usage(), 'count=2,bytes=5');
  const before = world.stat(statPath('/a'));
  world.create('/a/c', { data: '6' });
  world.create('/other', { data: 'not counted' });
  assert.is(usage(), 'count=3,bytes=6');
  world.apply(setDataTxn('/a/b', null, 1));
  assert.is(usage(), 'count=3,bytes=3');
  world.apply(deleteTxn('/a/b'));
  assert.is(usage(), 'count=2,bytes=3');
  assert.equal(world.stat(statPath('/a')), before);
  world.apply({ type: OpCode.delete, path: limitPath('/a') });
  world.create('/a/d', { data: '7' });
  assert.is(usage(), 'count=2,bytes=3');
});

test('a usage that is created again and again is counted later', () => {
  const world = new TreeWorld();
  const znodes = 1000;
  const usage = (): string | null | undefined => world.tree.dataAt(statPath('/a'));
  world.create('/a');
  for (let i = 1; i < znodes; i++) world.create(`/a/${i}`);
  world.create('/zookeeper/quota/a');
  world.create(limitPath('/a'), { data: 'count=10,bytes=100' });
  let counted = 0;
  for (let i = 0; i < 1000; i++) {
    world.create(statPath('/a'), { data: 'new' });
    if (usage() !== 'new') counted += znodes;
    world.apply(deleteTxn(statPath('/a')));
  }
  assert.ok(counted > 0 && counted <= 250_000, `${counted} znodes counted`);
  world.create(statPath('/a'), { data: 'new' });
  world.create('/a/b', { data: '12' });
  world.tree.countLate();
  assert.is(usage(), 'count=1001,bytes=2');
});

test.run();
