// tryAcquire takes a free lock or permit, and do holds it while the work runs.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/index.js';
import {
  type Held,
  Lock,
  Semaphore,
  SharedLock,
  type WaitOptions,
} from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { failureOf, inWorld, type World } from './world.js';

interface Kind {
  tryAcquire(options?: WaitOptions): Promise<Held | undefined>;
  acquire(options?: WaitOptions): Promise<Held>;
  do<T>(
    work: (signal: AbortSignal, held: Held) => T | Promise<T>,
    options?: WaitOptions,
  ): Promise<T>;
}

const shared = (mode: 'read' | 'write') => (client: ZooKeeperClient, path: string) => {
  const lock = new SharedLock(client, path);
  const kind: Kind = {
    tryAcquire: (options) => lock.tryAcquire(mode, options),
    acquire: (options) => lock.acquire(mode, options),
    do: (work, options) => lock.do(mode, work, options),
  };
  return kind;
};

const KINDS: Readonly<Record<string, (client: ZooKeeperClient, path: string) => Kind>> = {
  Lock: (client, path) => new Lock(client, path),
  'SharedLock of a writer': shared('write'),
  Semaphore: (client, path) => new Semaphore(client, path, { permits: 1 }),
};

function check(title: string, run: (world: World) => Promise<void>): void {
  test(title, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, run);
    } finally {
      await server.close();
    }
  });
}

for (const [name, make] of Object.entries(KINDS)) {
  check(`${name}.tryAcquire takes a free place, and no other`, async (world) => {
    const { path, client } = world;
    const [mine, theirs] = [make(await client(), path), make(await client(), path)];
    const held = await mine.tryAcquire();
    assert.ok(held !== undefined && !held.signal.aborted);
    assert.is(await theirs.tryAcquire(), undefined);
    assert.is(await theirs.tryAcquire({ timeoutMs: 10_000 }), undefined);
    await held.release();
    const next = await theirs.tryAcquire();
    assert.ok(next !== undefined && next.fencingToken > held.fencingToken);
    await next.release();
    assert.equal(await world.leftovers(), []);
  });

  check(`${name}.tryAcquire overtakes nobody who waits`, async ({ path, client, observer }) => {
    const [first, second, third] = await Promise.all([client(), client(), client()]);
    const held = await make(first, path).acquire();
    const waiting = make(second, path).acquire();
    const line = name === 'Semaphore' ? `${path}/locks` : path;
    await waitFor('the line', async () => {
      const { children } = await observer.getChildren(line).catch(() => ({ children: [] }));
      return children.length === (name === 'Semaphore' ? 1 : 2);
    });
    assert.is(await make(third, path).tryAcquire(), undefined);
    await held.release();
    await (await waiting).release();
  });

  check(
    `${name}.do holds while the work runs, and releases also after a failure`,
    async (world) => {
      const { path, client } = world;
      const [mine, theirs] = [make(await client(), path), make(await client(), path)];
      const result = await mine.do(async (signal, held) => {
        assert.not(signal.aborted);
        assert.is(typeof held.fencingToken, 'bigint');
        assert.is(await theirs.tryAcquire(), undefined);
        return 'done';
      });
      assert.is(result, 'done');
      const failing = mine.do(() => {
        throw new Error('of the work');
      });
      assert.is((await failureOf(failing)).message, 'of the work');
      const busy = await mine.acquire();
      let hasRun = false;
      const late = failureOf(
        theirs.do(
          () => {
            hasRun = true;
          },
          { timeoutMs: 30 },
        ),
      );
      assert.is((await late).code, 'ETIMEDOUT');
      assert.not(hasRun);
      await busy.release();
      assert.equal(await world.leftovers(), []);
    },
  );

  check(`${name}.do rejects with ELOST if the lock is lost during the work`, async (world) => {
    const { path, client, observer } = world;
    const lock = make(await client(), path);
    const failure = await failureOf(
      lock.do(async (signal) => {
        const parent = name === 'Semaphore' ? `${path}/leases` : path;
        const { children } = await observer.getChildren(parent);
        for (const child of children) await observer.delete(`${parent}/${child}`);
        await waitFor('the loss', () => signal.aborted);
      }),
    );
    assert.is(failure.code, 'ELOST');
  });
}

check('readers try and get a shared lock together', async ({ path, client }) => {
  const [first, second, third] = await Promise.all([client(), client(), client()]);
  const read = await new SharedLock(first, path).tryAcquire('read');
  const also = await new SharedLock(second, path).tryAcquire('read');
  assert.equal([read?.mode, also?.mode], ['read', 'read']);
  assert.is(await new SharedLock(third, path).tryAcquire('write'), undefined);
  await Promise.all([read?.release(), also?.release()]);
});

test.run();
