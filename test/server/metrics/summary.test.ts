import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PercentileSummary, Summary } from '../../../src/server/metrics/summary.js';

test('a summary keeps count, sum, least and greatest until it is reset', () => {
  const summary = new Summary();
  for (const value of [7, 3, 9]) summary.record(value);
  assert.equal([summary.count, summary.sum, summary.min, summary.max], [3, 19, 3, 9]);
  summary.reset();
  assert.equal([summary.count, summary.sum, summary.min, summary.max], [0, 0, 0, 0]);
  summary.record(5);
  assert.equal([summary.min, summary.max], [5, 5]);
});

test('percentiles of small values are exact', () => {
  const summary = new PercentileSummary();
  for (let value = 1; value <= 50; value++) summary.record(value);
  assert.equal([summary.p50, summary.p95, summary.p99, summary.p999], [25, 48, 50, 50]);
});

test('percentiles of nothing are 0, and of one value that value', () => {
  const summary = new PercentileSummary();
  assert.equal([summary.p50, summary.p999], [0, 0]);
  summary.record(123_456);
  assert.equal([summary.p50, summary.p95, summary.p99, summary.p999], Array(4).fill(123_456));
});

test('percentiles of large values are accurate to 1/32', () => {
  for (const top of [63, 64, 65, 1000, 4096, 1_000_000, 2 ** 31 - 1]) {
    const summary = new PercentileSummary();
    summary.record(0);
    for (let i = 0; i < 99; i++) summary.record(top);
    summary.record(2 ** 31 - 1);
    const error = Math.abs(summary.p50 - top) / top;
    assert.ok(error <= 1 / 32, `${summary.p50} for ${top}`);
  }
});

test('impossible latencies do not break the buckets', () => {
  const summary = new PercentileSummary();
  for (const value of [-5, 0, 2 ** 31, 2 ** 40]) summary.record(value);
  assert.is(summary.count, 4);
  assert.is(summary.max, 2 ** 40);
  assert.ok(summary.p999 <= summary.max);
  summary.reset();
  assert.is(summary.p50, 0);
});

test.run();
