import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ServiceCache,
  ServiceDirectory,
  ServiceProvider,
  type ServiceProviderOptions,
} from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { inWorld } from './world.js';

interface Scene {
  /** The ids of the next instances. */
  next(count: number): string;
  readonly provider: ServiceProvider;
  announce(id: string): Promise<void>;
  leave(id: string): Promise<void>;
}

/** A service with the instances a, b, and c. */
function providerTest(
  name: string,
  options: ServiceProviderOptions,
  run: (scene: Scene) => Promise<void>,
): void {
  test(name, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, async (world) => {
        const client = await world.client();
        const directory = new ServiceDirectory(client, world.path);
        await using cache = await ServiceCache.open(client, world.path);
        const members = new Map<string, { leave(): Promise<void> }>();
        const isKnown = (id: string) => cache.instances('web').some((each) => each.id === id);
        const announce = async (id: string): Promise<void> => {
          members.set(id, await directory.announce('web', id, `host-${id}`));
          await waitFor('the instance', () => isKnown(id));
        };
        const leave = async (id: string): Promise<void> => {
          await members.get(id)?.leave();
          await waitFor('its end', () => !isKnown(id));
        };
        for (const id of ['a', 'b', 'c']) await announce(id);
        const provider = new ServiceProvider(cache, 'web', options);
        const next = (count: number) =>
          Array.from({ length: count }, () => provider.next()?.id ?? '-').join('');
        await run({ next, provider, announce, leave });
      });
    } finally {
      await server.close();
    }
  });
}

/** The time of the provider, which the test moves. */
async function withClock(run: (pass: (ms: number) => void) => Promise<void> | void): Promise<void> {
  const { now } = performance;
  let ms = 1000;
  performance.now = () => ms;
  try {
    await run((more) => {
      ms += more;
    });
  } finally {
    performance.now = now;
  }
}

providerTest('service provider: each in turn, while others come and go', {}, async (scene) => {
  const { next, announce, leave } = scene;
  const first = next(1);
  const round = { a: 'bcabca', b: 'cabcab', c: 'abcabc' }[first];
  assert.is(next(6), round);
  while (next(1) !== 'a');
  await leave('b');
  assert.is(next(3), 'cac');
  await announce('b');
  assert.is(next(3), 'abc');
  for (const id of ['a', 'b', 'c']) await leave(id);
  assert.is(next(1), '-');
});

providerTest('service provider: any of them', { strategy: 'random' }, async ({ next }) => {
  assert.equal([...new Set(next(300))].sort(), ['a', 'b', 'c']);
});

providerTest(
  'service provider: the same one, until it is gone or down',
  { strategy: 'sticky', down: { errors: 1 } },
  async ({ next, provider, leave }) => {
    const first = next(1);
    assert.is(next(3), first.repeat(3));
    await leave(first);
    const second = next(1);
    assert.is.not(second, first);
    assert.is(next(3), second.repeat(3));
    provider.failed(second);
    const third = next(1);
    assert.not([first, second].includes(third));
    provider.failed(third);
    assert.is(next(1), '-');
  },
);

providerTest(
  'service provider: errors in a short time make an instance down for a while',
  { down: { errors: 3, withinMs: 100, forMs: 1000 } },
  async ({ provider }) => {
    await withClock((pass) => {
      const ids = () => provider.instances().map(({ id }) => id);
      const [a] = provider.instances();
      if (a === undefined) throw new Error('expected an instance');
      const fail = (count: number) => {
        for (let i = 0; i < count; i++) provider.failed(a);
      };
      fail(2);
      pass(100);
      fail(2);
      assert.equal(ids(), ['a', 'b', 'c'], 'old errors do not count');
      pass(99);
      fail(1);
      assert.equal(ids(), ['b', 'c']);
      pass(999);
      assert.equal(ids(), ['b', 'c']);
      pass(1);
      assert.equal(ids(), ['a', 'b', 'c']);
      fail(2);
      assert.equal(ids(), ['a', 'b', 'c'], 'it begins anew');
      provider.failed('b');
      provider.failed('nobody');
      assert.equal(ids(), ['a', 'b', 'c']);
    });
  },
);

providerTest(
  'service provider: a filter leaves out instances',
  { filter: ({ data }) => `${data}` !== 'host-b' },
  async ({ next, provider }) => {
    assert.equal([...new Set(next(4))].sort(), ['a', 'c']);
    assert.is(`${provider.instances()[0]?.data}`, 'host-a');
  },
);

test.run();
