import * as assert from 'uvu/assert';
import type { WatchChange, WatchEvent } from '../../../src/client/base/client.js';
import { RequestAbortedError } from '../../../src/client/base/errors.js';
import { AddWatchMode, WatcherType } from '../../../src/protocol/watch-event.js';
import { createText, expectError, type Suite, shown, waitForState } from './client-suite-world.js';

const NOTHING = Buffer.alloc(0);

/** The loops of watch(), the removal of one of several watchers, and reads in one request. */
export function registerWatchLoopTests({ checkUnlessNative }: Suite): void {
  checkUnlessNative('a loop over the changes of a tree begins with a gap', async (world) => {
    const { zk, root } = world;
    const changes: string[] = [];
    for await (const change of zk.watch(root, { recursive: true })) {
      changes.push(`${change.type} ${change.path}`);
      if (change.type === 'Gap') {
        assert.is(change.reason, 'started');
        await createText(zk, `${root}/a`);
        await zk.setData(`${root}/a`, NOTHING);
      } else if (change.type === 'NodeDataChanged') break;
    }
    assert.equal(changes, [`Gap ${root}`, `NodeCreated ${root}/a`, `NodeDataChanged ${root}/a`]);
    await expectError('NOWATCHER', zk.removeWatches(root, WatcherType.Any));
  });

  checkUnlessNative('a loop over a znode sees its children come and go', async (world) => {
    const { zk, root } = world;
    const changes: string[] = [];
    for await (const { type } of zk.watch(root)) {
      changes.push(type);
      if (type === 'Gap') await createText(zk, `${root}/a`);
      else if (type === 'NodeChildrenChanged') await zk.setData(root, NOTHING);
      else break;
    }
    assert.equal(changes, ['Gap', 'NodeChildrenChanged', 'NodeDataChanged']);
  });

  checkUnlessNative('a loop reports a gap after each reconnect', async (world) => {
    const { root, proxy, connect } = world;
    const through = await proxy();
    const client = await connect({ connectString: through.connectString });
    const reasons: string[] = [];
    for await (const change of client.zk.watch(root)) {
      if (change.type !== 'Gap') continue;
      reasons.push(change.reason);
      if (reasons.length === 3) break;
      through.cut();
    }
    assert.equal(reasons, ['started', 'reconnected', 'reconnected']);
  });

  checkUnlessNative(
    'a loop that is too slow gets a gap for the events it missed',
    async (world) => {
      const { zk, root } = world;
      const loop = zk.watch(root, { maxQueued: 2 });
      const types: string[] = [];
      const next = async (): Promise<WatchChange> => {
        const { value } = await loop.next();
        types.push(value.type);
        return value;
      };
      await next();
      for (let i = 0; i < 4; i++) await zk.setData(root, NOTHING);
      await zk.sync(root);
      const gap = await next();
      assert.equal(gap, { type: 'Gap', path: root, reason: 'overflow' });
      await next();
      await loop.return?.();
      assert.equal(types, ['Gap', 'Gap', 'NodeDataChanged']);
    },
  );

  checkUnlessNative('a loop ends with its signal, and with its session', async (world) => {
    const { zk, root, connect } = world;
    const control = new AbortController();
    const loop = zk.watch(root, { signal: control.signal });
    await loop.next();
    const waits = loop.next().catch((error: unknown) => error);
    control.abort();
    assert.instance(await waits, RequestAbortedError);
    const other = await connect();
    const ends = other.zk.watch(root);
    await ends.next();
    const last = expectError('ECLOSED', ends.next());
    await other.zk.close();
    await last;
  });

  checkUnlessNative('one of several watchers of a path is removed', async ({ zk, root }) => {
    const [first, second]: WatchEvent[][] = [[], []];
    const watcher = (event: WatchEvent) => first?.push(event);
    await zk.getData(root, { watch: watcher });
    await zk.exists(root, { watch: (event) => second?.push(event) });
    await zk.removeWatches(root, WatcherType.Data, false, { watcher });
    const again = zk.removeWatches(root, WatcherType.Data, false, { watcher });
    await expectError('NOWATCHER', again);
    await zk.setData(root, NOTHING);
    assert.equal(shown(first ?? []), [`DataWatchRemoved ${root}`]);
    assert.equal(shown(second ?? []), [`NodeDataChanged ${root}`]);
  });

  checkUnlessNative('the last watcher of a path is removed from the server', async (world) => {
    const { zk, root } = world;
    const watcher = (): void => undefined;
    await zk.getData(root, { watch: watcher });
    await zk.removeWatches(root, WatcherType.Data, false, { watcher });
    await expectError('NOWATCHER', zk.removeWatches(root, WatcherType.Data));
  });

  checkUnlessNative('watches of all modes on one path fire side by side', async (world) => {
    const { zk, root } = world;
    const heard: string[] = [];
    const hear = (name: string) => (event: WatchEvent) => void heard.push(`${name} ${event.type}`);
    await zk.addWatch(root, AddWatchMode.PERSISTENT_RECURSIVE, hear('recursive'));
    await zk.getChildren(root, { watch: hear('once') });
    await createText(zk, `${root}/a`);
    await createText(zk, `${root}/b`);
    assert.equal(heard, [
      'recursive NodeCreated',
      'once NodeChildrenChanged',
      'recursive NodeCreated',
    ]);
  });

  checkUnlessNative('a client may leave its watches to the lost connection', async (world) => {
    const { zk, root, proxy, connect } = world;
    const through = await proxy();
    const { connectString } = through;
    const client = await connect({ connectString, shouldResetWatches: false });
    await client.zk.getData(root, { watch: true });
    through.cut();
    await waitForState(client, 'disconnected');
    await client.zk.sync(root);
    await zk.setData(root, NOTHING);
    await client.zk.sync(root);
    assert.equal(client.events, []);
  });

  checkUnlessNative('several reads in one request have their own results', async (world) => {
    const { zk, root, connect, connectString } = world;
    await createText(zk, `${root}/a`, 'x');
    const inner = await connect({ connectString: `${connectString}${root}` });
    await inner.zk.sync('/');
    const results = await inner.zk.multiRead([
      { op: 'getData', path: '/a' },
      { op: 'getChildren', path: '/' },
      { op: 'getData', path: '/missing' },
    ]);
    const [data, children, missing] = results;
    assert.is(data?.op === 'getData' && String(data.data), 'x');
    assert.is(data?.op === 'getData' && data.stat.dataLength, 1);
    assert.equal(children, { op: 'getChildren', children: ['a'] });
    assert.equal(missing?.op === 'error' && [missing.error.code, missing.error.path], [
      'NONODE',
      '/missing',
    ]);
    assert.equal(await inner.zk.multiRead([]), []);
  });
}
