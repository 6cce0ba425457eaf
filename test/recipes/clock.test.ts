import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Lock } from '../../src/recipes/locks/lock.js';
import { DelayQueue } from '../../src/recipes/queues/distributed-queue.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { inWorld, type World } from './world.js';

// Wall clocks that jump.

const HOUR_MS = 3_600_000;

/** Runs with a wall clock that `jump` moves, for the client and the server of this process. */
async function withClock(
  run: (world: World, jump: (byMs: number) => void) => Promise<void>,
): Promise<void> {
  const { now } = Date;
  let offsetMs = 0;
  Date.now = () => now() + offsetMs;
  const server = await startBundled({ config: { tickTime: '100' } });
  try {
    await inWorld(server.port, (world) =>
      run(world, (byMs) => {
        offsetMs += byMs;
      }),
    );
  } finally {
    Date.now = now;
    await server.close();
  }
}

test('a clock that jumps ends no session and loses no lock', () =>
  withClock(async (world, jump) => {
    const client = await world.client({ timeoutMs: 1000 });
    const states: string[] = [];
    client.on('state', (state) => states.push(state));
    const held = await new Lock(client, world.path).acquire();
    for (const byMs of [24 * HOUR_MS, -48 * HOUR_MS]) {
      const startMs = performance.now();
      jump(byMs);
      await waitFor('more than the session timeout', () => performance.now() - startMs > 1500);
    }
    assert.not(held.signal.aborted);
    assert.equal(states, []);
    await held.release();
  }));

test('a taker of a delay queue goes by a clock that jumps', () =>
  withClock(async (world, jump) => {
    const { setTimeout: start } = globalThis;
    const minutes: (() => void)[] = [];
    const queue = new DelayQueue(await world.client(), world.path);
    await queue.put('due', Date.now() + HOUR_MS);
    globalThis.setTimeout = ((work: () => void, ms: number, ...rest: unknown[]) => {
      if (ms !== 60_000) return Reflect.apply(start, globalThis, [work, ms, ...rest]);
      minutes.push(work);
      return start(() => undefined, 0);
    }) as typeof start;
    try {
      let isTaken = false;
      const taking = queue.take().then(() => {
        isTaken = true;
      });
      await waitFor('the first wait', () => minutes.length === 1);
      minutes.pop()?.();
      await waitFor('the next wait', () => minutes.length === 1);
      assert.not(isTaken);
      jump(HOUR_MS);
      minutes.pop()?.();
      await taking;
    } finally {
      globalThis.setTimeout = start;
    }
  }));

test.run();
