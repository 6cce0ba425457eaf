import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../src/files/snapshot.js';
import { SnapshotReader } from '../../src/files/snapshot-reader.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { AddWatchMode } from '../../src/protocol/watch-event.js';
import { feedSnapshot } from '../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../src/server/persistence/replay.js';
import { sourceOf } from '../../src/server/persistence/snapshot-source.js';
import { addNode } from '../support/bytes/add-node.js';
import { RestoreWorld } from './quorum/worlds/restore-world.js';
import type { Peer } from './server-peer.js';

/** The state of a snapshot: only "/restored", at zxid 5, and these sessions. */
function restored(...sessionIds: bigint[]): Database {
  return restoredWith(0, ...sessionIds);
}

/** @param count of children of /restored */
function restoredWith(count: number, ...sessionIds: bigint[]): Database {
  const database = new Database({});
  for (const id of sessionIds) database.addSession(id, 4000);
  addNode(database, '', Buffer.alloc(0), -1n, Buffer.alloc(60));
  addNode(database, '/restored', Buffer.from('x'), -1n, Buffer.alloc(60));
  for (let i = 0; i < count; i++) {
    addNode(database, `/restored/${i}`, Buffer.from('x'), -1n, Buffer.alloc(60));
  }
  database.finishSnapshot(5n);
  return database;
}

function connected(world: RestoreWorld): Peer {
  const peer = world.client();
  world.ackAll();
  assert.equal(peer.take(), ['connected']);
  return peer;
}

test('the old tree answers requests before a restore, and the new tree those during it', () => {
  const world = new RestoreWorld();
  const peer = connected(world);
  peer.push(peer.create('/old'));
  world.restore(restored(peer.sessionId));
  assert.is(world.adopt, null, 'a write is in flight to the disk');
  peer.push(peer.exists('/old'));
  assert.ok(peer.isPaused);
  assert.equal(peer.take(), []);
  world.ackAll();
  assert.equal(peer.take(), ['create ok']);
  assert.is(world.adopt?.staged, 'restored.5.tmp');
  peer.push(peer.exists('/restored'));
  world.clock(500);
  assert.equal(peer.take(), []);
  world.adopted();
  assert.equal(peer.take(), ['exists NONODE', 'exists ok']);
  assert.not.ok(peer.isPaused);
  peer.push(peer.create('/new'));
  assert.is(world.appends[0]?.firstZxid, 6n);
  world.ackAll();
  assert.equal(peer.take(), ['create ok']);
});

test('a session that the snapshot lacks is closed, even for a client that has seen more', () => {
  const world = new RestoreWorld();
  const known = connected(world);
  const unknown = connected(world);
  for (let i = 0; i < 9; i++) known.push(known.create(`/n-${i}`));
  world.ackAll();
  known.take();
  world.restore(restored(known.sessionId));
  world.adopted();
  assert.not.ok(known.isClosed);
  assert.ok(unknown.isClosed);
  const { sessionId, password } = unknown;
  const again = world.client({ sessionId, password, lastZxidSeen: 11n });
  assert.equal(again.take(), ['expired', 'closed']);
  const ahead = world.client({
    sessionId: known.sessionId,
    password: known.password,
    lastZxidSeen: 11n,
  });
  assert.equal(ahead.take(), ['closed'], 'a session that exists may not see the past');
});

test('a watch fires where the new tree differs, and a partial frame is completed', () => {
  const world = new RestoreWorld();
  const peer = connected(world);
  peer.push(peer.exists('/restored', true));
  assert.equal(peer.take(), ['exists NONODE']);
  const frame = peer.setData('/restored');
  peer.push(frame.subarray(0, 7));
  world.restore(restored(peer.sessionId));
  world.adopted();
  peer.push(frame.subarray(7));
  world.ackAll();
  assert.equal(peer.take(), ['event NodeCreated /restored at -1', 'setData ok']);
  assert.is(world.server.server.view.watchCount, 0);
});

/** The current tree, to restore later. */
function snapshotOf(world: RestoreWorld): Database {
  const { tree, sessions } = world.server.server.state;
  const zxid = tree.lastProcessedZxid;
  const known = [...sessions.values()].map(({ id, timeoutMs }) => ({ id, timeoutMs }));
  const reader = new SnapshotReader(1 << 20);
  reader.push(Buffer.concat([...writeSnapshot(sourceOf({ tree, sessions: known, zxid }, true))]));
  reader.end();
  const database = new Database({});
  feedSnapshot(database, reader);
  database.finishSnapshot(zxid);
  return database;
}

/** Changes "/changed", "/gone", and "/new" after the snapshot, but not "/same". */
function changedWorld(arm: (watcher: Peer) => Buffer[]) {
  const world = new RestoreWorld();
  const watcher = connected(world);
  const writer = connected(world);
  for (const path of ['/same', '/changed', '/gone']) writer.push(writer.create(path));
  world.ackAll();
  const database = snapshotOf(world);
  for (const change of [
    writer.setData('/changed'),
    writer.request(OpCode.delete, { path: '/gone', version: -1 }),
    writer.create('/new'),
  ]) {
    writer.push(change);
  }
  world.ackAll();
  writer.take();
  for (const request of arm(watcher)) watcher.push(request);
  watcher.take();
  world.restore(database);
  world.adopted();
  return { world, watcher, writer };
}

