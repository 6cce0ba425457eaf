import { KIB, type Limit, limit, silent } from './limit.js';

/** What operators may take, and the end of the server. */
export const OPERATOR_LIMITS = {
  httpConnections: limit(
    128,
    'connections',
    'connections to the AdminServer, and as many to the port for Prometheus',
    'drop',
    'the oldest without a request is closed, or else the new one',
  ),
  httpHeaderTime: limit(
    10_000,
    'ms',
    'time for the header of an HTTP request',
    'close',
    'the request is answered 408 and the connection closed',
  ),
  httpHeaderBytes: limit(
    16 * KIB,
    'bytes',
    'header of an HTTP request',
    'close',
    'the request is answered 431 and the connection closed',
  ),
  httpBodyTime: limit(
    30_000,
    'ms',
    'time for the body of an HTTP request, and for its sender to read the answer',
    'close',
    'the connection is closed',
  ),
  httpBodyBytes: limit(
    64 * KIB,
    'bytes',
    'body of an HTTP request, but for restore',
    'close',
    'the request is answered 413 and the connection closed',
  ),
  httpTransferTime: limit(
    3_600_000,
    'ms',
    'time for a tree to be sent or received (snapshot, restore)',
    'close',
    'the connection is closed',
  ),
  adminIdleTime: silent(
    limit(
      30_000,
      'ms',
      'time in which a connection to the AdminServer is silent; 0 is no limit',
      'close',
      'the connection is closed',
      'admin.idleTimeout',
    ),
    'so an idle connection ends',
  ),
  metricsIdleTime: silent(
    limit(
      60_000,
      'ms',
      'the same for the port for Prometheus',
      'close',
      'the connection is closed',
    ),
    'so an idle connection ends',
  ),
  metricNamespaces: silent(
    limit(
      10_000,
      'entries',
      'top-level znodes with metrics of their own',
      'drop',
      'further ones are not counted',
    ),
    'no request is refused, and each would exceed it again',
  ),
  quotasReported: silent(
    limit(
      1000,
      'entries',
      'quotas that remember when they were last reported',
      'drop',
      'they are reported anew',
    ),
    'a quota is only reported sooner than a minute after the last time',
  ),
  shutdownTime: limit(
    5_000,
    'ms',
    'time for connections to read what was sent when the server closes',
    'drop',
    'the sockets are destroyed',
  ),
} satisfies Readonly<Record<string, Limit>>;
