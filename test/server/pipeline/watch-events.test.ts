import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { AddWatchMode, WatcherType } from '../../../src/protocol/watch-event.js';
import { ServerWorld } from '../server-world.js';
import { limitsOf } from '../turn-world.js';
import { WatchWorld } from './watch-world.js';

// Which change fires which watches (docs/protocol.md), seen from a client of a whole server.

test('a create fires exists watches of the path and children watches of the parent', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(
    world.watcher.exists('/p/c', true),
    world.children('/p'),
    world.watcher.getData('/p', true),
  );
  world.change(world.writer.create('/p/c'));
  assert.equal(world.events(), ['NodeCreated /p/c', 'NodeChildrenChanged /p']);
  world.change(world.writer.create('/p/d'));
  assert.equal(world.events(), []);
});

test('a setData fires only data watches', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(world.watcher.getData('/p', true), world.children('/p'), world.children('/'));
  world.change(world.writer.setData('/p'), world.writer.setData('/p'));
  assert.equal(world.events(), ['NodeDataChanged /p']);
});

test('a delete is one event for a watcher of data and children, and one for the parent', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'), world.writer.create('/p/c'));
  world.arm(world.watcher.getData('/p/c', true), world.children('/p/c'), world.children('/p'));
  world.change(world.delete('/p/c'));
  assert.equal(world.events(), ['NodeDeleted /p/c', 'NodeChildrenChanged /p']);
});

test('a children watch fires when its znode is deleted', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(world.children('/p'));
  world.change(world.delete('/p'));
  assert.equal(world.events(), ['NodeDeleted /p']);
});

test('setACL, and a change that failed, fire nothing', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(world.watcher.getData('/p', true), world.children('/p'));
  world.change(
    world.writer.request(OpCode.setACL, {
      path: '/p',
      acl: [{ perms: Perms.ALL, id: { scheme: 'world', id: 'anyone' } }],
      version: -1,
    }),
    world.writer.setData('/p', 7),
    world.writer.create('/p'),
  );
  assert.equal(world.events(), []);
});

test('a read that fails arms nothing, but exists does', () => {
  const world = new WatchWorld();
  world.arm(world.watcher.getData('/a', true), world.children('/a'));
  world.change(world.writer.create('/a'));
  assert.equal(world.events(), []);
  world.arm(world.watcher.exists('/b', true));
  world.change(world.writer.create('/b'));
  assert.equal(world.events(), ['NodeCreated /b']);
});

test('deleting the ephemerals of a session fires watches', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/e', CreateModes.EPHEMERAL.flag));
  world.arm(world.watcher.exists('/e', true), world.children('/'));
  world.change(world.writer.request(OpCode.closeSession));
  assert.equal(world.events(), ['NodeDeleted /e', 'NodeChildrenChanged /']);
});

test('a persistent watch stays, on data and on children', () => {
  const world = new WatchWorld();
  world.arm(world.addWatch('/p', AddWatchMode.PERSISTENT));
  world.change(
    world.writer.create('/p'),
    world.writer.setData('/p'),
    world.writer.create('/p/c'),
    world.writer.setData('/p/c'),
    world.delete('/p/c'),
    world.delete('/p'),
    world.writer.create('/p'),
  );
  assert.equal(world.events(), [
    'NodeCreated /p',
    'NodeDataChanged /p',
    'NodeChildrenChanged /p',
    'NodeChildrenChanged /p',
    'NodeDeleted /p',
    'NodeCreated /p',
  ]);
});

test('a recursive watch reports all descendants, but no children events', () => {
  const world = new WatchWorld();
  world.arm(world.addWatch('/p', AddWatchMode.PERSISTENT_RECURSIVE));
  world.change(
    world.writer.create('/p'),
    world.writer.create('/p/c'),
    world.writer.create('/p/c/d'),
    world.writer.setData('/p/c/d'),
    world.delete('/p/c/d'),
    world.writer.create('/pq'),
  );
  assert.equal(world.events(), [
    'NodeCreated /p',
    'NodeCreated /p/c',
    'NodeCreated /p/c/d',
    'NodeDataChanged /p/c/d',
    'NodeDeleted /p/c/d',
  ]);
});

test('a change is one event per client, for any number of watches', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(
    world.addWatch('/', AddWatchMode.PERSISTENT_RECURSIVE),
    world.addWatch('/p', AddWatchMode.PERSISTENT_RECURSIVE),
    world.addWatch('/p', AddWatchMode.PERSISTENT),
    world.watcher.getData('/p', true),
    world.watcher.exists('/p', true),
  );
  world.change(world.writer.setData('/p'));
  assert.equal(world.events(), ['NodeDataChanged /p']);
  world.change(world.delete('/p'));
  assert.equal(world.events(), ['NodeDeleted /p']);
});

