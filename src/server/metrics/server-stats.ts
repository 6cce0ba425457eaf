import type { BasicSummaryName, CounterName } from '../../fourlw/base/mntr-keys.js';
import { OpCode } from '../../protocol/op-code.js';
import type { ConnectionStats } from './connection-stats.js';
import { Metrics } from './metrics.js';
import type { PercentileSummary } from './summary.js';

/** `slow-sync` is a sync above fsync.warningthresholdms, `pause` the lateness of the event loop. */
export type Measured =
  | 'flush-time'
  | 'pause'
  | 'slow-sync'
  | Extract<
      BasicSummaryName,
      | 'fsynctime'
      | 'snapshottime'
      | 'startup_snap_load_time'
      | 'startup_txns_loaded'
      | 'startup_txns_load_time'
      | 'dbinittime'
      | 'restore_time'
    >;

export interface AnsweredUpdate {
  readonly type: number;
  readonly startedMs: number;
  readonly txn: { readonly type: number } | null;
}

/** The counters of `srvr` and mntr since the start or the last `srst`, in whole milliseconds. */
export class ServerStats {
  received = 0;
  sent = 0;
  minLatencyMs = 0;
  maxLatencyMs = 0;
  totalLatencyMs = 0;
  latencyCount = 0;
  lastResponseSize = -1;
  minResponseSize = -1;
  maxResponseSize = -1;
  authFailed = 0;
  slowSyncs = 0;
  readonly metrics: Metrics;

  /** @param metrics the counters that a member of an ensemble keeps across roles */
  constructor(metrics: Metrics = new Metrics()) {
    this.metrics = metrics;
  }

  count(name: CounterName, by = 1): void {
    this.metrics.count(name, by);
  }

  measured(what: Measured, value: number): void {
    if (what === 'slow-sync') this.slowSyncs++;
    else if (what === 'pause') this.metrics.pauseTime.record(value);
    else if (what === 'flush-time') this.metrics.flushed(value);
    else this.metrics.record(what, value);
    if (what === 'fsynctime') this.metrics.synced(value);
  }

  /** @param type of the request, of a code without an operation if it was throttled */
  answeredRead(connection: ConnectionStats, nowMs: number, startedMs: number, type: number): void {
    this.metrics.operations.count(type);
    this.answered(connection, nowMs, startedMs, this.metrics.readLatency);
  }

  answeredUpdate(connection: ConnectionStats, nowMs: number, request: AnsweredUpdate): void {
    if (request.txn?.type !== OpCode.error) this.metrics.operations.count(request.type);
    this.answered(connection, nowMs, request.startedMs, this.metrics.updateLatency);
  }

  private answered(
    connection: ConnectionStats,
    nowMs: number,
    startedMs: number,
    summary: PercentileSummary,
  ): void {
    const latency = nowMs - startedMs;
    summary.record(latency);
    if (latency > this.maxLatencyMs) this.maxLatencyMs = latency;
    if (latency < this.minLatencyMs || this.latencyCount === 0) this.minLatencyMs = latency;
    this.totalLatencyMs += latency;
    this.latencyCount++;
    if (latency > connection.maxLatencyMs) connection.maxLatencyMs = latency;
    if (latency < connection.minLatencyMs || connection.latencyCount === 0) {
      connection.minLatencyMs = latency;
    }
    connection.totalLatencyMs += latency;
    connection.latencyCount++;
    connection.lastLatencyMs = latency;
    connection.lastResponseMs = nowMs;
  }

  /** @param size of the reply, without its length prefix */
  responded(size: number): void {
    this.metrics.responseBytes += size;
    this.lastResponseSize = size;
    if (size > this.maxResponseSize) this.maxResponseSize = size;
    if (size < this.minResponseSize || this.minResponseSize === -1) this.minResponseSize = size;
  }

  reset(): void {
    this.received = 0;
    this.sent = 0;
    this.minLatencyMs = 0;
    this.maxLatencyMs = 0;
    this.totalLatencyMs = 0;
    this.latencyCount = 0;
    this.lastResponseSize = -1;
    this.minResponseSize = -1;
    this.maxResponseSize = -1;
    this.slowSyncs = 0;
    this.metrics.reset();
  }
}
