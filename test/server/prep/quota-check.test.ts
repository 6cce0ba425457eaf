import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPERATION_TABLE } from '../../../src/protocol/operation-table.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { MultiHeader } from '../../support/bytes/jute-records.js';
import type { Peer } from '../server-peer.js';
import { ServerWorld } from '../server-world.js';

const HARD = 'count=-1,bytes=-1=;byteHardLimit=10;countHardLimit=3';
const PLACE = '/zookeeper/quota/app/part';

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

type Part = readonly [type: number, path: string, text?: string];

const CREATE = OpCode.create;
const DELETE = OpCode.delete;

function multi(peer: Peer, ...parts: readonly Part[]): Buffer {
  const record = (type: number, path: string, text: string): Buffer => {
    const data = Buffer.from(text);
    const value = { path, data, acl: OPEN_ACL_UNSAFE, flags: 0, version: -1 };
    return OPERATION_TABLE.get(type)?.request?.encode(value) ?? Buffer.alloc(0);
  };
  const header = (type: number, isDone: boolean): Buffer =>
    MultiHeader.encode({ type, done: isDone, err: -1 });
  const bodies = parts.flatMap(([type, path, text = '']) => [
    header(type, false),
    record(type, path, text),
  ]);
  return peer.bare(OpCode.multi, Buffer.concat([...bodies, header(-1, true)]));
}

function send(world: ServerWorld, peer: Peer, ...frames: readonly Buffer[]): string[] {
  for (const frame of frames) peer.push(frame);
  world.ackAll();
  return peer.take();
}

test('a multi may not pass a hard limit that each of its operations keeps (ZOOKEEPER-5074)', () => {
  const { world, peer } = withQuota(HARD, true);
  const [a, b, c] = ['/app/part/a', '/app/part/b', '/app/part/c'];
  const usageAfter = (...parts: readonly Part[]): unknown => {
    send(world, peer, multi(peer, ...parts));
    return world.server.state.tree.dataAt(`${PLACE}/zookeeper_stats`);
  };
  assert.is(usageAfter([CREATE, a], [CREATE, b], [CREATE, c]), 'count=1,bytes=0');
  assert.is(usageAfter([CREATE, a, '123456'], [CREATE, b, '123456']), 'count=1,bytes=0');
  assert.is(usageAfter([CREATE, a, '123456'], [CREATE, b]), 'count=3,bytes=6');
  // A delete makes room for a create behind it.
  assert.is(usageAfter([DELETE, a], [CREATE, c, '1234567']), 'count=3,bytes=7');
  assert.equal(write(world, peer, a), ['create QUOTAEXCEEDED']);
});

test('requests in flight may not pass a hard limit together', () => {
  const { world, peer } = withQuota(HARD, true);
  const frames = ['a', 'b', 'c', 'd'].map((name) => make(peer, `/app/part/${name}`, '1'));
  const refused = 'create QUOTAEXCEEDED';
  assert.equal(send(world, peer, ...frames), ['create ok', 'create ok', refused, refused]);
  const freed = peer.request(DELETE, { path: '/app/part/a', version: -1 });
  const next = make(peer, '/app/part/e', '1');
  assert.equal(send(world, peer, freed, next), ['delete ok', 'create ok']);
});

test('a quota counts the changes that were in flight when it came into force', () => {
  const { world, peer } = withQuota(HARD, true);
  send(world, peer, peer.request(DELETE, { path: `${PLACE}/zookeeper_limits`, version: -1 }));
  peer.push(make(peer, `${PLACE}/zookeeper_limits`, HARD));
  peer.push(make(peer, '/app/part/a', ''));
  peer.push(make(peer, '/app/part/b', ''));
  world.ack();
  peer.push(make(peer, '/app/part/c', ''));
  world.ackAll();
  const made = ['create ok', 'create ok', 'create ok'];
  assert.equal(peer.take(), [...made, 'create QUOTAEXCEEDED']);
  assert.equal(write(world, peer, '/app/part/c'), ['create QUOTAEXCEEDED']);
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

test('a pending close frees what its ephemerals use', () => {
  const { world, peer } = withQuota(HARD, true);
  const other = world.client();
  other.take();
  for (const name of ['a', 'b']) other.push(other.create(`/app/part/${name}`, 1));
  world.ackAll();
  assert.equal(other.take(), ['create ok', 'create ok']);
  const { usage } = world.server.state.prep.outstanding;
  other.push(other.bare(OpCode.closeSession));
  assert.equal(usage.of('/app/part'), { count: -2, bytes: 0, changes: 2 });
  for (const name of ['c', 'd', 'e']) peer.push(make(peer, `/app/part/${name}`, ''));
  world.ackAll();
  assert.equal(peer.take(), ['create ok', 'create ok', 'create QUOTAEXCEEDED']);
  assert.is(usage.size, 0);
});

test.run();
