// Every call of every recipe ends when its signal aborts, whichever of its requests is in flight,
// and none begins after an abort or waits longer than its timeout.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { abortError, onAbort } from '../../src/client/base/abort.js';
import type { CallOptions, ZooKeeperClient } from '../../src/client/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { CURATOR_CALLS } from './curator-calls.js';
import { ROWS, type Row } from './limited-calls.js';
import { RECIPES } from './recipe-calls.js';
import { failureOf, inWorld } from './world.js';

/** Methods that return no promise, and loops, whose limit is a signal alone. */
const OTHERS = /\.(changes|owners|holdCount|allocations)$/;
/** Calls that wrong-arguments.test.ts lists one by one. */
const STATICS = ['PersistentNode.open', 'PersistentNode.setData', 'ServiceCache.open'];

test('the table has every call of every recipe', () => {
  // wrong-arguments.test.ts checks that these tables are complete.
  const calls = [...RECIPES, ...CURATOR_CALLS].flatMap(({ recipe, methods }) =>
    Object.keys(methods).map((method) => `${recipe.name}.${method}`),
  );
  const known = [...calls.filter((name) => !OTHERS.test(name)), ...STATICS].sort();
  const rows = Object.keys(ROWS).filter((name) => !name.includes(','));
  assert.equal(rows.sort(), known);
});

const REQUESTS = [
  ...(['create', 'delete', 'exists', 'getData', 'setData', 'getChildren'] as const),
  ...(['sync', 'multi', 'addWatch'] as const),
];

/** Gets no reply from one request on. */
interface Silence {
  /** How many more requests are answered. */
  left: number;
  /** The first request without a reply. */
  lost: string | undefined;
}

function silence(client: ZooKeeperClient): Silence {
  const state: Silence = { left: Number.POSITIVE_INFINITY, lost: undefined };
  for (const name of REQUESTS) {
    const send = client[name].bind(client) as (...args: unknown[]) => Promise<never>;
    client[name] = (...args: unknown[]): Promise<never> => {
      const answer = send(...args);
      if (state.left-- > 0) return answer;
      state.lost ??= name;
      answer.catch(() => undefined);
      const { signal } = (args.at(-1) ?? {}) as CallOptions;
      return new Promise((_, reject) => {
        onAbort(signal, () => reject(abortError(undefined, signal?.reason, true)));
      });
    };
  }
  return state;
}

/** How a call ends whose requests from number `answered` on get no reply, if it is aborted then. */
async function outcomeOf(
  { call, given, decides }: Row,
  client: ZooKeeperClient,
  path: string,
  answered: number,
): Promise<{ readonly lost: string | undefined; readonly error: unknown }> {
  const prepared = await given?.(client, path);
  const silent = silence(client);
  silent.left = answered;
  const limit = new AbortController();
  let ended: { error: unknown } | undefined;
  call(client, path, { signal: limit.signal }, prepared).then(
    () => (ended = { error: undefined }),
    (error: unknown) => (ended = { error }),
  );
  await waitFor(`request ${answered} or the end`, () => silent.lost !== undefined || ended);
  const isEarly = ended !== undefined;
  limit.abort(REASON);
  if (silent.lost !== undefined && silent.lost === decides)
    return { lost: decides, error: { cause: REASON } };
  const { error } = await waitFor(`the end after request ${answered}`, () => ended);
  return { lost: isEarly ? undefined : silent.lost, error };
}

const REASON = new Error('the caller is no longer interested');

for (const [name, row] of Object.entries(ROWS)) {
  test(`${name}: an abort ends it, whichever request is in flight`, async () => {
    const server = await startBundled();
    try {
      await inWorld(server.port, async (world) => {
        await world.observer.create('/recipes');
        for (let answered = 0; ; answered++) {
          const client = await world.client();
          const path = `/recipes/${answered}`;
          const { lost, error } = await outcomeOf(row, client, path, answered).catch((fault) => {
            throw new Error(`${name}: ${fault}`);
          });
          if (lost === undefined) {
            assert.is(error, undefined);
            assert.ok(answered > 0);
            break;
          }
          // A call that only cleans up has its result already.
          const isCleanup = lost === 'delete' && error === undefined;
          assert.ok(
            (error as Error | undefined)?.cause === REASON || isCleanup,
            `${lost}: ${error}`,
          );
          if (lost === row.decides) break;
        }
      });
    } finally {
      await server.close();
    }
  });
}

test('no call sends anything after an abort, or waits longer than its timeout', async () => {
  const server = await startBundled();
  try {
    await inWorld(server.port, async (world) => {
      await world.observer.create('/recipes');
      for (const [at, [name, row]] of Object.entries(ROWS).entries()) {
        const client = await world.client();
        const path = `/recipes/${at}`;
        const prepared = await row.given?.(client, path);
        const silent = silence(client);
        silent.left = 0;
        const aborted = { signal: AbortSignal.abort(REASON) };
        const { cause } = await failureOf(row.call(client, path, aborted, prepared));
        assert.is(cause, REASON, name);
        // An aborted leave() counts as left.
        assert.is(silent.lost, name.endsWith('leave') ? 'delete' : undefined, name);
        // The limits of lead() end with its election: it has no timeout.
        if (name === 'LeaderElection.lead') continue;
        const late = await failureOf(row.call(client, path, { timeoutMs: 1 }, prepared));
        assert.is(late.code, 'ETIMEDOUT', name);
      }
    });
  } finally {
    await server.close();
  }
});

test.run();
