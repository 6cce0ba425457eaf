// Every call of every recipe tells of its end in one shape: a code, the path, whether the outcome
// is unknown, and the reason as its cause. A call that failed before it was sent is never sent.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/index.js';
import { Lock } from '../../src/recipes/index.js';
import { startBundled } from '../support/bundled.js';
import { waitFor } from '../support/wait-for.js';
import { hasNoWatcher } from '../support/watch-counts.js';
import { ROWS } from './limited-calls.js';
import { LOOPS, WAITING_CALLS } from './waiting-calls.js';
import { failureOf, inWorld, type World } from './world.js';

type Control = Awaited<ReturnType<typeof startBundled>>['control'];

type Failure = Error & {
  readonly code?: unknown;
  readonly path?: unknown;
  readonly hasUnknownOutcome?: unknown;
};

/** Calls that need no request, or end without a limit of time. */
const OTHERS = ['PersistentNode.setData'];
/** The ends of a hold, which is lost with its session, and which continue in the background. */
const HELD = ['LockingQueue.take, done', 'LockingQueue.take, release'];

function assertShape(name: string, failure: Failure, code: string, kind: string): void {
  const { path, hasUnknownOutcome, message } = failure;
  assert.equal([failure.name, failure.code], [kind, code], `${name}: ${failure}`);
  assert.type(hasUnknownOutcome, 'boolean', name);
  // A multi that finds its session ended has no path.
  const hasPath = typeof path === 'string' ? path.startsWith('/') : /session|closed/i.test(message);
  assert.ok(hasPath && 'path' in failure, `${name}: ${message}`);
}

async function withServer(
  run: (world: World, server: Awaited<ReturnType<typeof startBundled>>) => Promise<void>,
): Promise<void> {
  const server = await startBundled();
  try {
    await inWorld(server.port, async (world) => {
      await world.observer.create('/recipes');
      await run(world, server);
    });
  } finally {
    server.control.heal();
    await server.close();
  }
}

/** Every call, with the state that it needs. */
async function prepareAll(client: ZooKeeperClient, of = '') {
  const calls = [];
  for (const [at, [name, row]] of Object.entries(ROWS).entries()) {
    const path = `/recipes/${at}${of}`;
    calls.push({ name, row, path, prepared: await row.given?.(client, path) });
  }
  return calls;
}

test('a call without an answer ends with ETIMEDOUT, also by AbortSignal.timeout', () =>
  withServer(async (world, server) => {
    const client = await world.client();
    const calls = await prepareAll(client);
    const again = await prepareAll(client, '-again');
    server.control.dropReplies();
    for (const { name, row, path, prepared } of calls) {
      const signal = AbortSignal.timeout(20);
      const failure = await failureOf(row.call(client, path, { signal }, prepared));
      assertShape(name, failure, 'ETIMEDOUT', 'TimeoutError');
    }
    for (const { name, row, path, prepared } of again) {
      if (name === 'LeaderElection.lead') continue;
      const late = await failureOf(row.call(client, path, { timeoutMs: 20 }, prepared));
      assertShape(name, late, 'ETIMEDOUT', 'TimeoutError');
      assert.match(late.message, /within 20 ms$/, name);
    }
  }));

test('an aborted call ends with ABORT_ERR and the reason as its cause', () =>
  withServer(async (world, server) => {
    const client = await world.client();
    const calls = await prepareAll(client);
    server.control.dropReplies();
    const reasons = [new Error('no longer'), 'a text'];
    for (const [at, { name, row, path, prepared }] of calls.entries()) {
      const reason = reasons[at % 2];
      const limit = new AbortController();
      const failing = failureOf(row.call(client, path, { signal: limit.signal }, prepared));
      limit.abort(reason);
      const failure = await failing;
      assertShape(name, failure, 'ABORT_ERR', 'AbortError');
      assert.is(failure.cause, reason, name);
    }
  }));

/** Those that end with their session, and so succeed. */
const LEAVES = [...OTHERS, ...HELD, 'TwoPhaseCommit.acknowledge, with its vote'];

test('a call of a closed client ends with ECLOSED', () =>
  withServer(async (world) => {
    const client = await world.client();
    const calls = await prepareAll(client);
    await client.close();
    for (const { name, row, path, prepared } of calls) {
      if (LEAVES.includes(name)) continue;
      const failure = await failureOf(row.call(client, path, {}, prepared));
      assertShape(name, failure, 'ECLOSED', 'ClosedError');
    }
  }));

test('a call of an expired session ends with SESSIONEXPIRED', () =>
  withServer(async (world, server) => {
    const client = await world.client();
    const calls = await prepareAll(client);
    server.control.expireSession(client.sessionId);
    await waitFor('the end', () => client.state === 'expired');
    for (const { name, row, path, prepared } of calls) {
      if (LEAVES.includes(name)) continue;
      const failure = await failureOf(row.call(client, path, {}, prepared));
      assertShape(name, failure, 'SESSIONEXPIRED', 'ZooKeeperError');
    }
  }));

/** Without receipts, which go in the background. */
async function treeOf(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  const { data, stat } = await client.getData(path);
  const { children } = await client.getChildren(path);
  const kept = children.filter((name) => !name.endsWith('-receipt'));
  const below = await Promise.all(kept.map((name) => treeOf(client, `${path}/${name}`)));
  return [`${path} ${data} ${stat.version}`, ...below.flat()].sort();
}

