import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { Lock } from '../../src/recipes/locks/lock.js';
import { MultiLock } from '../../src/recipes/locks/multi-lock.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { inWorld, type World } from './world.js';

function inServer(name: string, run: (world: World) => Promise<void>): void {
  test(name, async () => {
    const server = await startBundled({ config: { tickTime: '500' } });
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
}

test('multi-lock: no path, a bad path, and a path twice are refused', () => {
  const client = createClient({ connectString: '127.0.0.1:1' });
  assert.throws(() => new MultiLock(client, []), /different paths, at least one/);
  assert.throws(
    () => new MultiLock(client, ['/a', '/a']),
    (error: unknown) => error instanceof RangeError,
  );
  assert.throws(() => new MultiLock(client, ['/a', 'b']), /invalid path: "b"/);
});

inServer('multi-lock: a rejection releases the locks that it has', async (world) => {
  const client = await world.client();
  const [a, b] = [`${world.path}/a`, `${world.path}/b`];
  const blocking = await new Lock(await world.client(), b).acquire();
  const failed = await new MultiLock(client, [b, a]).acquire({ timeoutMs: 20 }).catch((e) => e);
  assert.is(failed.message, `${a}, ${b}: not all locks were free within 20 ms`);
  const free = await new Lock(await world.client(), a).acquire({ timeoutMs: 5000 });
  await Promise.all([free.release(), blocking.release()]);
});

inServer('multi-lock: the loss of one lock aborts the signal, or ends the wait', async (world) => {
  const client = await world.client();
  const [a, b] = [`${world.path}/a`, `${world.path}/b`];
  const places = async (path: string): Promise<string[]> => {
    const { children } = await world.observer.getChildren(path);
    return children.map((name) => `${path}/${name}`);
  };
  const held = await new MultiLock(client, [a, b]).acquire();
  for (const place of await places(a)) await world.observer.delete(place);
  await waitFor('the loss', () => held.signal.aborted);
  assert.is(held.signal.reason.code, 'ELOST');
  await held.release();
  assert.equal(await places(b), []);

  const blocking = await new Lock(await world.client(), b).acquire();
  const waiting = new MultiLock(client, [a, b]).acquire().catch((error) => error.code);
  await waitFor('the wait for the second', async () => (await places(b)).length === 2);
  for (const place of await places(a)) await world.observer.delete(place);
  assert.is(await waiting, 'ELOST');
  await blocking.release();
});

test.run();
