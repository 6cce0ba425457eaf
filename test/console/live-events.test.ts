import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Watcher, ZooKeeperClient } from '../../src/client/base/client.js';
import { LiveEvents } from '../../src/console/live-events.js';

test('the kept events hold few characters of long paths, and the newest ones', async () => {
  const live = new LiveEvents(() => new Date());
  let tell: Watcher = () => undefined;
  const client = {
    addWatch: async (_path: string, _mode: number, watcher: Watcher) => {
      tell = watcher;
    },
  } as unknown as ZooKeeperClient;
  await live.watch(client, '/');
  const event = (path: string, zxid: number) =>
    tell({ type: 'NodeDataChanged', path, zxid: BigInt(zxid) });
  for (let at = 0; at < 7000; at++) event('/short', at);
  const kept = live.history('/short', 0, 10_000).length;
  assert.ok(kept >= 5000 && kept <= 6000, String(kept));
  const path = `/${'x'.repeat(100_000)}`;
  for (let at = 0; at < 1000; at++) event(path, at);
  const found = live.history('/', 0, 10_000);
  const length = found.reduce((sum, one) => sum + one.path.length, 0);
  assert.ok(found.length >= 80 && length <= 16 * 1024 * 1024, `${found.length}: ${length}`);
  assert.is(found[0]?.zxid, '0x3e7');
});

test.run();
