import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { type Held, Lock } from '../../src/recipes/locks/lock.js';
import { waitFor } from '../support/wait-for.js';
import { causeOf, countWatchEvents, failureOf, type World } from './world.js';

/** Registers a test that may run on any server. */
export type Register = (name: string, run: (world: World) => Promise<void>) => void;

const FOREIGN = [
  'lock-0000000000',
  '_c_no-guid-lock-0000000000',
  '_c_01234567-89ab-cdef-0123-456789abcdef-leader-0000000000',
  '_c_01234567-89ab-cdef-0123-456789abcdef-lock-x',
];

/** One acquire per client, whose znodes are created in this order. */
async function queueUp(
  world: World,
  clients: readonly ZooKeeperClient[],
): Promise<readonly Promise<Held>[]> {
  const waiters: Promise<Held>[] = [];
  for (const client of clients) {
    const waiter = new Lock(client, world.path).acquire();
    // If the test fails before it awaits this promise, report only the test's own error.
    waiter.catch(() => undefined);
    waiters.push(waiter);
    await world.members('lock', waiters.length);
  }
  return waiters;
}

export function registerLockSuite(register: Register): void {
  register('lock: the server sees one holder at a time, with growing tokens', async (world) => {
    const { path, observer } = world;
    const clients = [await world.client(), await world.client(), await world.client()];
    const busy = `${path}-busy`;
    const tokens: bigint[] = [];
    const work = async (client: ZooKeeperClient): Promise<void> => {
      const lock = new Lock(client, path);
      for (let round = 0; round < 5; round++) {
        const held = await lock.acquire();
        // NODEEXISTS would mean a second holder.
        await client.create(busy, Buffer.alloc(0), { mode: CreateModes.EPHEMERAL });
        tokens.push(held.fencingToken);
        await client.delete(busy);
        await held.release();
      }
    };
    await Promise.all(clients.map(work));
    assert.is(tokens.length, 15);
    assert.equal(
      tokens,
      [...tokens].sort((a, b) => (a < b ? -1 : 1)),
    );
    assert.is(new Set(tokens).size, 15);
    assert.equal(await world.children(), []);
    assert.is(await observer.exists(busy), null);
  });

  register('lock: waiters get the lock in the order of their znodes', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const order: number[] = [];
    const waiters = await queueUp(world, [a, b, a, b, b, a]);
    await Promise.all(
      waiters.map(async (waiter, i) => {
        const held = await waiter;
        order.push(i);
        await held.release();
      }),
    );
    assert.equal(order, [0, 1, 2, 3, 4, 5]);
  });

  register('lock: a release wakes only the next waiter', async (world) => {
    const [a, b, c, d] = [
      await world.client(),
      await world.client(),
      await world.client(),
      await world.client(),
    ];
    const [onB, onC, onD] = [countWatchEvents(b), countWatchEvents(c), countWatchEvents(d)];
    const [first, second, third, fourth] = await queueUp(world, [a, b, c, d]);
    await (await first)?.release();
    const held = await second;
    // An event arrives before the reply to any later request.
    await Promise.all([c.exists('/'), d.exists('/')]);
    assert.equal([onB.count, onC.count, onD.count], [1, 0, 0]);
    await held?.release();
    const next = await third;
    await d.exists('/');
    assert.equal([onC.count, onD.count], [1, 0]);
    await next?.release();
    await (await fourth)?.release();
    assert.equal(await world.children(), []);
  });

  register('lock: foreign children are ignored and kept', async (world) => {
    const client = await world.client();
    await (await new Lock(client, world.path).acquire()).release();
    for (const name of FOREIGN) await client.create(`${world.path}/${name}`);
    const held = await new Lock(client, world.path).acquire();
    await held.release();
    assert.equal([...(await world.children())].sort(), [...FOREIGN].sort());
  });

  register('lock: a signal or a timeout ends a wait and leaves no znode', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const [held, last] = [await new Lock(a, world.path).acquire(), new Lock(b, world.path)];
    const controller = new AbortController();
    const waiting = failureOf(last.acquire({ signal: controller.signal }));
    await world.members('lock', 2);
    const later = new Lock(b, world.path).acquire();
    await world.members('lock', 3);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    assert.is((await waiting).cause, reason);
    await world.members('lock', 2);
    const again = await failureOf(last.acquire({ signal: controller.signal }));
    assert.is(again.cause, reason);
    assert.is((await failureOf(last.acquire({ timeoutMs: 1 }))).code, 'ETIMEDOUT');
    await world.members('lock', 2);
    await held.release();
    await (await later).release();
    assert.equal(await world.children(), []);
  });

  register('lock: a place that another client deletes is lost, held or waiting', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const held = await new Lock(a, world.path).acquire();
    const waiting = failureOf(new Lock(b, world.path).acquire());
    const [first, second] = await world.members('lock', 2);
    await world.observer.delete(`${world.path}/${second}`);
    assert.not(held.signal.aborted);
    await world.observer.delete(`${world.path}/${first}`);
    assert.is((await waiting).code, 'ELOST');
    await waitFor('the holder to know', () => held.signal.aborted);
    assert.is(held.signal.reason.code, 'ELOST');
    await held.release();
  });

  register('lock: closing a client releases its locks and its places', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const [first, second, third] = await queueUp(world, [a, a, b]);
    const held = await first;
    const waiting = failureOf(second ?? Promise.resolve());
    await a.close();
    assert.is((await waiting).code, 'ECLOSED');
    assert.ok(held?.signal.aborted);
    await held?.release();
    await (await third)?.release();
    assert.equal(await world.children(), []);
  });
}

