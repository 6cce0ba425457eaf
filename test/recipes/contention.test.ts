// Many writers of one value: each change counts once, and none gives up.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonCodec, updateValue, type ZooKeeperClient } from '../../src/client/index.js';
import { backOff } from '../../src/client/retry/back-off.js';
import { AtomicLong, Counter, SharedCount } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { inWorld } from './world.js';

const WRITERS = 20;
const CHANGES = 5;

const ADDS: Readonly<Record<string, (client: ZooKeeperClient, path: string) => Promise<unknown>>> =
  {
    updateValue: (client, path) =>
      updateValue(client, path, jsonCodec<number>(), (count) => count + 1, { attempts: 60 }),
    'Counter.add': (client, path) => new Counter(client, path).add(1n),
    'AtomicLong.add': (client, path) => new AtomicLong(client, `${path}-long`).add(1n),
  };

for (const [name, add] of Object.entries(ADDS)) {
  test(`${name}: ${WRITERS} writers lose no change, and need few attempts`, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, async (world) => {
        const path = '/value';
        await world.observer.create(path, '0');
        let writes = 0;
        const clients = await Promise.all(
          Array.from({ length: WRITERS }, async () => {
            const client = await world.client();
            const [setData, multi] = [client.setData.bind(client), client.multi.bind(client)];
            client.setData = (...args) => {
              writes++;
              return setData(...args);
            };
            client.multi = (...args) => {
              writes++;
              return multi(...args);
            };
            return client;
          }),
        );
        await Promise.all(
          clients.map(async (client) => {
            for (let change = 0; change < CHANGES; change++) await add(client, path);
          }),
        );
        const total = WRITERS * CHANGES;
        if (name === 'AtomicLong.add') {
          assert.is(await new AtomicLong(world.observer, `${path}-long`).value(), BigInt(total));
        } else assert.is(await new Counter(world.observer, path).value(), BigInt(total));
        // Without a pause, each write that succeeds fails most of the others.
        assert.ok(writes < total * 6, `${writes} writes for ${total} changes`);
      });
    } finally {
      await server.close();
    }
  });
}

test('SharedCount.set ends although others write', async () => {
  const server = await startBundled();
  try {
    await inWorld(server.port, async (world) => {
      const clients = await Promise.all(Array.from({ length: 10 }, () => world.client()));
      await Promise.all(clients.map((client, at) => new SharedCount(client, '/count').set(at)));
      const found = await new SharedCount(world.observer, '/count').read();
      assert.ok(found !== undefined && found.count < 10);
    });
  } finally {
    await server.close();
  }
});

test('an abort ends a pause', async () => {
  const stop = new AbortController();
  const { random } = Math;
  Math.random = () => 1e9;
  try {
    const pause = backOff(20, stop.signal);
    stop.abort();
    await pause;
  } finally {
    Math.random = random;
  }
});

test.run();
