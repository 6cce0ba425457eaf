import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BasicSummaryName, CounterName } from '../../../src/fourlw/base/mntr-keys.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// The metrics of elections, of syncs of learners, and of the stages of txns.

function metricsOf(world: EnsembleWorld, sid: number) {
  const view = () => world.member(sid).peer.view.metrics;
  return {
    counter: (name: CounterName) => view().counters[name] ?? 0,
    summary: (name: BasicSummaryName) =>
      view().basicSummaries[name] ?? { count: 0, sum: 0, max: 0 },
    latency: (
      name:
        | 'quorum_ack_latency'
        | 'proposal_latency'
        | 'commit_propagation_latency'
        | 'proposal_ack_creation_latency',
    ) => view().advancedSummaries[name]?.count ?? 0,
    ackLatency: (of: number) => view().advancedSummarySets?.ack_latency?.get(`${of}`),
  };
}

function worldOfFour() {
  const world = new EnsembleWorld(3, 1);
  world.start();
  world.allServe();
  return { world, client: world.client(3) };
}

test('elections, and the time without service', () => {
  const { world, client } = worldOfFour();
  for (const sid of [1, 2, 3, 4]) {
    const { counter, summary } = metricsOf(world, sid);
    assert.ok(counter('looking_count') >= 1);
    assert.is(summary('election_time').count, sid === 4 ? 0 : 1, 'an observer has no vote');
    assert.is(summary('unavailable_time').count, 1);
    assert.is(summary('leader_unavailable_time').count, sid === 3 ? 1 : 0);
    assert.is(summary('follower_sync_time').count, sid < 3 ? 1 : 0);
    assert.is(summary('observer_sync_time').count, sid === 4 ? 1 : 0);
  }
  client.push(client.create('/a'));
  const before = metricsOf(world, 2).counter('looking_count');
  world.crash(3);
  world.until(() => world.leader === 2 && world.isServing(1), 'server 2 leads');
  const { counter, summary } = metricsOf(world, 2);
  assert.is(
    counter('learner_proposal_received_count'),
    2,
    'it keeps the figures of its earlier role',
  );
  assert.is(counter('looking_count'), before + 1);
  assert.is(summary('unavailable_time').count, 2);
  assert.is(summary('leader_unavailable_time').count, 1);
  assert.ok(summary('leader_unavailable_time').max > 0);
  assert.is(metricsOf(world, 1).summary('follower_sync_time').count, 2);
});

test('learners that are brought in sync, by what, and how many at a time', () => {
  const { world, client } = worldOfFour();
  const { counter, summary } = metricsOf(world, 3);
  const count = () => [counter('diff_count'), counter('snap_count')];
  const [diffs = 0, snaps = 0] = count();
  assert.is(diffs + snaps, 3);
  world.crash(1);
  client.push(client.create('/a'));
  world.start(1);
  world.allServe();
  assert.equal(count(), [diffs + 1, snaps]);
  const inFlight = () => [summary('inflight_diff_count'), summary('inflight_snap_count')];
  const told = inFlight().reduce((sum, one) => sum + one.count, 0);
  assert.is(told, 8, 'one at its start, and one at its end');
});

test('the stages of a txn', () => {
  const { world, client } = worldOfFour();
  const before = [1, 2, 3, 4].map((sid) =>
    metricsOf(world, sid).latency('commit_propagation_latency'),
  );
  const TXNS = 1000;
  for (let i = 0; i < TXNS; i++) client.push(client.create(`/n${i}`));
  const since = (sid: number) =>
    metricsOf(world, sid).latency('commit_propagation_latency') - (before[sid - 1] ?? 0);
  assert.equal([1, 2, 3, 4].map(since), [TXNS, TXNS, 0, TXNS]);
  const leader = metricsOf(world, 3);
  const commits = leader.counter('commit_count');
  assert.is(leader.latency('quorum_ack_latency'), commits);
  assert.is(leader.latency('proposal_ack_creation_latency'), commits);
  assert.is(leader.latency('proposal_latency'), 0);
  const follower = metricsOf(world, 1);
  const proposals = follower.counter('learner_proposal_received_count');
  assert.is(follower.latency('proposal_latency'), proposals);
  assert.is(follower.latency('proposal_ack_creation_latency'), proposals);
  const observer = metricsOf(world, 4);
  assert.is(observer.latency('proposal_ack_creation_latency'), 0, 'an observer acks nothing');
  // One of a thousand.
  assert.is(leader.ackLatency(1)?.count, 1);
  assert.is(leader.ackLatency(2)?.count, 1);
  assert.is(leader.ackLatency(4), undefined);
});

test('a txn that waits for a quorum is measured until it has one', () => {
  const { world, client } = worldOfFour();
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = true;
  client.push(client.create('/a'));
  world.pass(2000);
  for (const sid of [1, 2]) world.member(sid).isDiskHeld = false;
  world.pass(50);
  const { advancedSummaries } = world.member(3).peer.view.metrics;
  assert.is(advancedSummaries.quorum_ack_latency?.max, 2050);
  assert.is(advancedSummaries.proposal_ack_creation_latency?.max, 0);
});

test.run();