/** Faults of the network. */
export function registerLockFaults(register: Register): void {
  register('lock: a create whose reply is lost leaves one znode', async (world) => {
    const proxy = await world.proxy();
    const client = await world.client({ through: proxy });
    const lock = new Lock(client, world.path);
    await (await lock.acquire()).release();
    proxy.stall();
    // A second znode of the same client would wait for the first forever.
    const acquiring = lock.acquire({ timeoutMs: 30_000 });
    const made = await world.members('lock', 1);
    proxy.cut();
    proxy.mend();
    const held = await acquiring;
    assert.equal(await world.children(), made);
    proxy.stall();
    const releasing = held.release();
    await world.members('lock', 0);
    proxy.cut();
    proxy.mend();
    await releasing;
  });

  register(
    'lock: an acquire aborted before the reply to its create deletes the znode',
    async (world) => {
      const proxy = await world.proxy();
      const client = await world.client({ through: proxy });
      const lock = new Lock(client, world.path);
      await (await lock.acquire()).release();
      const controller = new AbortController();
      proxy.stall();
      const acquiring = failureOf(lock.acquire({ signal: controller.signal }));
      await world.members('lock', 1);
      controller.abort(new Error('no longer wanted'));
      assert.is(causeOf(await acquiring), 'no longer wanted');
      proxy.cut();
      proxy.mend();
      await world.members('lock', 0);
    },
  );

  register('lock: a disconnected waiter learns of a missed release', async (world) => {
    const proxy = await world.proxy();
    const [a, b] = [await world.client(), await world.client({ through: proxy })];
    const [first, second] = await queueUp(world, [a, b]);
    const held = await first;
    proxy.refuse();
    await waitFor('the waiter to be cut off', () => b.state === 'disconnected');
    await held?.release();
    proxy.mend();
    const next = await second;
    assert.not(next?.signal.aborted);
    await next?.release();
  });

  register('lock: a short disconnect loses no lock', async (world) => {
    const proxy = await world.proxy();
    const client = await world.client({ through: proxy, timeoutMs: 40_000 });
    const held = await new Lock(client, world.path).acquire();
    const states: string[] = [];
    client.on('state', (state) => states.push(state));
    proxy.cut();
    await waitFor('the client to be back', () => states.includes('connected'));
    await client.exists('/');
    assert.not(held.signal.aborted);
    await held.release();
    assert.equal(await world.children(), []);
  });

  register(
    'lock: a disconnected holder loses the lock before its session expires',
    async (world) => {
      const proxy = await world.proxy();
      const a = await world.client({ through: proxy, timeoutMs: 2000 });
      const b = await world.client();
      const [first, second] = await queueUp(world, [a, b]);
      const held = await first;
      proxy.refuse();
      const next = await second;
      assert.is(held?.signal.aborted, true);
      assert.is(held?.signal.reason.code, 'ELOST');
      assert.ok(next && held && next.fencingToken > held.fencingToken);
      proxy.mend();
      await waitFor('the client to learn of its end', () => a.state === 'expired');
      await held?.release();
      assert.is((await failureOf(new Lock(a, world.path).acquire())).code, 'SESSIONEXPIRED');
      await next?.release();
      assert.equal(await world.children(), []);
    },
  );
}
