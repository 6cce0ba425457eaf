import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Perms } from '../../../src/protocol/perms.js';
import { AddWatchMode } from '../../../src/protocol/watch-event.js';
import { WatchWorld } from './watch-world.js';

// A client without READ on a znode learns nothing of it (CVE-2024-23944).

test('setWatches tells nothing of znodes that the client may not read', () => {
  const world = new WatchWorld();
  const paths = ['/data', '/children', '/made'];
  world.change(...paths.slice(0, 2).map((path) => world.writer.create(path)));
  const seen = world.world.server.state.tree.lastProcessedZxid;
  const acl = [{ perms: Perms.ALL - Perms.READ, id: { scheme: 'world', id: 'anyone' } }];
  world.change(
    world.writer.create('/made'),
    world.writer.setData('/data'),
    world.writer.create('/children/child'),
    ...paths.map((path) => world.writer.request(OpCode.setACL, { path, acl, version: -1 })),
  );
  const watches = {
    relativeZxid: seen,
    dataWatches: ['/data'],
    existWatches: ['/made'],
    childWatches: ['/children'],
  };
  const more = { persistentWatches: ['/data'], persistentRecursiveWatches: ['/'] };
  for (const request of [
    world.watcher.request(OpCode.setWatches, watches, -8),
    world.watcher.request(OpCode.setWatches2, { ...watches, ...more }, -8),
  ]) {
    world.watcher.push(request);
    assert.equal(world.events(), []);
  }
  world.change(
    world.writer.setData('/data'),
    world.writer.create('/children/other'),
    world.delete('/made'),
  );
  assert.equal(world.events(), ['NodeCreated /children/other']);
});

test('no operation tells a client without READ more than an error', () => {
  const world = new WatchWorld();
  world.change(world.writer.create('/p'), world.writer.create('/p/c'));
  const acl = [
    { perms: Perms.ALL - Perms.READ - Perms.ADMIN, id: { scheme: 'world', id: 'anyone' } },
  ];
  world.change(world.writer.request(OpCode.setACL, { path: '/p', acl, version: -1 }));
  const { watcher } = world;
  const path = '/p';
  for (const type of [OpCode.getData, OpCode.exists, OpCode.getChildren, OpCode.getChildren2]) {
    watcher.push(watcher.request(type, { path, watch: true }));
  }
  watcher.push(watcher.request(OpCode.getAllChildrenNumber, { path }));
  watcher.push(watcher.request(OpCode.getACL, { path }));
  assert.equal(watcher.take(), [
    'getData NOAUTH',
    'exists NOAUTH',
    'getChildren NOAUTH',
    'getChildren2 NOAUTH',
    'getAllChildrenNumber NOAUTH',
    'getACL NOAUTH',
  ]);
  assert.is(world.world.server.view.watchCount, 0);
  world.arm(world.addWatch('/p', AddWatchMode.PERSISTENT));
  world.change(world.writer.setData('/p'), world.writer.create('/p/d'), world.delete('/p/d'));
  assert.equal(world.events(), []);
});

test.run();