test('a watch fires if the restore changed its znode, and stays if it did not', () => {
  const { world, watcher, writer } = changedWorld((peer) => [
    peer.getData('/same', true),
    peer.getData('/changed', true),
    peer.exists('/gone', true),
    peer.getData('/new', true),
    peer.request(OpCode.getChildren, { path: '/new', watch: true }),
    peer.request(OpCode.getChildren, { path: '/', watch: true }),
    peer.request(OpCode.getChildren, { path: '/same', watch: true }),
  ]);
  assert.equal(watcher.take().sort(), [
    'event NodeChildrenChanged / at -1',
    'event NodeCreated /gone at -1',
    'event NodeDataChanged /changed at -1',
    'event NodeDeleted /new at -1',
  ]);
  assert.is(world.server.server.view.watchCount, 2);
  writer.push(writer.setData('/same'));
  writer.push(writer.create('/same/child'));
  world.ackAll();
  const told = watcher.take().map((line) => line.replace(/ at .*/, ''));
  assert.equal(told, ['event NodeDataChanged /same', 'event NodeChildrenChanged /same']);
});

test('a watch for children fires if a child was deleted and created again meanwhile', () => {
  const world = new RestoreWorld();
  const peer = connected(world);
  for (const path of ['/p', '/p/child']) peer.push(peer.create(path));
  world.ackAll();
  const snapshot = snapshotOf(world);
  peer.push(peer.request(OpCode.delete, { path: '/p/child', version: -1 }));
  peer.push(peer.create('/p/child'));
  world.ackAll();
  peer.push(peer.request(OpCode.getChildren, { path: '/p', watch: true }));
  peer.take();
  world.restore(snapshot);
  world.adopted();
  assert.equal(peer.take(), ['event NodeChildrenChanged /p at -1']);
});

test('a recursive watch fires for each difference, and stays', () => {
  const { world, watcher, writer } = changedWorld((peer) => [
    peer.request(OpCode.addWatch, { path: '/', mode: AddWatchMode.PERSISTENT_RECURSIVE }),
  ]);
  assert.equal(watcher.take().sort(), [
    'event NodeCreated /gone at -1',
    'event NodeDataChanged /changed at -1',
    'event NodeDeleted /new at -1',
  ]);
  writer.push(writer.create('/later'));
  world.ackAll();
  assert.match(watcher.take().join(), 'event NodeCreated /later');
});

test('a large tree is compared over several turns without duplicate events, while clients wait', () => {
  const world = new RestoreWorld();
  const watcher = connected(world);
  watcher.push(
    watcher.request(OpCode.addWatch, { path: '/', mode: AddWatchMode.PERSISTENT_RECURSIVE }),
  );
  watcher.take();
  const count = 12_000;
  world.restore(restoredWith(count, watcher.sessionId));
  watcher.push(watcher.exists('/restored/1'));
  let turnsHeld = 0;
  world.onTurn = () => {
    if (watcher.isPaused) turnsHeld++;
  };
  world.adopted();
  assert.is(turnsHeld, 2, 'a slice has 5,000 znodes');
  const told = watcher.take();
  assert.is(told.pop(), 'exists ok');
  assert.is(new Set(told).size, count + 1);
  assert.is(told.length, count + 1);
});

test('the watches of a closed session end with it', () => {
  const world = new RestoreWorld();
  const over = connected(world);
  over.push(over.exists('/restored', true));
  over.take();
  world.restore(restored());
  world.adopted();
  assert.equal(over.take(), ['closed']);
  assert.is(world.server.server.view.watchCount, 0);
});

test('sessions expire by the clock of the new tree, not during the restore', () => {
  const world = new RestoreWorld();
  const peer = connected(world);
  world.restore(restored(peer.sessionId, 0x77n));
  world.clock(60_000);
  assert.equal(world.appends, [], 'the old tree continues');
  world.adopted();
  assert.equal([...world.server.server.state.sessions.values()].length, 2);
  for (let ms = 0; ms < 10_000; ms += 500) {
    if (ms % 5000 === 0) peer.push(peer.ping());
    world.clock(500);
  }
  world.ackAll();
  const left = [...world.server.server.state.sessions.values()].map(({ id }) => id);
  assert.equal(left, [peer.sessionId]);
});

test('metrics continue through a restore', () => {
  const world = new RestoreWorld();
  const peer = connected(world);
  peer.push(peer.getData('/'));
  const { packetsReceived } = world.server.server.view;
  assert.ok(packetsReceived > 1);
  world.restore(restored(peer.sessionId));
  world.adopted();
  assert.is(world.server.server.view.packetsReceived, packetsReceived);
  assert.is(world.server.server.view.connectionCount, 1);
});

test.run();
