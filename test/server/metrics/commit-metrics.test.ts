import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ServerStats } from '../../../src/server/metrics/server-stats.js';
import { ServerWorld } from '../server-world.js';

test('a batch of commits shows what it released, and what still waits', () => {
  const world = new ServerWorld();
  const client = world.client();
  const { stats } = world.server.state;
  stats.reset();
  client.step(client.create('/a'));
  client.push(client.create('/b'));
  client.push(client.create('/c'));
  assert.is(world.appends.length, 2);
  world.ack();
  const { counters, basicSummaries } = stats.metrics.view();
  const last = (name: keyof typeof basicSummaries) => basicSummaries[name]?.sum;
  assert.is(counters.request_commit_queued, 2);
  assert.is(last('commit_commit_proc_req_queued'), 2);
  assert.is(last('write_commit_proc_issued'), 2);
  assert.is(last('write_commit_proc_req_queued'), 1);
  assert.is(last('prep_processor_queue_size'), 0);
  world.ackAll();
  assert.is(stats.metrics.view().counters.request_commit_queued, 3);
});

test('a batch waited for the sync before, and a late event loop is a pause', () => {
  const stats = new ServerStats();
  stats.measured('fsynctime', 4);
  stats.measured('flush-time', 11);
  stats.measured('pause', 250);
  const { advancedSummaries } = stats.metrics.view();
  assert.is(advancedSummaries.sync_processor_queue_flush_time_ms?.sum, 4);
  assert.is(advancedSummaries.sync_processor_queue_and_flush_time_ms?.sum, 11);
  assert.is(advancedSummaries.sync_processor_queue_time_ms?.sum, 7);
  assert.is(advancedSummaries.jvm_pause_time_ms?.max, 250);
  stats.reset();
  assert.is(stats.metrics.view().advancedSummaries.jvm_pause_time_ms?.count, 0);
});

test.run();
