import type { ConnectionStats } from './client-connection.js';

/** What `srvr` and mntr count since the start or the last `srst`. Times are whole milliseconds. */
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
  /** By mntr's name without `zk_`. */
  readonly counters = new Map<string, number>();

  count(name: string, by = 1): void {
    this.counters.set(name, (this.counters.get(name) ?? 0) + by);
  }

  /** A request of `connection` was answered. */
  answered(connection: ConnectionStats, nowMs: number, startedMs: number): void {
    const latency = nowMs - startedMs;
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

  responded(size: number): void {
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
    this.counters.clear();
  }
}
