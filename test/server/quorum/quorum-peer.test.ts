import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { adminQuorumView } from '../../../src/server/quorum/member-view.js';
import { handshake } from '../server-peer.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

test('three members elect one leader, and all of them serve', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  assert.is(world.leader, 3);
  const kinds = [1, 2, 3].map((sid) => world.member(sid).peer.role?.kind);
  assert.equal(kinds, ['following', 'following', 'leading']);
});

test('a write through any member is visible on every member', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  for (const sid of [1, 2, 3]) {
    const client = world.client(sid);
    assert.equal(client.take(), ['connected']);
    client.push(client.create(`/from-${sid}`));
    assert.equal(client.take(), ['create ok'], `through ${sid}`);
    for (const other of [1, 2, 3]) {
      assert.ok(world.member(other).peer.data.tree.get(`/from-${sid}`), `${sid} on ${other}`);
    }
  }
});

test('members count proposals and commits, each by its role', () => {
  const world = new EnsembleWorld(3, 1);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.push(client.create('/a'));
  assert.equal(client.take(), ['connected', 'create ok']);
  const names = [
    'proposal_count',
    'commit_count',
    'learner_proposal_received_count',
    'learner_commit_received_count',
  ] as const;
  const counted = [3, 1, 4].map((sid) => {
    const { counters } = world.member(sid).peer.view.metrics;
    return names.map((name) => counters[name] ?? 0);
  });
  // The session and the znode: at the leader, a follower, an observer.
  assert.equal(counted, [
    [2, 2, 0, 0],
    [0, 0, 2, 2],
    [0, 0, 0, 2],
  ]);
});

test('the ensemble continues when its leader crashes, and the old one returns as a follower', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(1);
  client.push(client.create('/a'));
  world.crash(3);
  world.until(() => world.leader === 2 && world.isServing(1), 'a new leader');
  const second = world.client(1);
  second.push(second.create('/b'));
  assert.equal(second.take(), ['connected', 'create ok']);
  world.start(3);
  world.allServe();
  assert.is(world.leader, 2);
  assert.ok(world.member(3).peer.data.tree.get('/a'));
  assert.ok(world.member(3).peer.data.tree.get('/b'));
});

test('txns that were logged and never committed are removed (TRUNC)', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const first = world.client(1);
  first.push(first.create('/shared'));
  const stray = world.client(3);
  world.cut(3, 1);
  world.cut(3, 2);
  stray.push(stray.create('/stray'));
  assert.ok(!stray.take().includes('create ok'), 'acknowledged without a quorum');
  world.until(() => world.leader === 2, 'another leader');
  const client = world.client(2);
  client.push(client.create('/kept'));
  assert.equal(client.take(), ['connected', 'create ok']);
  world.until(() => world.member(3).peer.role === null, 'the old leader gives up');
  assert.ok(world.member(3).peer.data.tree.get('/stray'));
  world.heal();
  world.allServe();
  const { tree } = world.member(3).peer.data;
  assert.not.ok(tree.get('/stray'));
  assert.ok(tree.get('/kept'));
  assert.is(tree.digest.value, world.member(2).peer.data.tree.digest.value);
});

test('a member without data receives the whole tree (SNAP), and restarts on it', () => {
  const world = new EnsembleWorld(3);
  world.start(2, 3);
  world.until(() => world.leader === 3 && world.isServing(2), 'two of three serve');
  const client = world.client(2);
  for (let i = 0; i < 50; i++) client.step(client.create(`/n-${i}`, i % 2));
  world.settle();
  world.member(3).peer.committedLog.clear();
  world.start(1);
  world.allServe();
  const { peer, notes } = world.member(3);
  assert.ok(
    notes.some((note) => /server 1 .*by SNAP/.test(note)),
    notes.join('; '),
  );
  client.push(client.create('/after'));
  const digest = peer.data.tree.digest.value;
  assert.is(world.member(1).peer.data.tree.digest.value, digest);
  assert.is(world.member(1).peer.data.tree.ephemeralsCount, 25);
  world.crash(1);
  world.start(1);
  world.allServe();
  assert.is(world.member(1).peer.data.tree.digest.value, digest);
});

test('a session moves between members and keeps its ephemerals', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(1);
  client.push(client.create('/mine', 1));
  const { sessionId, password } = client;
  for (const sid of [2, 3, 1]) {
    const moved = world.client(sid, { sessionId, password });
    moved.push(moved.getData('/mine'));
    moved.push(moved.setData('/mine'));
    assert.equal(moved.take(), ['connected', 'getData ok', 'setData ok'], `to ${sid}`);
  }
  const { revalidate_count: revalidated } = world.member(3).peer.view.metrics.counters;
  assert.is(revalidated, 2, 'the leader counts itself without a packet');
  const wrong = world.client(2, { sessionId, password: Buffer.alloc(16) });
  assert.equal(wrong.take(), ['expired', 'closed']);
});

