/** Requests whose answers have a limit, which is checked before memory grows or time passes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvariantError } from '../../../src/base/assert.js';
import type { ACL } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import type { Peer } from '../server-peer.js';
import type { ServerWorld } from '../server-world.js';
import { tablesOf } from '../tree/tables-of.js';
import { apply, fill, limitsOf, MIB, makeWorld, sentTo } from '../turn-world.js';

const CHILDREN = 10_000;

/** {int type, bool done, int err} and the record of each read. */
function multiRead(peer: Peer, reads: readonly (readonly [type: number, path: string])[]): Buffer {
  const parts = reads.map(([type, path]) => {
    const head = Buffer.alloc(13);
    head.writeInt32BE(type);
    head.writeInt32BE(-1, 5);
    head.writeInt32BE(path.length, 9);
    return Buffer.concat([head, Buffer.from(path), Buffer.alloc(1)]);
  });
  const end = Buffer.from('ffffffff01ffffffff', 'hex');
  return peer.bare(OpCode.multiRead, Buffer.concat([...parts, end]));
}

test('a multiRead is refused before its reply grows beyond a limit', () => {
  const world = makeWorld();
  const peer = world.client();
  const large = { path: '/large', data: Buffer.alloc(MIB), acl: OPEN_ACL_UNSAFE, flags: 0 };
  peer.push(peer.request(OpCode.create, large));
  world.ackAll();
  const read = [OpCode.getData, '/large'] as const;
  peer.push(multiRead(peer, new Array(10).fill(read)));
  world.drained(peer);
  assert.equal(peer.take(), ['create ok', 'multiRead ok']);
  peer.push(multiRead(peer, new Array(4400).fill(read)));
  assert.equal(peer.take(), ['multiRead MARSHALLINGERROR']);
  const connection = world.server.state.connections.get(peer.id);
  assert.ok((connection?.out.memory.length ?? MIB) < MIB, 'its memory is given back');
  assert.ok(limitsOf(world).includes('multiReadBytes'));
});

test('a multiRead of many children is refused before it costs too much', () => {
  const world = makeWorld();
  const peer = world.client();
  fill(world, peer, '/p', CHILDREN);
  const reads = new Array(1000).fill([OpCode.getChildren, '/p'] as const);
  const before = world.server.state.work.steps;
  peer.step(multiRead(peer, reads));
  const { steps } = world.server.state.work;
  assert.ok(steps - before <= LIMITS.multiReadSteps.value + 2 * CHILDREN, `${steps} steps`);
  world.drain();
  assert.equal(peer.take(), ['multiRead MARSHALLINGERROR']);
  assert.ok(limitsOf(world).includes('multiReadSteps'));
});

test('children cost a step each, in a request of their own and in a multiRead', () => {
  const count = 100;
  const world = makeWorld();
  const peer = world.client();
  fill(world, peer, '/p', count);
  const stepsOf = (bytes: Buffer): number => {
    const before = world.server.state.work.steps;
    peer.step(bytes);
    return world.server.state.work.steps - before;
  };
  const alone = stepsOf(peer.request(OpCode.getChildren, { path: '/p', watch: false }));
  assert.ok(alone >= count && alone < 2 * count, `${alone} steps`);
  const together = stepsOf(multiRead(peer, new Array(3).fill([OpCode.getChildren, '/p'])));
  assert.ok(together >= 3 * count && together < 4 * count, `${together} steps`);
});

test('what others read before in the turn does not count for a multiRead', () => {
  const world = makeWorld();
  const [peer, other] = [world.client(), world.client()];
  fill(world, peer, '/p', CHILDREN);
  const read = [OpCode.getChildren, '/p'] as const;
  other.step(multiRead(other, new Array(9).fill(read)));
  const { steps } = world.server.state.work;
  assert.ok(steps >= 9 * CHILDREN && steps < LIMITS.turnSteps.value, `${steps} steps`);
  const most = Math.floor(LIMITS.multiReadSteps.value / CHILDREN) - 1;
  peer.step(multiRead(peer, new Array(most).fill(read)));
  world.drain();
  assert.equal(peer.take(), ['multiRead ok']);
});

test('names beyond the limit of a reply are refused, and others are served meanwhile', () => {
  const world = makeWorld();
  const peer = world.client();
  const other = world.client();
  const count = LIMITS.replyBytes.value / MIB + 1;
  apply(world, peer, '/p');
  for (let i = 0; i < count; i++) apply(world, peer, `/p/${i}${'x'.repeat(MIB)}`, true);
  for (const [name, body] of [
    ['getChildren', { path: '/p', watch: false }],
    ['getEphemerals', { prefixPath: '/' }],
  ] as const) {
    const before = sentTo(world, peer);
    peer.step(peer.request(OpCode[name], body));
    assert.is(sentTo(world, peer), before, `${name}: not in one turn`);
    other.push(other.getData('/p'));
    assert.equal(other.take(), ['getData ok']);
    while (peer.isAwaited) world.drained(peer);
    assert.equal(peer.take(), [`${name} MARSHALLINGERROR`]);
  }
  assert.ok(limitsOf(world).includes('replyBytes'));
  const { content } = tablesOf(world.server.state.tree);
  content.writePath = () => assert.unreachable('each is refused before it is written');
  peer.push(multiRead(peer, new Array(3).fill([OpCode.getChildren, '/p'] as const)));
  assert.equal(peer.take(), ['multiRead ok'], 'with an error for each');
});