test('a call that ends before it was sent is never sent, and says so', () =>
  withServer(async (world, server) => {
    const client = await world.client();
    const calls = (await prepareAll(client)).filter(
      ({ name }) => ![...OTHERS, ...HELD].includes(name) && !name.endsWith('leave'),
    );
    const before = await treeOf(client, '/recipes');
    server.control.refuseConnections();
    server.control.cut(client.sessionId);
    await waitFor('the loss', () => client.state === 'disconnected');
    for (const { name, row, path, prepared } of calls) {
      const signal = AbortSignal.timeout(5);
      const failure = await failureOf(row.call(client, path, { signal }, prepared));
      assertShape(name, failure, 'ETIMEDOUT', 'TimeoutError');
      assert.is((failure as Failure).hasUnknownOutcome, false, name);
    }
    server.control.heal();
    await waitFor('the connection', () => client.state === 'connected');
    await client.sync('/recipes');
    const after = await treeOf(world.observer, '/recipes');
    // A vote that is acknowledged is deleted in the background.
    assert.equal(
      after.filter((line) => !before.includes(line)),
      [],
    );
  }));

/** The session ends while its client has no connection, so that it sees no znode deleted. */
async function expireUnseen(client: ZooKeeperClient, control: Control): Promise<void> {
  control.refuseConnections();
  control.cut(client.sessionId);
  await waitFor('the loss', () => client.state === 'disconnected');
  control.expireSession(client.sessionId);
  control.heal();
}

/** Begins every wait and every loop, lets `end` end its session, and checks how it rejects. */
async function endedWaits(
  code: string,
  end: (client: ZooKeeperClient, control: Control) => Promise<void>,
): Promise<void> {
  await withServer(async (world, { control }) => {
    const waits = Object.entries(WAITING_CALLS);
    const loops = Object.entries(LOOPS).map(([name, loop]) => {
      const wait = async (client: ZooKeeperClient, path: string) => {
        for await (const _ of loop(client, path, {}));
      };
      return [name, { given: async () => undefined, wait }];
    }) as unknown as typeof waits;
    for (const [at, [name, { given, wait }]] of [...waits, ...loops].entries()) {
      const [own, other] = [await world.client(), await world.client()];
      const path = `/recipes/${at}`;
      await given(other, path, own);
      const failing = failureOf(wait(own, path, {}));
      await waitFor(`a watch of ${name}`, () => !hasNoWatcher(own));
      for (let trip = 0; trip < 3; trip++) await own.sync('/');
      await end(own, control);
      const failure = (await failing) as Failure;
      assert.equal([failure.code, failure.hasUnknownOutcome], [code, false], `${name}: ${failure}`);
      await other.close();
    }
  });
}

test('a wait ends with ECLOSED when its client closes, and nothing is in doubt', () =>
  endedWaits('ECLOSED', (client) => client.close()));

test('a wait ends with SESSIONEXPIRED when its session expires, and nothing is in doubt', () =>
  endedWaits('SESSIONEXPIRED', expireUnseen));

/** Without `lead`, which then leads, and the calls that keep what they have while they wait. */
const KEEPS = ['DoubleBarrier.enter', 'MultiLock.acquire'];

test('a wait outlives a loss of the connection that its session outlives', () =>
  withServer(async (world, { control }) => {
    const [own, other] = [await world.client({ timeoutMs: 4000 }), await world.client()];
    const begun = [];
    for (const [at, [name, { given, wait }]] of Object.entries(WAITING_CALLS).entries()) {
      if (KEEPS.includes(name)) continue;
      const path = `/recipes/${at}`;
      const free = await given(other, path, own);
      const outcome = wait(own, path, {}).then(
        () => `${name} waited`,
        (error) => `${name}: ${error}`,
      );
      begun.push({ name, free, outcome });
    }
    await waitFor('a watch', () => !hasNoWatcher(own));
    for (let trip = 0; trip < 6; trip++) await own.sync('/');
    const held = await new Lock(own, '/held').acquire();
    control.refuseConnections();
    control.cut(own.sessionId);
    await waitFor('the loss of a hold', () => held.signal.aborted);
    control.heal();
    await waitFor('the connection', () => own.state === 'connected');
    for (const { name, free, outcome } of begun) {
      await free();
      assert.is(await outcome, `${name} waited`);
    }
  }));

const WRITES = ['create', 'delete', 'setData', 'multi'] as const;
/** Calls that make changes which outlive their session. */
const CHANGES =
  /^Atomic.*(add|set|compareAndSet|update)$|raise$|remove$|create$|^Counter.add|put|bind$|SharedCount.*et$|revoke$|begin$|decide$|abort$|finish$|Commit.vote$|acknowledge$/i;

test('a change whose reply and session are lost is in doubt', () =>
  withServer(async (world, { control }) => {
    for (const [name, { call, given }] of Object.entries(ROWS)) {
      if (!CHANGES.test(name)) continue;
      const client = await world.client();
      const path = `/recipes/${name}`;
      const prepared = await given?.(client, path);
      let ended: Promise<void> | undefined;
      for (const write of WRITES) {
        const send = client[write].bind(client) as (...args: unknown[]) => Promise<never>;
        client[write] = (...args: unknown[]) => {
          const answer = send(...args);
          if (ended === undefined) {
            control.dropReplies();
            ended = nextTurn().then(() => expireUnseen(client, control));
          }
          return answer;
        };
      }
      const failing = call(client, path, {}, prepared).then(
        () => assert.unreachable(name),
        (error) => error,
      );
      const { code, hasUnknownOutcome } = (await failing) as Failure;
      await ended;
      assert.equal([code, hasUnknownOutcome], ['SESSIONEXPIRED', true], name);
    }
  }));

test.run();
