import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { CreateModes } from '../../src/protocol/create-mode.js';
import { type Held, Lock } from '../../src/recipes/lock.js';
import { waitFor } from '../support/wait-for.js';
import { countWatchEvents, failureOf, type World } from './world.js';

/** A test by its name, on whichever server. */
export type Register = (name: string, run: (world: World) => Promise<void>) => void;

const FOREIGN = [
  'lock-0000000000',
  '_c_no-guid-lock-0000000000',
  '_c_01234567-89ab-cdef-0123-456789abcdef-leader-0000000000',
  '_c_01234567-89ab-cdef-0123-456789abcdef-lock-x',
];

/** One acquire a client, whose znodes are made in this order. */
async function queueUp(
  world: World,
  clients: readonly ZooKeeperClient[],
): Promise<readonly Promise<Held>[]> {
  const waiters: Promise<Held>[] = [];
  for (const client of clients) {
    const waiter = new Lock(client, world.path).acquire();
    // A test that fails before it awaits this one gets its own failure alone.
    waiter.catch(() => undefined);
    waiters.push(waiter);
    await world.members('lock', waiters.length);
  }
  return waiters;
}

/** Mutual exclusion and order. */
export function registerLockSuite(register: Register): void {
  register('lock: the server sees one holder at a time, and tokens that grow', async (world) => {
    const { path, observer } = world;
    const clients = [await world.client(), await world.client(), await world.client()];
    const busy = `${path}-busy`;
    const tokens: bigint[] = [];
    const work = async (client: ZooKeeperClient): Promise<void> => {
      const lock = new Lock(client, path);
      for (let round = 0; round < 5; round++) {
        const held = await lock.acquire();
        // NODEEXISTS here would be a second holder.
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

  register('lock: waiters come in the order of their znodes', async (world) => {
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

  register('lock: a release wakes one waiter, the next', async (world) => {
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
    // An event comes before the reply to whatever is asked after it.
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

  register('lock: children of others are not looked at, and stay', async (world) => {
    const client = await world.client();
    await (await new Lock(client, world.path).acquire()).release();
    for (const name of FOREIGN) await client.create(`${world.path}/${name}`);
    const held = await new Lock(client, world.path).acquire();
    await held.release();
    assert.equal([...(await world.children())].sort(), [...FOREIGN].sort());
  });

  register('lock: waiting ends by a signal or a time, and leaves nothing', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const [held, last] = [await new Lock(a, world.path).acquire(), new Lock(b, world.path)];
    const controller = new AbortController();
    const waiting = failureOf(last.acquire({ signal: controller.signal }));
    await world.members('lock', 2);
    const later = new Lock(b, world.path).acquire();
    await world.members('lock', 3);
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    assert.is(await waiting, reason);
    await world.members('lock', 2);
    assert.is(await failureOf(last.acquire({ signal: controller.signal })), reason);
    assert.is((await failureOf(last.acquire({ timeoutMs: 1 }))).code, 'ETIMEDOUT');
    await world.members('lock', 2);
    await held.release();
    await (await later).release();
    assert.equal(await world.children(), []);
  });

  register('lock: a place that someone else deletes is lost, held or not', async (world) => {
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

  register('lock: a client that closes gives up what it held and waited for', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const [first, second, third] = await queueUp(world, [a, a, b]);
    const held = await first;
    const waiting = failureOf(second ?? Promise.resolve());
    await a.close();
    assert.is((await waiting).code, 'CONNECTIONLOSS');
    assert.ok(held?.signal.aborted);
    await held?.release();
    await (await third)?.release();
    assert.equal(await world.children(), []);
  });
}

/** What a bad network does. */
export function registerLockFaults(register: Register): void {
  register('lock: a create whose reply is lost leaves one znode', async (world) => {
    const proxy = await world.proxy();
    const client = await world.client({ through: proxy });
    const lock = new Lock(client, world.path);
    await (await lock.acquire()).release();
    proxy.stall();
    // A second znode would wait for the first without end.
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

  register('lock: a create given up before its reply is taken out again', async (world) => {
    const proxy = await world.proxy();
    const client = await world.client({ through: proxy });
    const lock = new Lock(client, world.path);
    await (await lock.acquire()).release();
    const controller = new AbortController();
    proxy.stall();
    const acquiring = failureOf(lock.acquire({ signal: controller.signal }));
    await world.members('lock', 1);
    controller.abort(new Error('no longer wanted'));
    assert.is((await acquiring).message, 'no longer wanted');
    proxy.cut();
    proxy.mend();
    await world.members('lock', 0);
  });

  register('lock: a waiter that was cut off hears of the release it missed', async (world) => {
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

  register('lock: a short cut loses nothing', async (world) => {
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

  register('lock: a disconnected holder lets go before its session expires', async (world) => {
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
  });
}