test('a list of long names that waits for a write ends the pipeline', () => {
  const world = makeWorld();
  const peer = world.client();
  apply(world, peer, '/p');
  for (let i = 0; i < 3; i++) apply(world, peer, `/p/${i}${'x'.repeat(MIB)}`);
  const list = () => peer.request(OpCode.getChildren, { path: '/p', watch: false });
  peer.push(Buffer.concat([peer.create('/a'), list(), peer.create('/b')]));
  assert.is(world.appends.length, 1);
  world.ack();
  while (peer.isAwaited) world.drained(peer);
  world.ackAll();
  assert.equal(peer.take(), ['create ok', 'getChildren ok', 'create ok']);
});

/** An ACL that grants only by its last entry. */
function longAcl(name: string): ACL[] {
  const entryOf = (i: number) => ({
    perms: Perms.ALL,
    id: { scheme: 'digest', id: `${name}:${i}` },
  });
  const entries = Array.from({ length: LIMITS.aclEntries.value - 1 }, (_, i) => entryOf(i));
  return [...entries, ...OPEN_ACL_UNSAFE];
}

function createAll(world: ServerWorld, peer: Peer, count: number): string[] {
  const paths = Array.from({ length: count }, (_, i) => `/acl${i}`);
  for (const path of paths) {
    const request = { path, data: null, acl: longAcl(path.slice(1)), flags: 0 };
    peer.push(peer.request(OpCode.create, request));
    world.ackAll();
    world.drained(peer);
  }
  peer.take();
  return paths;
}

test('each ACL is compared once with the ids of a client, for its entries and not each pair', () => {
  const world = makeWorld();
  const peer = world.client();
  const paths = createAll(world, peer, 2);
  const { state } = world.server;
  for (let i = 0; i < 100; i++) {
    const auth = { type: 0, scheme: 'digest', auth: Buffer.from(`user${i}:x`) };
    peer.push(peer.request(OpCode.auth, auth, -4));
  }
  peer.take();
  const before = state.work.steps;
  peer.step(Buffer.concat([...paths, ...paths].map((path) => peer.getData(path))));
  const entries = (state.work.steps - before) / LIMITS.aclEntries.value;
  assert.ok(entries > 0 && entries < 5, `${entries} times the entries of an ACL`);
  world.drain();
  while (peer.isAwaited) world.drained(peer);
  assert.equal(peer.take(), new Array(4).fill('getData ok'));
});

test('a multi that compares too many ACLs fails as a whole', () => {
  const world = makeWorld();
  const peer = world.client();
  const paths = createAll(world, peer, 30);
  const parts = paths.map((path) => {
    const head = Buffer.alloc(13);
    head.writeInt32BE(OpCode.check);
    head.writeInt32BE(-1, 5);
    head.writeInt32BE(path.length, 9);
    return Buffer.concat([head, Buffer.from(path), Buffer.from('ffffffff', 'hex')]);
  });
  const end = Buffer.from('ffffffff01ffffffff', 'hex');
  const { work } = world.server.state;
  const begun = work.steps;
  peer.step(peer.bare(OpCode.multi, Buffer.concat([...parts, end])));
  assert.ok(work.steps - begun <= LIMITS.multiSteps.value + 3 * LIMITS.aclEntries.value);
  world.drain();
  world.ackAll();
  assert.ok(limitsOf(world).includes('multiSteps'));
  assert.equal(world.server.state.prep.outstanding.size, 0);
});

test('an exception in one read closes its connection, and a broken invariant ends the server', () => {
  const world = makeWorld();
  const [peer, other] = [world.client(), world.client()];
  const { stats } = tablesOf(world.server.state.tree);
  const writeStat = stats.writeStat.bind(stats);
  stats.writeStat = () => {
    throw new RangeError('Array buffer allocation failed');
  };
  peer.push(Buffer.concat([peer.ping(), peer.getData('/'), peer.ping()]));
  stats.writeStat = writeStat;
  assert.equal(peer.take(), ['ping ok', 'closed']);
  const report = world.effects.findLast((effect) => effect.kind === 'report');
  assert.equal(report, {
    kind: 'report',
    report: {
      kind: 'request-failed',
      remoteIp: '127.0.0.1',
      operation: 'GETD',
      problem: 'Array buffer allocation failed',
    },
  });
  other.push(other.getData('/'));
  assert.equal(other.take(), ['getData ok']);
  stats.writeStat = () => {
    throw new InvariantError('broken');
  };
  assert.throws(() => other.push(other.getData('/')), /^broken$/);
});

test.run();
