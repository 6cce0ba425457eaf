// `await using` gives everything back that a program holds, in reverse order, and also on a throw.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, openTreeCache } from '../../src/client/index.js';
import {
  DoubleBarrier,
  Group,
  Lock,
  MultiLock,
  PersistentNode,
  ReentrantLock,
  Semaphore,
  ServiceCache,
  SharedLock,
} from '../../src/recipes/index.js';
import { startEnsemble, startServer } from '../../src/server/main.js';

test('a block returns every lock, place, cache, client, and server', async () => {
  await using server = await startServer();
  await using observer = createClient({ connectString: server.connectString });
  await observer.connect();
  let client: ReturnType<typeof createClient> | undefined;
  const below: number[] = [];
  const use = async (): Promise<void> => {
    await using own = createClient({ connectString: server.connectString });
    await own.connect();
    client = own;
    {
      await using lock = await new Lock(own, '/app/lock').acquire();
      await using all = await new MultiLock(own, ['/app/a', '/app/b']).acquire();
      await using again = await new ReentrantLock(own, '/app/again').acquire('me');
      await using shared = await new SharedLock(own, '/app/shared').acquire('read');
      await using lease = await new Semaphore(own, '/app/lease', { permits: 1 }).acquire();
      await using member = await new Group(own, '/app/group').join('me', 'here');
      await using entered = await new DoubleBarrier(own, '/app/both', { count: 1 }).enter();
      await using node = await PersistentNode.open(own, '/app/node');
      await using tree = await openTreeCache(own, '/app');
      await using services = await ServiceCache.open(own, '/services');
      for (const held of [lock, all, again, shared, lease, member, entered]) {
        assert.not(held.signal.aborted);
      }
      assert.ok(node.isPresent && tree.children('/app') && services.services());
      below.push((await own.getEphemerals('/app')).length);
    }
    below.push((await own.getEphemerals('/app')).length);
    throw new Error('the work fails');
  };
  assert.is((await use().catch((error: unknown) => error as Error))?.message, 'the work fails');
  // Two of the lock of two paths, one of each other.
  assert.equal(below, [9, 0]);
  assert.is(client?.state, 'closed');
});

test('a block stops the servers that it started', async () => {
  let [port, connectString] = [0, ''];
  {
    await using server = await startServer();
    await using ensemble = await startEnsemble({ size: 1 });
    [port, connectString] = [server.port, ensemble.connectString];
  }
  for (const target of [`127.0.0.1:${port}`, connectString]) {
    const client = createClient({ connectString: target, connectRounds: 1 });
    const refused = await client.connect().catch((error) => error);
    assert.is(refused.code, 'ECONNECT', target);
    await client.close();
  }
});

test.run();
