import * as assert from 'uvu/assert';
import type { ZooKeeperClient } from '../../src/client/base/client.js';
import { TimeoutError } from '../../src/client/base/errors.js';
import { LeaderElection, type Leadership } from '../../src/recipes/locks/leader-election.js';
import { waitFor } from '../support/wait-for.js';
import type { Register } from './lock-suite.js';
import { failureOf, type World } from './world.js';

interface Candidate {
  readonly election: LeaderElection;
  readonly settled: Promise<string>;
  leadership: Leadership | undefined;
  resign(): void;
}

function stand(world: World, client: ZooKeeperClient, id: string, signal?: AbortSignal): Candidate {
  const election = new LeaderElection(client, world.path, { id });
  let resign = (): void => undefined;
  const resigned = new Promise<string>((resolve) => {
    resign = () => resolve(`${id} resigned`);
  });
  const onElected = (leadership: Leadership): Promise<string> => {
    candidate.leadership = leadership;
    leadership.signal.addEventListener('abort', resign);
    return resigned;
  };
  const settled = election.lead(signal ? { signal, onElected } : { onElected });
  const candidate: Candidate = { election, settled, leadership: undefined, resign };
  return candidate;
}

export function registerLeaderElectionSuite(register: Register): void {
  register('election: leadership passes from candidate to candidate', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const reader = new LeaderElection(world.observer, world.path, { id: 'reader' });
    assert.is(await reader.leader(), undefined);
    const first = stand(world, a, 'a');
    await world.members('latch', 1);
    const second = stand(world, b, 'b');
    await world.members('latch', 2);
    await waitFor('a to lead', () => first.leadership);
    assert.is(await second.election.leader(), 'a');
    assert.is(second.leadership, undefined);
    first.resign();
    assert.is(await first.settled, 'a resigned');
    const { fencingToken = 0n } = await waitFor('b to lead', () => second.leadership);
    assert.ok(fencingToken > (first.leadership?.fencingToken ?? 0n));
    assert.is(await first.election.leader(), 'b');
    second.resign();
    await second.settled;
    assert.is(await first.election.leader(), undefined);
  });

  register('election: a signal withdraws a candidate, and aborts a leader', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const [leading, waiting] = [new AbortController(), new AbortController()];
    const first = stand(world, a, 'a', leading.signal);
    await world.members('latch', 1);
    const second = stand(world, b, 'b', waiting.signal);
    const failure = failureOf(second.settled);
    await world.members('latch', 2);
    const reason = new Error('enough');
    waiting.abort(reason);
    assert.is((await failure).cause, reason);
    await world.members('latch', 1);
    await waitFor('a to lead', () => first.leadership);
    leading.abort(reason);
    assert.is(await first.settled, 'a resigned');
    assert.is(first.leadership?.signal.reason, reason);
    assert.equal(await world.children(), []);
  });

  register('election: a candidate gives up after its timeout', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const leading = stand(world, a, 'a');
    await waitFor('a to lead', () => leading.leadership);
    const other = new LeaderElection(b, world.path, { id: 'b' });
    const failure = await failureOf(other.lead({ timeoutMs: 1, onElected: () => 'never' }));
    assert.instance(failure, TimeoutError);
    assert.is(failure.code, 'ETIMEDOUT');
    await world.members('latch', 1);
    leading.resign();
    await leading.settled;
    assert.is(await other.lead({ timeoutMs: 30_000, onElected: () => 'led' }), 'led');
  });

  register('election: a failed leader is replaced, and its error passed on', async (world) => {
    const [a, b] = [await world.client(), await world.client()];
    const election = new LeaderElection(a, world.path, { id: 'a' });
    const failure = new Error('cannot lead');
    const onElected = (): never => {
      throw failure;
    };
    assert.is(await failureOf(election.lead({ onElected })), failure);
    const next = stand(world, b, 'b');
    await waitFor('b to lead', () => next.leadership);
    await b.close();
    assert.is(await next.settled, 'b resigned');
    assert.ok(next.leadership?.signal.aborted);
    assert.is(await election.leader(), undefined);
  });
}
