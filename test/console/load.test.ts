import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../src/client/zookeeper.js';
import { startEnsemble } from '../../src/server/main.js';
import { startConsole } from './console-world.js';

const READERS = 8;
const ROUNDS = 25;
const ZNODES = 400;
const PATHS = [
  '/ensemble',
  '/members',
  '/health',
  '/trend?minutes=5',
  '/differences',
  '/znode?path=/big/n7',
  '/children?path=/big',
  '/subtree?path=/big',
  '/search?path=/&name=n39',
  '/history?path=/',
] as const;

test('many readers of the API disturb neither the ensemble nor each other', async () => {
  const ensemble = await startEnsemble();
  const client = createClient({ connectString: ensemble.connectString });
  let api: Awaited<ReturnType<typeof startConsole>> | undefined;
  try {
    await client.connect();
    await client.create('/big');
    await Promise.all(
      Array.from({ length: ZNODES }, (_, i) => client.create(`/big/n${i}`, `value ${i}`)),
    );
    api = await startConsole(ensemble.connectString, []);
    const { ask } = api;
    const statuses = new Map<number, number>();
    let isReading = true;
    const readers = Array.from({ length: READERS }, async (_, reader) => {
      for (let round = 0; round < ROUNDS; round++) {
        const { status } = await ask(PATHS[(reader + round) % PATHS.length] ?? '/ensemble');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    let version = 0;
    const writer = (async () => {
      while (isReading) ({ version } = await client.setData('/big/n0', 'x', version));
    })();
    await Promise.all(readers);
    isReading = false;
    await writer;
    assert.is(client.state, 'connected');
    assert.ok(version > 0);
    assert.equal([...statuses], [[200, READERS * ROUNDS]]);
    assert.is(await api.stop(), 0, api.output());
  } finally {
    await api?.stop();
    await client.close();
    await ensemble.close();
  }
});

test.run();