test('the connection of a moved session is closed at its next write, even if no member holds the session', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const leader = world.leader ?? 0;
  const late = world.client((leader % 3) + 1);
  late.push(late.create('/late'));
  const { sessionId, password } = late;
  late.take();
  const moved = world.client(leader, { sessionId, password });
  moved.push(moved.setData('/late'));
  moved.leave();
  late.push(late.setData('/late'));
  assert.equal(late.take(), ['closed']);
});

test('the leader expires a session without pings, and not one that pings a follower', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const silent = world.client(1);
  const alive = world.client(2);
  silent.push(silent.create('/silent', 1));
  alive.push(alive.create('/alive', 1));
  for (let i = 0; i < 30; i++) {
    world.pass(1000);
    alive.push(alive.ping());
  }
  const { tree } = world.member(1).peer.data;
  assert.not.ok(tree.get('/silent'));
  assert.ok(tree.get('/alive'));
  assert.ok(silent.isClosed);
  assert.not.ok(alive.isClosed);
});

test('a sync on a follower waits for txns proposed before it', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const writer = world.client(3);
  const reader = world.client(1);
  writer.take();
  reader.take();
  for (const sid of [1, 2, 3]) world.member(sid).isDiskHeld = true;
  writer.push(writer.create('/a'));
  reader.step(reader.request(OpCode.sync, { path: '/' }));
  reader.push(reader.exists('/a'));
  assert.equal(reader.take(), []);
  for (const sid of [1, 2, 3]) world.member(sid).isDiskHeld = false;
  world.settle();
  assert.equal(reader.take(), ['sync ok', 'exists ok']);
  reader.push(reader.request(OpCode.sync, { path: '/' }));
  assert.equal(reader.take(), ['sync ok']);
});

test('no write is acknowledged before a quorum has it on its disks', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const client = world.client(3);
  client.take();
  world.member(1).isDiskHeld = true;
  world.member(2).isDiskHeld = true;
  client.push(client.create('/a'));
  assert.equal(client.take(), [], 'with the leader alone');
  world.member(1).isDiskHeld = false;
  world.settle();
  assert.equal(client.take(), ['create ok']);
});

test('an observer serves committed txns, and its vote is not needed', () => {
  const world = new EnsembleWorld(3, 1);
  world.start();
  world.allServe();
  const client = world.client(4);
  client.push(client.create('/a'));
  assert.equal(client.take(), ['connected', 'create ok']);
  assert.is(world.member(4).peer.role?.kind, 'observing');
  world.crash(4);
  const other = world.client(1);
  other.push(other.create('/b'));
  assert.equal(other.take(), ['connected', 'create ok']);
  world.start(4);
  world.allServe();
  assert.ok(world.member(4).peer.data.tree.get('/b'));
});

test('a leader that loses its quorum stops and reports it', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  world.crash(1);
  world.crash(2);
  world.until(() => !world.isServing(3), 'it stops serving');
  assert.match(world.member(3).notes.join('; '), /lost the quorum: only server 3 is in sync/);
});

test('without a quorum, a member serves reads to read-only clients, if enabled', () => {
  const localSessions = { isUpgradeAllowed: true };
  const world = new EnsembleWorld(3, 0, { isReadOnlyAllowed: true, localSessions });
  world.start();
  world.allServe();
  const before = world.client(1);
  // The ephemeral makes its session global.
  before.push(before.create('/a', 1));
  world.crash(2);
  world.crash(3);
  world.until(() => world.member(1).peer.view.isReadOnly, 'read-only mode');
  assert.ok(before.isClosed);
  const writer = world.client(1);
  assert.equal(writer.take(), ['closed']);
  const reader = world.client(1, { readOnly: true });
  reader.push(reader.getData('/a'));
  reader.push(reader.setData('/a'));
  reader.push(reader.request(OpCode.sync, { path: '/' }));
  assert.equal(reader.take(), [
    'connected',
    'getData ok',
    'setData NOTREADONLY',
    'sync NOTREADONLY',
  ]);
  const { sessionId, password } = before;
  assert.equal(world.client(1, { sessionId, password, readOnly: true }).take(), ['closed']);
  world.start(2);
  world.until(() => world.isServing(1) && !world.member(1).peer.view.isReadOnly, 'a quorum');
  assert.ok(reader.isClosed);
  assert.equal(world.client(1, { sessionId, password }).take(), ['connected']);
});

