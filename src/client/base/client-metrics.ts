import type { ClientState, WatchEvent } from './client.js';
import type { WireTap } from './wire-trace.js';

/**
 * Receives what a client reports about itself, for example for prom-client or OpenTelemetry. Every
 * method is optional. Calls come in the order of their causes. An exception that a method throws is
 * uncaught: it does not disturb the session.
 */
export interface ClientMetrics {
  /**
   * A request has ended.
   * @param op the name of the operation: "getData", "create2", "multi"
   * @param code "OK", or the code of the error: "NONODE", "ABORT_ERR"
   * @param durationMs since the call, in ms
   */
  request?(op: string, code: string, durationMs: number): void;
  /** Bytes of the current connection, handshake and pings included. */
  traffic?(direction: 'sent' | 'received', bytes: number): void;
  /** The session has changed its state. */
  state?(state: ClientState): void;
  /** An event of a watch, once for all its watchers. */
  event?(type: WatchEvent['type']): void;
}

/** Calls a method of the metrics. Its exception must not break the session. */
export function report(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

export function meteredTap(metrics: ClientMetrics, tap: WireTap | undefined): WireTap {
  return {
    dialed: (server) => tap?.dialed(server),
    sent: (bytes, nowMs) => {
      report(() => metrics.traffic?.('sent', bytes.length));
      tap?.sent(bytes, nowMs);
    },
    received: (chunk, nowMs) => {
      report(() => metrics.traffic?.('received', chunk.length));
      tap?.received(chunk, nowMs);
    },
    closed: (fault) => tap?.closed(fault),
  };
}
