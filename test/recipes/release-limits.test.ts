// release() and leave() end by their limits without a server, and the znode goes later.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/index.js';
import {
  DoubleBarrier,
  Group,
  Lock,
  MultiLock,
  ReentrantLock,
  Semaphore,
  ServiceDirectory,
  SharedLock,
  type WaitOptions,
} from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { causeOf, failureOf, inWorld } from './world.js';

type End = (options?: WaitOptions) => Promise<unknown>;

const HOLDS: Readonly<Record<string, (client: ZooKeeperClient, path: string) => Promise<End>>> = {
  Lock: async (client, path) => (await new Lock(client, path).acquire()).release,
  'Lock.tryAcquire': async (client, path) => {
    const held = await new Lock(client, path).tryAcquire();
    return (options) => held?.release(options) ?? Promise.resolve();
  },
  ReentrantLock: async (client, path) =>
    (await new ReentrantLock(client, path).acquire('a')).release,
  MultiLock: async (client, path) => (await new MultiLock(client, [path]).acquire()).release,
  SharedLock: async (client, path) => (await new SharedLock(client, path).acquire('read')).release,
  Semaphore: async (client, path) =>
    (await new Semaphore(client, path, { permits: 1 }).acquire()).release,
  Group: async (client, path) => (await new Group(client, path).join('a', 'x')).leave,
  ServiceDirectory: async (client, path) =>
    (await new ServiceDirectory(client, path).announce('web', 'a', 'x')).leave,
  DoubleBarrier: async (client, path) =>
    (await new DoubleBarrier(client, path, { count: 1 }).enter()).leave,
};

for (const [name, take] of Object.entries(HOLDS)) {
  test(`${name}: a limit ends the wait for the release`, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, async (world) => {
        const client = await world.client();
        const end = await take(client, world.path);
        server.control.refuseConnections();
        server.control.cut(client.sessionId);
        await waitFor('the loss', () => client.state === 'disconnected');
        const reason = new Error('enough');
        const aborted = await failureOf(end({ signal: AbortSignal.abort(reason) }));
        assert.equal([aborted.code, causeOf(aborted)], ['ABORT_ERR', 'enough']);
        if (name !== 'DoubleBarrier') {
          const late = await failureOf(end({ timeoutMs: 10 }));
          assert.equal([late.name, late.code], ['TimeoutError', 'ETIMEDOUT']);
        }
        server.control.heal();
        // The next round of a double barrier ignores what the last one left.
        const isGone = async () => (await world.leftovers()).every((each) => each === 'ready');
        await waitFor('the znode to go', isGone);
      });
    } finally {
      await server.close();
    }
  });
}

test.run();
