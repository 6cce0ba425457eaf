import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

function make(peer: Peer, path: string, text: string): Buffer {
  const value = { path, data: Buffer.from(text), acl: OPEN_ACL_UNSAFE, flags: 0 };
  return peer.request(OpCode.create, value);
}

/** "/app/part" with this quota, as setquota makes it. */
function withQuota(limits: string, isQuotaEnforced = false): { world: ServerWorld; peer: Peer } {
  const world = new ServerWorld({ isQuotaEnforced });
  const peer = world.client();
  for (const [path, text] of [
    ['/app', ''],
    ['/app/part', ''],
    ['/zookeeper/quota/app', ''],
    ['/zookeeper/quota/app/part', ''],
    ['/zookeeper/quota/app/part/zookeeper_limits', limits],
    ['/zookeeper/quota/app/part/zookeeper_stats', 'count=0,bytes=0'],
  ] as const) {
    peer.push(make(peer, path, text));
    world.ackAll();
  }
  peer.take();
  return { world, peer };
}

function write(world: ServerWorld, peer: Peer, path: string, text = ''): string[] {
  peer.push(make(peer, path, text));
  world.ackAll();
  return peer.take();
}

/** The quota reports in the log, which are then cleared. */
function told(world: ServerWorld): string[] {
  return world.effects.splice(0).flatMap((effect) => {
    if (effect.kind !== 'report' || effect.report.kind !== 'quota-exceeded') return [];
    const { owner, what, used, limit, isHard, isRefused } = effect.report;
    return [`${owner} ${what} ${used}>${limit} ${isHard} ${isRefused}`];
  });
}

test('a write above a soft limit is made, and reported once a minute', () => {
  const { world, peer } = withQuota('count=2,bytes=10');
  assert.equal(write(world, peer, '/app/part/a'), ['create ok']);
  assert.equal(told(world), []);
  assert.equal(write(world, peer, '/app/part/b', '12345678901'), ['create ok']);
  assert.equal(told(world), [
    '/app/part count 3>2 false false',
    '/app/part bytes 11>10 false false',
  ]);
  assert.equal(write(world, peer, '/app/part/c', '1'), ['create ok']);
  assert.equal(told(world), [], 'told already');
  assert.equal(write(world, peer, '/elsewhere', '12345678901'), ['create ok']);
  world.clock(60_000);
  const next = world.client();
  assert.equal(write(world, next, '/app/part/d'), ['create ok']);
  assert.equal(told(world), ['/app/part count 5>2 false false']);
});

test('a write above a hard limit is reported, refused or not, and a refusal is counted', () => {
  for (const isEnforced of [false, true]) {
    const limits = 'count=1,bytes=-1=;byteHardLimit=-1;countHardLimit=2';
    const { world, peer } = withQuota(limits, isEnforced);
    assert.equal(write(world, peer, '/app/part/a'), ['create ok']);
    const answer = isEnforced ? 'create QUOTAEXCEEDED' : 'create ok';
    assert.equal(write(world, peer, '/app/part/b'), [answer]);
    // The hard limit stands before the soft one.
    assert.equal(told(world), [`/app/part count 3>2 true ${isEnforced}`]);
    const errors = /^zk_app_quota_exceeded_error_per_namespace\t(\d+)$/m.exec(mntrOf(world))?.[1];
    assert.is(errors, isEnforced ? '1' : undefined);
  }
});

test('limits and usage below a top-level znode are gauges', () => {
  const { world, peer } = withQuota('count=7,bytes=100=;byteHardLimit=200;countHardLimit=-1');
  write(world, peer, '/app/part/a', '12345');
  const found = [...mntrOf(world).matchAll(/^zk_app_quota_(\w+)_per_namespace\t(\d+)$/gm)];
  assert.equal(
    found.map(([, name, value]) => `${name} ${value}`),
    ['count_limit 7', 'bytes_limit 200', 'count_usage 2', 'bytes_usage 5'],
  );
});

function mntrOf(world: ServerWorld): string {
  const asker = world.connect();
  asker.push(Buffer.from('mntr'));
  return asker.bytes.toString();
}

test.run();