test('on a read-only member, sessions end when they close or are silent', () => {
  const localSessions = { isUpgradeAllowed: true };
  const world = new EnsembleWorld(3, 0, { isReadOnlyAllowed: true, localSessions });
  world.start(1);
  const { peer } = world.member(1);
  world.until(() => peer.view.isReadOnly, 'read-only mode');
  const [closing, silent, alive] = [0, 1, 2].map(() => world.client(1, { readOnly: true }));
  assert.ok(closing !== undefined && silent !== undefined && alive !== undefined);
  assert.is(peer.view.globalSessionCount, 3);
  closing.take();
  closing.push(closing.request(OpCode.closeSession));
  assert.equal(closing.take(), ['closeSession ok', 'closed']);
  assert.is(peer.view.globalSessionCount, 2);
  for (let ms = 0; ms < silent.timeoutMs + 2000; ms += 500) {
    assert.ok(!silent.isClosed || ms >= silent.timeoutMs, `silent for ${ms} ms`);
    world.pass(500);
    alive.push(alive.ping());
  }
  assert.ok(silent.isClosed);
  assert.not(alive.isClosed);
  assert.is(peer.view.globalSessionCount, 1);
});

test('the AdminServer shows who leads, votes, and in which phase a member is', () => {
  const world = new EnsembleWorld(3, 1);
  world.start(1);
  const view = (sid: number) => adminQuorumView(world.member(sid).peer);
  const shown = (sid: number) => {
    const { myId, isLeader, leader, isVoter, zabState } = view(sid);
    return [myId, isLeader, leader, isVoter, zabState];
  };
  assert.equal(shown(1), [1n, false, undefined, true, 'election']);
  world.start(2, 3, 4);
  world.allServe();
  assert.is(world.leader, 3);
  const leader = { sid: 3n, ip: '127.0.0.3' };
  assert.equal(shown(1), [1n, false, leader, true, 'broadcast']);
  assert.equal(shown(3), [3n, true, leader, true, 'broadcast']);
  assert.equal(shown(4), [4n, false, leader, false, 'broadcast']);
  const { members } = view(1);
  assert.equal(
    members.map(({ sid, learnerType }) => [sid, learnerType]),
    [
      [1n, 'participant'],
      [2n, 'participant'],
      [3n, 'participant'],
      [4n, 'observer'],
    ],
  );
  assert.equal(members[1]?.serverAddresses, [{ host: '127.0.0.2', port: 2001 }]);
  assert.equal(members[1]?.electionAddresses, [{ host: '127.0.0.2', port: 3001 }]);
  assert.is(members[1]?.clientAddress, '0.0.0.0:4001');
});

test('a leader names those that are still in sync in ascending order', () => {
  const world = new EnsembleWorld(5);
  world.start(5, 4, 3, 2, 1);
  world.allServe();
  const leader = world.leader ?? 0;
  const followers = [1, 2, 3, 4, 5].filter((sid) => sid !== leader);
  const kept = followers[0] as number;
  for (const sid of followers.slice(1)) world.crash(sid);
  world.until(() => !world.isServing(leader), 'it stops serving');
  const both = [kept, leader].sort((a, b) => a - b).join(', ');
  assert.match(world.member(leader).notes.join('; '), `only servers ${both} are in sync`);
});

test('without local sessions, a read-only member grants no session', () => {
  const world = new EnsembleWorld(3, 0, { isReadOnlyAllowed: true });
  world.start(1);
  world.until(() => world.member(1).peer.view.isReadOnly, 'read-only mode');
  const client = world.connect(1);
  client.push(handshake({ readOnly: true }));
  const { bytes } = client;
  assert.is(bytes.toString('hex'), '00000010000000000000000000000000ffffff89');
  assert.ok(client.isClosed);
});

test('two connections that reconnect to a session at once are both answered', () => {
  const world = new EnsembleWorld(3);
  world.start();
  world.allServe();
  const { sessionId, password } = world.client(2);
  const [first, second] = [world.connect(1), world.connect(1)];
  first.step(handshake({ sessionId, password }));
  second.push(handshake({ sessionId, password }));
  assert.equal(first.take(), ['connected', 'closed']);
  assert.equal(second.take(), ['connected']);
  second.push(second.create('/a'));
  assert.equal(second.take(), ['create ok']);
});

test.run();
