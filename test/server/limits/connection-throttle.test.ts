import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ConnectionThrottle,
  type ConnectionThrottleOptions,
  soundWeights,
} from '../../../src/server/limits/connection-throttle.js';

/**
 * The keys connection_throttle_tokens, connection_throttle_fill_time,
 * connection_throttle_fill_count, connection_throttle_freeze_time,
 * connection_throttle_drop_increase, connection_throttle_drop_decrease, and
 * connection_throttle_decrease_ratio; of the weights connection_throttle_weight_enabled,
 * connection_throttle_global_session_weight, connection_throttle_renew_session_weight, and
 * connection_throttle_local_session_weight.
 */
const OPTIONS: ConnectionThrottleOptions = {
  tokens: 10,
  fillTimeMs: 100,
  fillCount: 2,
  freezeTimeMs: -1,
  dropIncrease: 0.25,
  dropDecrease: 0.1,
  decreaseRatio: 0,
  weights: null,
};

function make(options: Partial<ConnectionThrottleOptions> = {}, random = () => 0.5) {
  return new ConnectionThrottle({ ...OPTIONS, ...options }, 0, random);
}

/** How many of `count` are admitted. */
function admitted(
  throttle: ConnectionThrottle,
  count: number,
  nowMs: number,
  kind: 'global' | 'renew' | 'local' = 'global',
): number {
  let inside = 0;
  for (let i = 0; i < count; i++) if (throttle.admit(kind, nowMs)) inside++;
  return inside;
}

test('without tokens everybody is admitted', () => {
  assert.is(admitted(make({ tokens: 0 }), 1000, 0), 1000);
});

test('a bucket admits as many as it has tokens, and fills over time', () => {
  const throttle = make();
  assert.is(admitted(throttle, 20, 0), 10);
  assert.is(throttle.deficit, 10);
  assert.is(admitted(throttle, 20, 100), 0);
  // 250 ms at 2 in 100 ms
  assert.is(admitted(throttle, 20, 250), 5);
  assert.is(admitted(throttle, 20, 1_000_000), 10);
});

test('the cost depends on the session type, in units of global sessions', () => {
  const weights = { global: 3, renew: 2, local: 1 };
  assert.is(admitted(make({ weights }), 50, 0), 10);
  assert.is(admitted(make({ weights }), 50, 0, 'renew'), 15);
  assert.is(admitted(make({ weights }), 50, 0, 'local'), 30);
});

test('invalid weights are replaced as Apache does', () => {
  assert.equal(soundWeights({ global: 0, renew: -1, local: 0 }), { global: 3, renew: 2, local: 1 });
  assert.equal(soundWeights({ global: 2, renew: 1, local: 5 }), { global: 5, renew: 5, local: 5 });
});

test('the drop chance grows while the bucket is empty, and shrinks when it is full', () => {
  const throttle = make(
    { freezeTimeMs: 10, fillTimeMs: 1_000_000, fillCount: 1, tokens: 2 },
    () => 1,
  );
  assert.is(admitted(throttle, 3, 0), 2);
  assert.is(throttle.dropChance, 0);
  admitted(throttle, 1, 11);
  assert.is(throttle.dropChance, 0.25);
  admitted(throttle, 5, 12);
  assert.is(throttle.dropChance, 0.25, 'frozen');
  for (let at = 23; at < 100; at += 11) admitted(throttle, 1, at);
  assert.is(throttle.dropChance, 1, 'at most');
  admitted(throttle, 1, 3_000_001);
  assert.is(throttle.dropChance.toFixed(2), '0.90');
});

test('a client can be dropped by chance despite tokens', () => {
  let chance = 1;
  const throttle = make(
    { freezeTimeMs: 0, dropIncrease: 0.5, tokens: 1, fillCount: 100 },
    () => chance,
  );
  assert.is(admitted(throttle, 1, 0), 1);
  assert.not.ok(throttle.admit('global', 1));
  assert.is(throttle.dropChance, 0.5);
  chance = 0.39;
  assert.not.ok(throttle.admit('global', 1000));
  chance = 0.41;
  assert.ok(throttle.admit('global', 1000));
});

test.run();
