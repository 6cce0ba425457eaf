import { wrongType } from '../../protocol/check-argument.js';
import type { ClientState, WatchEvent } from './client.js';
import type { ClientOptions } from './client-options.js';
import { report } from './report.js';
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

/** Tells the metrics and the tap of a program of the traffic, if it has either. */
export function tapOf({ metrics, trace }: ClientOptions): WireTap | undefined {
  const tap = trace?.();
  if (trace !== undefined) checkTap(tap);
  if (metrics === undefined && tap === undefined) return undefined;
  return {
    dialed: (server) => report(() => tap?.dialed(server)),
    sent: (bytes, nowMs) => {
      report(() => metrics?.traffic?.('sent', bytes.length));
      report(() => tap?.sent(bytes, nowMs));
    },
    received: (chunk, nowMs) => {
      report(() => metrics?.traffic?.('received', chunk.length));
      report(() => tap?.received(chunk, nowMs));
    },
    closed: (fault) => report(() => tap?.closed(fault)),
  };
}

function checkTap(tap: WireTap | undefined): void {
  const methods = ['dialed', 'sent', 'received', 'closed'] as const;
  const isTap = methods.every((name) => typeof tap?.[name] === 'function');
  if (!isTap) throw wrongType('options.trace()', tap, 'a WireTap, as decodedTrace() makes it');
}
