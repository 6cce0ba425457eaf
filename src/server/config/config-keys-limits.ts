// The section LIMITS of zoo.cfg(5).

import { optionsOf, withoutEffect } from './config-option.js';

const prop = optionsOf('property');
const MS = { unit: 'ms' };
const BYTES = { unit: 'bytes' };

export const LIMITS = {
  juteMaxBuffer: prop.int('jute.maxbuffer', 0xfffff, 'longest request', {
    ...BYTES,
    min: 1,
    property: 'jute.maxbuffer',
  }),
  juteMaxBufferExtraSize: prop.int('jute.maxbuffer.extrasize', -1, 'extra length of a txn', {
    ...BYTES,
    defaultText: 'jute.maxbuffer',
  }),
  globalOutstandingLimit: prop.int('globalOutstandingLimit', 1000, 'requests in the pipeline'),
  requestThrottleMaxRequests: prop.int(
    'request_throttle_max_requests',
    0,
    'requests before throttling; 0: off',
  ),
  requestThrottleDropStale: prop.boolean(
    'request_throttle_drop_stale',
    true,
    'drop stale requests',
  ),
  requestStaleConnectionCheck: prop.boolean(
    'request_stale_connection_check',
    true,
    'treat requests of closed connections as stale',
  ),
  requestStaleLatencyCheck: prop.boolean(
    'request_stale_latency_check',
    false,
    'treat requests older than the session timeout as stale',
  ),
  throttledOpWaitTimeMs: prop.int(
    'throttled_op_wait_time',
    0,
    'refuse requests that were queued longer; 0: off',
    MS,
  ),
  largeRequestThreshold: prop.int(
    'largeRequestThreshold',
    -1,
    'length from which a request is large; -1: off',
    BYTES,
  ),
  largeRequestMaxBytes: prop.long(
    'largeRequestMaxBytes',
    104857600,
    'size of concurrent large requests',
    BYTES,
  ),
  connectionThrottleTokens: prop.int(
    'connection_throttle_tokens',
    0,
    'size of the token bucket; 0: off',
  ),
  connectionThrottleFillTimeMs: prop.int(
    'connection_throttle_fill_time',
    1,
    'time between fills',
    MS,
  ),
  connectionThrottleFillCount: prop.int('connection_throttle_fill_count', 1, 'tokens per fill'),
  connectionThrottleFreezeTimeMs: prop.int(
    'connection_throttle_freeze_time',
    -1,
    'time between changes of the drop rate',
    MS,
  ),
  connectionThrottleDropIncrease: prop.float(
    'connection_throttle_drop_increase',
    0.02,
    'increase of the drop rate',
  ),
  connectionThrottleDropDecrease: prop.float(
    'connection_throttle_drop_decrease',
    0.002,
    'decrease of the drop rate',
  ),
  connectionThrottleDecreaseRatio: prop.float(
    'connection_throttle_decrease_ratio',
    0,
    'fill level that lowers the drop rate',
  ),
  connectionThrottleWeightEnabled: prop.boolean(
    'connection_throttle_weight_enabled',
    false,
    'weight connections by session type',
  ),
  connectionThrottleGlobalSessionWeight: prop.int(
    'connection_throttle_global_session_weight',
    3,
    'tokens for a global session',
  ),
  connectionThrottleLocalSessionWeight: prop.int(
    'connection_throttle_local_session_weight',
    1,
    'tokens for a local session',
  ),
  connectionThrottleRenewSessionWeight: prop.int(
    'connection_throttle_renew_session_weight',
    2,
    'tokens for a renewed session',
  ),
  ...withoutEffect('a waiting request continues as soon as there is room', {
    requestThrottleStallTimeMs: prop.int(
      'request_throttle_stall_time',
      100,
      'how long a throttled request waits',
      MS,
    ),
  }),
  ...withoutEffect('a close waits only for the disk', {
    requestThrottlerShutdownTimeoutMs: prop.int(
      'request_throttler.shutdownTimeout',
      10000,
      'how long a close waits for requests',
      MS,
    ),
  }),
  sessionlessCnxnTimeoutMs: prop.int(
    'nio.sessionlessCnxnTimeout',
    10000,
    'time for a connection to open a session',
    MS,
  ),
  ...withoutEffect('replies from the tree are as fast', {
    maxResponseCacheSize: prop.int('maxResponseCacheSize', 400, 'encoded getData replies to cache'),
    maxGetChildrenResponseCacheSize: prop.int(
      'maxGetChildrenResponseCacheSize',
      400,
      'encoded getChildren replies to cache',
    ),
  }),
  outstandingHandshakeLimit: prop.int(
    'netty.server.outstandingHandshake.limit',
    -1,
    'concurrent TLS handshakes; -1: no limit',
  ),
};
