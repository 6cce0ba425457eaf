/** The figures of a connection in `cons`; `crst` resets them. */
export class ConnectionStats {
  establishedMs = 0;
  received = 0;
  sent = 0;
  lastOperation = 0;
  lastCxid = -1;
  lastZxid = -1n;
  lastResponseMs = 0;
  lastLatencyMs = 0;
  minLatencyMs = 0;
  maxLatencyMs = 0;
  totalLatencyMs = 0;
  latencyCount = 0;

  reset(): void {
    this.received = 0;
    this.sent = 0;
    this.lastOperation = 0;
    this.lastCxid = -1;
    this.lastZxid = -1n;
    this.lastResponseMs = 0;
    this.lastLatencyMs = 0;
    this.minLatencyMs = 0;
    this.maxLatencyMs = 0;
    this.totalLatencyMs = 0;
    this.latencyCount = 0;
  }
}
