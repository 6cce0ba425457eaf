/** Requests that cost more than their bytes: what a turn does for them is counted, never timed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { NO_LIMITS } from '../../../src/server/limits/limit-options.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { BYTES_PER_STEP } from '../../../src/server/limits/work.js';
import type { ServerState } from '../../../src/server/state/server-state.js';
import { EnsembleWorld } from '../quorum/worlds/ensemble-world.js';
import type { Peer } from '../server-peer.js';
import { awaited, fill, limitsOf, makeWorld, nextTurn, sentTo } from '../turn-world.js';

const COUNT = OpCode.getAllChildrenNumber;
const CHILDREN = 10_000;

for (const [name, ask, isEphemeral] of [
  ['getAllChildrenNumber', (peer: Peer) => peer.request(COUNT, { path: '/p' }), false],
  [
    'getEphemerals',
    (peer: Peer) => peer.request(OpCode.getEphemerals, { prefixPath: '/none' }),
    true,
  ],
] as const) {
  test(`clients that pipeline ${name} share the turns with each other and with others`, () => {
    const world = makeWorld();
    const attackers = Array.from({ length: isEphemeral ? 1 : 8 }, () => world.client());
    const [first] = attackers as [Peer];
    fill(world, first, '/p', CHILDREN, isEphemeral);
    const other = world.client();
    world.effects.length = 0;
    const before = attackers.map((peer) => sentTo(world, peer));
    for (const peer of attackers) {
      peer.step(Buffer.concat(Array.from({ length: 50 }, () => ask(peer))));
    }
    other.step(Buffer.concat([other.getData('/p'), other.create('/o')]));
    let waiting = awaited(world);
    const answers = () => attackers.map((peer, i) => sentTo(world, peer) - (before[i] ?? 0));
    const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
    // Each of them visits all children.
    const most = (2 * LIMITS.turnSteps.value) / CHILDREN;
    assert.ok(sum(answers()) <= most, `${sum(answers())} answers in a turn (at most ${most})`);
    waiting = nextTurn(world, [...attackers, other], waiting);
    world.ackAll();
    assert.equal(other.take(), ['getData ok', 'create ok'], 'within two turns');
    for (let done = sum(answers()); done < 50 * attackers.length; ) {
      waiting = nextTurn(world, attackers, waiting);
      const now = answers();
      assert.ok(sum(now) > done && sum(now) - done <= most, `${sum(now) - done} answers in a turn`);
      assert.ok(Math.max(...now) - Math.min(...now) <= 3, `fair: ${now}`);
      done = sum(now);
    }
    assert.ok(limitsOf(world).includes('connectionSteps'));
    if (!isEphemeral) assert.ok(limitsOf(world).includes('turnSteps'));
  });
}

test('one long read takes several turns, in which others write and its session stays alive', () => {
  const world = makeWorld();
  const peer = world.client();
  fill(world, peer, '/p', 5 * LIMITS.connectionSteps.value);
  const other = world.client();
  peer.push(peer.getData('/p', true));
  peer.push(Buffer.concat([peer.request(COUNT, { path: '/p' }), peer.exists('/p/n1')]));
  assert.equal(peer.take(), ['getData ok']);
  let turns = 1;
  for (; peer.isAwaited; turns++) {
    other.push(other.setData('/p'));
    world.ackAll();
    assert.equal(other.take().at(-1), 'setData ok');
    world.clock(peer.timeoutMs / 2);
    world.drained(peer);
    other.push(other.ping());
  }
  assert.ok(turns >= 5, `${turns} turns`);
  const [event, ...answers] = peer.take();
  assert.match(event ?? '', /^event NodeDataChanged \/p/);
  assert.equal(answers, ['getAllChildrenNumber ok', 'exists ok']);
});

test('clients that set thousands of watches at once leave a part of each turn to others', () => {
  const world = makeWorld();
  const many = Array.from({ length: 40 }, () => world.client());
  const other = world.client();
  const dataWatches = Array.from({ length: 5000 }, (_, i) => `/zookeeper/none/${i}`);
  const watches = { relativeZxid: 0n, dataWatches, existWatches: [], childWatches: [] };
  for (const peer of many) peer.step(peer.request(OpCode.setWatches, watches));
  other.step(other.getData('/'));
  const waiting = awaited(world);
  assert.equal(other.take(), ['getData ok'], 'in the same turn');
  assert.ok(waiting.length > 30, `${waiting.length} wait`);
});

test('a request that waited too long is refused after the long read before it', () => {
  const requests = { ...NO_LIMITS.requests, maxRequests: 1, throttledOpWaitMs: 500 };
  const world = makeWorld({ limits: { ...NO_LIMITS, requests } });
  const peer = world.client();
  fill(world, peer, '/p', 5 * LIMITS.connectionSteps.value);
  const other = world.client();
  other.push(other.create('/x'));
  peer.push(peer.request(COUNT, { path: '/p' }));
  other.push(other.create('/y'));
  peer.push(peer.exists('/p/n1'));
  world.ack();
  assert.ok(peer.isAwaited, 'the read continues in another turn');
  world.clock(501);
  world.ackAll();
  while (peer.isAwaited) world.drained(peer);
  assert.equal(
    peer.take().map((answer) => answer.split(' ')[0]),
    ['getAllChildrenNumber', 'exists'],
  );
});

test('a long list of children shows one state, whatever is written meanwhile', () => {
  const world = makeWorld();
  const peer = world.client();
  const size = 2 * LIMITS.connectionSteps.value;
  fill(world, peer, '/p', size);
  const other = world.client();
  peer.push(peer.request(OpCode.getChildren2, { path: '/p', watch: true }));
  let lines: string[] = [];
  for (let made = 0; lines.length === 0; made++) {
    other.push(other.create(`/p/new${made}`));
    world.ackAll();
    world.drained(peer);
    lines = peer.take();
  }
  assert.equal(lines, ['getChildren2 ok']);
  // Its header, the count, names, and the Stat with numChildren.
  const listed = peer.bytes.readInt32BE(lastReplyAt(peer) + 20);
  assert.is(peer.bytes.readInt32BE(peer.bytes.length - 68 + 56), listed);
  assert.ok(listed > size);
  other.push(other.create('/p/later'));
  world.ackAll();
  assert.match(peer.take()[0] ?? '', /^event NodeChildrenChanged \/p/);
});

function lastReplyAt({ bytes }: Peer): number {
  let last = 0;
  for (let at = 0; at < bytes.length; at += 4 + bytes.readInt32BE(at)) last = at;
  return last;
}

test('a dear read that waits for its client’s write ends the pipeline, and keeps its place', () => {
  const world = makeWorld();
  const peer = world.client();
  fill(world, peer, '/p', CHILDREN);
  const before = sentTo(world, peer);
  const create = peer.create('/a');
  const counts = Array.from({ length: 20 }, () => peer.request(COUNT, { path: '/p' }));
  peer.push(Buffer.concat([create, ...counts, peer.create('/b')]));
  assert.is(world.appends.length, 1);
  assert.ok(peer.isPaused);
  world.ack();
  assert.is(sentTo(world, peer), before + 1);
  assert.not(peer.isPaused);
  for (let sent = before + 1; peer.isAwaited; sent = sentTo(world, peer)) {
    world.drained(peer);
    assert.ok(sentTo(world, peer) - sent <= 3, 'a share in each turn');
  }
  world.ackAll();
  assert.equal(peer.take(), [
    'create ok',
    ...counts.map(() => 'getAllChildrenNumber ok'),
    'create ok',
  ]);
});

const LISTS = [
  'dataWatches',
  'existWatches',
  'childWatches',
  'persistentWatches',
  'persistentRecursiveWatches',
] as const;

for (const list of LISTS) {
  test(`setWatches2 with many ${list} takes several turns, and then all are set`, () => {
    const world = makeWorld();
    const peer = world.client();
    const steps = 8;
    const count = Math.ceil((3 * LIMITS.connectionSteps.value) / steps);
    const none = Object.fromEntries(LISTS.map((name) => [name, []]));
    const paths = Array.from({ length: count }, (_, i) => `/w${i}`);
    peer.take();
    peer.push(
      peer.request(
        OpCode.setWatches2,
        { ...none, relativeZxid: 0n, [list]: paths },
        Xid.setWatches,
      ),
    );
    let turns = 1;
    for (; peer.isAwaited; turns++) world.drained(peer);
    assert.ok(turns >= 3, `${turns} turns`);
    assert.equal(peer.take().at(-1), 'setWatches2 ok');
  });
}

const { connectionSteps, pendingBytes } = LIMITS;

test('writes with the many ids of their client in an ACL take turns, and wait for the disk', () => {
  const world = makeWorld();
  const peer = world.client();
  const other = world.client();
  giveIds(world.server, peer);
  const acl = [{ perms: Perms.ALL, id: { scheme: 'auth', id: '' } }];
  const create = (_: unknown, i: number) =>
    peer.request(OpCode.create, { path: `/c${i}`, data: null, acl, flags: 0 });
  const count = 1000;
  const bytes = () => world.appends.reduce((sum, append) => sum + append.bytes.length, 0);
  peer.push(Buffer.concat(Array.from({ length: count }, create)));
  assert.ok(bytes() <= connectionSteps.value * BYTES_PER_STEP + IDS_LENGTH * 2, `${bytes()} bytes`);
  for (let turn = 0; peer.isAwaited && turn < count; turn++) world.drained(peer);
  assert.ok(peer.isPaused && !peer.isAwaited, 'its requests wait for the disk');
  assert.ok(bytes() <= pendingBytes.value * 1.25, `${bytes()} bytes in flight`);
  other.push(other.create('/o'));
  world.ackAll();
  assert.equal(other.take(), ['create ok']);
  while (peer.isAwaited) {
    world.drained(peer);
    world.ackAll();
  }
  assert.is(peer.take().filter((answer) => answer === 'create ok').length, count);
  assert.not(peer.isPaused);
});

for (const [name, ask] of [
  ['setData', (peer: Peer) => peer.setData('/a')],
  ['sync', (peer: Peer) => peer.request(OpCode.sync, { path: '/a' })],
] as const) {
  test(`a learner forwards few of many ${name} requests with many ids in one turn`, () => {
    const world = new EnsembleWorld(3);
    world.start();
    world.allServe();
    const sid = world.leader === 1 ? 2 : 1;
    const { peer: member } = world.member(sid);
    const client = world.client(sid);
    giveIds(member.server, client);
    client.step(Buffer.concat(Array.from({ length: 1000 }, () => ask(client))));
    const sent = member.drain().filter((effect) => effect.kind === 'link-send');
    const length = sent.reduce((sum, { bytes }) => sum + bytes.length, 0);
    assert.ok(length > IDS_LENGTH, 'it forwards some');
    assert.ok(length <= connectionSteps.value * BYTES_PER_STEP + IDS_LENGTH * 2, `${length} bytes`);
  });
}

const IDS_LENGTH = 120 * 500;

function giveIds({ state }: { state: ServerState }, { id }: Peer): void {
  const connection = state.connections.get(id);
  assert.ok(connection);
  const name = 'u'.repeat(490);
  connection.ids = Array.from({ length: 120 }, (_, i) => ({
    scheme: 'digest',
    id: `${i}${name}:p`,
  }));
}

test.run();
