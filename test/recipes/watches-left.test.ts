// A wait takes its watches with it, however it ends: neither the client nor the server keeps one.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openTreeCache, type ZooKeeperClient } from '../../src/client/index.js';
import { PersistentNode, ServiceCache } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { hasNoWatcher, noWatchLeft, watchedBy } from '../support/watch-counts.js';
import { LOOPS, WAITING_CALLS, type WaitingCall } from './waiting-calls.js';
import { causeOf, failureOf, inWorld } from './world.js';

interface Stage {
  readonly port: number;
  readonly path: string;
  readonly own: ZooKeeperClient;
  readonly other: ZooKeeperClient;
}

function promise(title: string, run: (stage: Stage) => Promise<void>): void {
  test(title, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, async (world) => {
        await world.observer.create('/recipes');
        const [own, other] = [await world.client(), await world.client()];
        await run({ port: server.port, path: '/recipes/of-test', own, other });
      });
    } finally {
      await server.close();
    }
  });
}

/** Waits until the client has a watch, and for some round trips more. */
async function isWatching({ own, path }: Stage): Promise<void> {
  await waitFor('a watch', () => !hasNoWatcher(own));
  for (let trip = 0; trip < 3; trip++) await own.sync(path);
}

/** No watch of the own session is left, while the other one has what it holds, and after that. */
async function isClean({ port, own, other }: Stage): Promise<void> {
  const isGone = async () => hasNoWatcher(own) && (await watchedBy(port, own)).length === 0;
  await waitFor('no watch of the own session', isGone, 3000);
  await other.close();
  await noWatchLeft(port, own);
}

/** Gives back what a wait has got. */
async function giveBack(result: unknown): Promise<void> {
  const ends = ['release', 'leave', 'close'] as const;
  const held = (typeof result === 'object' ? result : undefined) as
    | Partial<Record<string, (options?: unknown) => Promise<unknown>>>
    | null
    | undefined;
  for (const end of ends)
    await held?.[end]?.({ signal: AbortSignal.abort() }).catch(() => undefined);
}

async function timedOut({ wait, given, late }: WaitingCall, stage: Stage): Promise<void> {
  const { path, own, other } = stage;
  await given(other, path, own);
  const outcome = await wait(own, path, { timeoutMs: 60 }).catch(({ code }) => code);
  assert.equal(outcome, late ?? 'ETIMEDOUT');
  await isClean(stage);
}

async function aborted({ wait, given }: WaitingCall, stage: Stage): Promise<void> {
  const { path, own, other } = stage;
  await given(other, path, own);
  const limit = new AbortController();
  const failure = failureOf(wait(own, path, { signal: limit.signal }));
  await isWatching(stage);
  limit.abort(new Error('enough'));
  assert.is(causeOf(await failure), 'enough');
  await isClean(stage);
}

async function answered({ wait, given }: WaitingCall, stage: Stage): Promise<void> {
  const { path, own, other } = stage;
  const free = await given(other, path, own);
  const waiting = wait(own, path, {});
  await isWatching(stage);
  const [result, freed] = await Promise.all([waiting, free()]);
  await Promise.all([giveBack(result), giveBack(freed)]);
  await isClean(stage);
}

for (const [name, row] of Object.entries(WAITING_CALLS)) {
  promise(`${name}: no watch outlives a timeout`, (stage) => timedOut(row, stage));
  promise(`${name}: no watch outlives an abort`, (stage) => aborted(row, stage));
  promise(`${name}: no watch outlives the answer`, (stage) => answered(row, stage));
}

for (const [name, loop] of Object.entries(LOOPS)) {
  promise(`${name}: a loop that is left by break leaves no watch`, async (stage) => {
    const { own, path } = stage;
    for await (const _ of loop(own, path, {})) break;
    await isClean(stage);
  });
  promise(`${name}: a loop that is aborted leaves no watch`, async (stage) => {
    const { own, path } = stage;
    const limit = new AbortController();
    const left = failureOf(
      (async () => {
        for await (const _ of loop(own, path, { signal: limit.signal }));
      })(),
    );
    await isWatching(stage);
    limit.abort(new Error('enough'));
    assert.is(causeOf(await left), 'enough');
    await isClean(stage);
  });
}

promise('what keeps watches removes them when it is closed', async (stage) => {
  const { own, path } = stage;
  const node = await PersistentNode.open(own, path);
  const cache = await ServiceCache.open(own, path);
  const tree = await openTreeCache(own, path);
  const flat = await openTreeCache(own, path, { depth: 0 });
  assert.not(hasNoWatcher(own));
  await Promise.all([node.close(), cache.close(), tree.close(), flat.close()]);
  await isClean(stage);
});

test.run();
