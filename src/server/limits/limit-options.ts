import type { Config } from '../config/config.js';
import { type ConnectionThrottleOptions, soundWeights } from './connection-throttle.js';
import type { LargeRequestOptions } from './large-requests.js';
import type { RequestThrottleOptions } from './request-throttler.js';

/** Protections from clients, besides globalOutstandingLimit and the frame length. */
export interface LimitOptions {
  readonly requests: RequestThrottleOptions;
  readonly large: LargeRequestOptions;
}

export const NO_LIMITS: LimitOptions = {
  requests: {
    maxRequests: 0,
    isStaleDropped: true,
    isConnectionChecked: true,
    isLatencyChecked: false,
    throttledOpWaitMs: 0,
  },
  large: { threshold: -1, maxBytes: 0 },
};

export function limitOptionsOf(config: Config): LimitOptions {
  return {
    requests: {
      maxRequests: config.requestThrottleMaxRequests,
      isStaleDropped: config.requestThrottleDropStale,
      isConnectionChecked: config.requestStaleConnectionCheck,
      isLatencyChecked: config.requestStaleLatencyCheck,
      throttledOpWaitMs: config.throttledOpWaitTimeMs,
    },
    large: {
      threshold: config.largeRequestThreshold,
      maxBytes: config.largeRequestMaxBytes,
    },
  };
}

export function connectionThrottleOf(config: Config): ConnectionThrottleOptions {
  const weights = {
    global: config.connectionThrottleGlobalSessionWeight,
    renew: config.connectionThrottleRenewSessionWeight,
    local: config.connectionThrottleLocalSessionWeight,
  };
  return {
    tokens: config.connectionThrottleTokens,
    fillTimeMs: config.connectionThrottleFillTimeMs,
    fillCount: config.connectionThrottleFillCount,
    freezeTimeMs: config.connectionThrottleFreezeTimeMs,
    dropIncrease: config.connectionThrottleDropIncrease,
    dropDecrease: config.connectionThrottleDropDecrease,
    decreaseRatio: config.connectionThrottleDecreaseRatio,
    weights: config.connectionThrottleWeightEnabled ? soundWeights(weights) : null,
  };
}
