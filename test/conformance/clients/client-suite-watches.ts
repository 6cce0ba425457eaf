import * as assert from 'uvu/assert';
import type { WatchEvent } from '../../../src/client/base/client.js';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import { AddWatchMode, WatcherType } from '../../../src/protocol/watch-event.js';
import { waitFor } from '../../support/wait-for.js';
import { createText, expectError, type Suite, shown, waitForState } from './client-suite-world.js';

const NOTHING = Buffer.alloc(0);

/** The events of watches, with their number and order. */
export function registerWatchTests({ check, checkUnlessNative }: Suite): void {
  check('a data watch fires once', async ({ zk, root }) => {
    const events: WatchEvent[] = [];
    await zk.getData(root, { watch: (event) => events.push(event) });
    await zk.setData(root, NOTHING);
    await zk.setData(root, NOTHING);
    await zk.sync(root);
    assert.equal(shown(events), [`NodeDataChanged ${root}`]);
  });

  check(
    'an exists watch fires when the znode is created, changed, or deleted',
    async ({ zk, root }) => {
      const path = `${root}/a`;
      const events: WatchEvent[] = [];
      const watch = (event: WatchEvent) => events.push(event);
      assert.is(await zk.exists(path, { watch }), null);
      await createText(zk, path);
      await zk.exists(path, { watch });
      await zk.setData(path, NOTHING);
      await zk.exists(path, { watch });
      await zk.delete(path);
      await zk.sync(root);
      assert.equal(shown(events), [
        `NodeCreated ${path}`,
        `NodeDataChanged ${path}`,
        `NodeDeleted ${path}`,
      ]);
    },
  );

  check(
    'a child watch fires when a child is created or deleted, not when one changes',
    async (world) => {
      const { zk, root } = world;
      const events: WatchEvent[] = [];
      const watch = (event: WatchEvent) => events.push(event);
      await zk.getChildren(root, { watch });
      await createText(zk, `${root}/a`);
      await zk.getChildren(root, { watch });
      await zk.setData(`${root}/a`, NOTHING);
      await zk.delete(`${root}/a`);
      await zk.sync(root);
      assert.equal(shown(events), [`NodeChildrenChanged ${root}`, `NodeChildrenChanged ${root}`]);
    },
  );

  check('true sends the event to the default watcher', async ({ zk, root, events }) => {
    await createText(zk, `${root}/a`);
    await zk.getData(`${root}/a`, { watch: true });
    await zk.getChildren(root, { watch: true });
    await zk.delete(`${root}/a`);
    await zk.sync(root);
    assert.equal(shown(events).sort(), [`NodeChildrenChanged ${root}`, `NodeDeleted ${root}/a`]);
  });

  check('a watcher set twice for one znode is called once', async ({ zk, root }) => {
    const events: WatchEvent[] = [];
    const watch = (event: WatchEvent) => events.push(event);
    await zk.getData(root, { watch });
    await zk.exists(root, { watch });
    await zk.setData(root, NOTHING);
    await zk.sync(root);
    assert.is(events.length, 1);
  });

  check('a failed read sets no watch', async ({ zk, root }) => {
    const events: WatchEvent[] = [];
    await expectError('NONODE', zk.getData(`${root}/a`, { watch: (event) => events.push(event) }));
    await createText(zk, `${root}/a`);
    await zk.sync(root);
    assert.equal(events, []);
  });

  check('the event precedes the response that shows the change', async ({ zk, root, connect }) => {
    const { zk: writer } = await connect();
    for (let version = 1; version <= 20; version++) {
      const heard: string[] = [];
      await zk.getData(root, { watch: () => heard.push('event') });
      const written = writer.setData(root, NOTHING);
      for (;;) {
        const { stat } = await zk.getData(root);
        if (stat.version < version) continue;
        heard.push('data');
        break;
      }
      await written;
      assert.equal(heard, ['event', 'data']);
    }
  });

  check('an ephemeral that ends with its session fires too', async ({ zk, root, connect }) => {
    const { zk: owner } = await connect();
    await createText(owner, `${root}/e`, '', CreateModes.EPHEMERAL);
    await zk.sync(root);
    const events: WatchEvent[] = [];
    await zk.exists(`${root}/e`, { watch: (event) => events.push(event) });
    await owner.close();
    await waitFor('the event', () => events.length > 0);
    assert.equal(shown(events), [`NodeDeleted ${root}/e`]);
  });

  check(
    'events below a chroot have the paths of the client',
    async ({ zk, root, connectString, connect }) => {
      const inner = await connect({ connectString: `${connectString}${root}` });
      await inner.zk.exists('/a', { watch: true });
      await inner.zk.getChildren('/', { watch: true });
      await createText(zk, `${root}/a`);
      await inner.zk.sync('/');
      assert.equal(shown(inner.events).sort(), ['NodeChildrenChanged /', 'NodeCreated /a']);
    },
  );

  checkUnlessNative('a persistent watch stays', async ({ zk, root }) => {
    const events: WatchEvent[] = [];
    await zk.addWatch(root, AddWatchMode.PERSISTENT, (event) => events.push(event));
    await zk.setData(root, NOTHING);
    await createText(zk, `${root}/a`);
    await zk.setData(`${root}/a`, NOTHING);
    await zk.setData(root, NOTHING);
    assert.equal(shown(events), [
      `NodeDataChanged ${root}`,
      `NodeChildrenChanged ${root}`,
      `NodeDataChanged ${root}`,
    ]);
  });

  checkUnlessNative(
    'a recursive watch gets events of all descendants',
    async ({ zk, root, events }) => {
      await zk.addWatch(root, AddWatchMode.PERSISTENT_RECURSIVE, true);
      await createText(zk, `${root}/a`);
      await createText(zk, `${root}/a/b`);
      await zk.setData(`${root}/a/b`, NOTHING);
      await zk.delete(`${root}/a/b`);
      await zk.setData(root, NOTHING);
      assert.equal(shown(events), [
        `NodeCreated ${root}/a`,
        `NodeCreated ${root}/a/b`,
        `NodeDataChanged ${root}/a/b`,
        `NodeDeleted ${root}/a/b`,
        `NodeDataChanged ${root}`,
      ]);
    },
  );

  checkUnlessNative('a removed watch gets one last event', async (world) => {
    const { zk, root } = world;
    const events: WatchEvent[] = [];
    const watch = (event: WatchEvent) => events.push(event);
    await zk.getData(root, { watch });
    await zk.getChildren(root, { watch });
    await zk.removeWatches(root, WatcherType.Data);
    await zk.setData(root, NOTHING);
    await createText(zk, `${root}/a`);
    assert.equal(shown(events), [`DataWatchRemoved ${root}`, `NodeChildrenChanged ${root}`]);
    const refused = await expectError('NOWATCHER', zk.removeWatches(root, WatcherType.Any));
    assert.is(refused.path, root);
  });

  check('watches are set again after a reconnect', async ({ zk, root, proxy, connect }) => {
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    await createText(zk, `${root}/data`);
    await client.zk.getData(`${root}/data`, { watch: true });
    await client.zk.exists(`${root}/new`, { watch: true });
    await client.zk.getChildren(`${root}/data`, { watch: true });
    through.cut();
    await waitForState(client, 'disconnected');
    await client.zk.sync(root);
    await zk.setData(`${root}/data`, NOTHING);
    await createText(zk, `${root}/new`);
    await createText(zk, `${root}/data/child`);
    await waitFor('three events', () => client.events.length === 3);
    assert.equal(shown(client.events).sort(), [
      `NodeChildrenChanged ${root}/data`,
      `NodeCreated ${root}/new`,
      `NodeDataChanged ${root}/data`,
    ]);
  });

  check('changes during a disconnect are reported after the reconnect', async (world) => {
    const { zk, root, proxy, connect } = world;
    const through = await proxy();
    const client = await connect({ connectString: `${through.connectString}${root}` });
    await createText(zk, `${root}/data`);
    await createText(zk, `${root}/gone`);
    await client.zk.getData('/data', { watch: true });
    await client.zk.getData('/gone', { watch: true });
    await client.zk.exists('/new', { watch: true });
    through.refuse();
    await waitForState(client, 'disconnected');
    await zk.setData(`${root}/data`, NOTHING);
    await zk.delete(`${root}/gone`);
    await createText(zk, `${root}/new`);
    through.mend();
    await waitFor('three events', () => client.events.length === 3);
    assert.equal(shown(client.events).sort(), [
      'NodeCreated /new',
      'NodeDataChanged /data',
      'NodeDeleted /gone',
    ]);
  });

  checkUnlessNative('persistent watches survive a reconnect', async (world) => {
    const { zk, root, proxy, connect } = world;
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    await client.zk.addWatch(root, AddWatchMode.PERSISTENT_RECURSIVE, true);
    through.cut();
    await waitForState(client, 'disconnected');
    await client.zk.sync(root);
    await createText(zk, `${root}/a`);
    await zk.delete(`${root}/a`);
    await waitFor('two events', () => client.events.length === 2);
    assert.equal(shown(client.events), [`NodeCreated ${root}/a`, `NodeDeleted ${root}/a`]);
  });
}