test('the writes of one turn fire in order', () => {
  const world = new WatchWorld();
  world.arm(world.addWatch('/', AddWatchMode.PERSISTENT_RECURSIVE));
  // One turn, one append: events come in the order of the txns.
  world.writer.step(world.writer.create('/b'));
  world.writer.step(world.writer.create('/a'));
  world.writer.step(world.delete('/b'));
  world.world.drain();
  world.world.ackAll();
  assert.equal(world.events(), ['NodeCreated /b', 'NodeCreated /a', 'NodeDeleted /b']);
});

test('removed watches and watches of a closed connection do not fire', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'));
  world.arm(world.watcher.getData('/p', true), world.children('/p'));
  world.arm(
    world.watcher.request(OpCode.removeWatches, { path: '/p', type: WatcherType.Children }),
  );
  world.change(world.writer.create('/p/c'), world.writer.setData('/p'));
  assert.equal(world.events(), ['NodeDataChanged /p']);
  world.watcher.push(world.watcher.getData('/p', true));
  world.watcher.leave();
  world.change(world.writer.setData('/p'));
  assert.equal(world.events(), []);
  assert.is(world.world.server.state.dataWatches.size, 0);
});

test('a client that may not read a znode gets no events of it', () => {
  const world = new WatchWorld();
  const acl = [{ perms: Perms.ALL, id: { scheme: 'ip', id: '10.9.9.9' } }];
  world.arm(world.watcher.exists('/locked', true), world.children('/'));
  world.change(world.writer.request(OpCode.create, { path: '/locked', data: null, acl, flags: 0 }));
  // The parent may be read, and it has another child.
  assert.equal(world.events(), ['NodeChildrenChanged /']);
});

test('a client that reconnects gets missed events, and its other watches are armed', () => {
  const world = new WatchWorld();
  for (const path of ['/same', '/changed', '/gone', '/parent', '/quiet']) {
    world.change(world.writer.create(path));
  }
  const seen = world.world.server.state.tree.lastProcessedZxid;
  world.change(
    world.writer.setData('/changed'),
    world.delete('/gone'),
    world.writer.create('/parent/child'),
    world.writer.create('/made'),
  );
  world.arm();
  world.watcher.push(
    world.watcher.request(
      OpCode.setWatches,
      {
        relativeZxid: seen,
        dataWatches: ['/same', '/changed', '/gone'],
        existWatches: ['/made', '/not-made'],
        childWatches: ['/parent', '/quiet', '/gone'],
      },
      -8,
    ),
  );
  assert.equal(world.watcher.take(), [
    'event NodeDataChanged /changed at -1',
    'event NodeDeleted /gone at -1',
    'event NodeCreated /made at -1',
    'event NodeChildrenChanged /parent at -1',
    'event NodeDeleted /gone at -1',
    'setWatches ok',
  ]);
  world.change(
    world.writer.setData('/same'),
    world.writer.create('/not-made'),
    world.writer.create('/quiet/child'),
    world.writer.setData('/changed'),
  );
  assert.equal(world.events(), [
    'NodeDataChanged /same',
    'NodeCreated /not-made',
    'NodeChildrenChanged /quiet',
  ]);
});

test('a watch of "" is not one of "/", although both read the root', () => {
  const world = new ServerWorld();
  const client = world.client();
  for (const path of ['', '/']) client.push(client.getData(path, true));
  const { dataWatches } = world.server.state;
  assert.equal([...dataWatches.byPath()].map(([path]) => path).sort(), ['', '/']);
});

test('many long events of one change close the connections that would get too many', () => {
  const maxEventBytes = 100_000;
  const world = new ServerWorld({ settings: { maxEventBytes } });
  const owner = world.client();
  const watchers = Array.from({ length: 10 }, () => world.client());
  for (const peer of watchers) peer.push(peer.request(OpCode.addWatch, { path: '/', mode: 1 }));
  const name = 'x'.repeat(2000);
  for (let i = 0; i < 20; i++) owner.push(owner.create(`/${i}${name}`, 1));
  world.ackAll();
  for (const peer of watchers) assert.is(peer.take().length, 21);
  world.effects.length = 0;
  owner.push(owner.request(OpCode.closeSession));
  world.ackAll();
  const sent = world.effects.flatMap((effect) => (effect.kind === 'send' ? [effect.bytes] : []));
  const length = Buffer.concat(sent).length;
  assert.ok(length <= maxEventBytes + 2 * name.length, `${length} bytes`);
  const served = watchers.filter((peer) => !peer.isClosed);
  assert.ok(served.length > 0 && served.length < watchers.length, `${served.length} are left`);
  for (const peer of watchers) {
    const events = peer.take();
    assert.is(events.length, peer.isClosed ? 1 : 20, 'all events, or only the close');
  }
  assert.ok(limitsOf(world).includes('unreadBytesInAll'));
  const [one] = served;
  const later = world.client();
  later.push(later.create('/later'));
  world.ackAll();
  assert.is(one?.take().length, 1, 'room is back');
});

test.run();
