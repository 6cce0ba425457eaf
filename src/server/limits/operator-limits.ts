import { KIB, type Limit, limit, silent } from './limit.js';

export const OPERATOR_LIMITS = {
  loadingConnections: silent(
    limit(
      64,
      'connections',
      'connections while a start reads its data; only four-letter words are answered',
      'close',
      'a new connection is closed',
    ),
    'the server does not serve yet',
  ),
  loadingWordTime: silent(
    limit(2000, 'ms', 'silence before a word on one of them', 'close', 'the connection is closed'),
    'the server does not serve yet',
  ),
  httpConnections: limit(
    128,
    'connections',
    'connections to the AdminServer, and to the Prometheus port',
    'drop',
    'the oldest one without a request is closed, or else the new one',
  ),
  httpRequests: limit(
    16,
    'requests',
    'requests of an HTTP connection that wait for their answers',
    'close',
    'the connection is closed',
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
    'body of an HTTP request, except restore',
    'close',
    'the request is answered 413 and the connection closed',
  ),
  httpTransferTime: limit(
    3_600_000,
    'ms',
    'time to send or receive a tree (snapshot, restore)',
    'close',
    'the connection is closed',
  ),
  adminIdleTime: silent(
    limit(
      30_000,
      'ms',
      'idle timeout of an AdminServer connection; 0: no limit',
      'close',
      'the connection is closed',
      'admin.idleTimeout',
    ),
    'idle connections are normal',
  ),
  metricsIdleTime: silent(
    limit(60_000, 'ms', 'the same for the Prometheus port', 'close', 'the connection is closed'),
    'idle connections are normal',
  ),
  metricNamespaces: silent(
    limit(
      500,
      'entries',
      'top-level znodes with separate metrics',
      'drop',
      'others are not counted',
    ),
    'no request is refused, and each would exceed it again',
  ),
  metricNameLength: silent(
    limit(
      100,
      'characters',
      'name of a top-level znode in metrics',
      'drop',
      'the rest is cut, and names that begin alike are counted together',
    ),
    'no request is refused',
  ),
  loadNames: silent(
    limit(
      512,
      'entries',
      'paths, sessions, addresses, and users that load counts, of each kind',
      'drop',
      'the lightest half is forgotten',
    ),
    'no request is refused, and each would exceed it again',
  ),
  shownNameLength: silent(
    limit(
      256,
      'bytes',
      'path or user in load, and path in the report of a slow request',
      'drop',
      'the rest is cut',
    ),
    'no request is refused',
  ),
  quotasReported: silent(
    limit(
      1000,
      'entries',
      'quotas with a stored time of the last report',
      'drop',
      'they are reported again',
    ),
    'the only effect is that a quota may be reported twice within a minute',
  ),
  slowRequestsKept: silent(
    limit(
      100,
      'entries',
      'slow requests that the AdminServer lists (slow_requests)',
      'drop',
      'the oldest are removed',
    ),
    'the log has them, up to 20 a second',
  ),
  shutdownTime: limit(
    5_000,
    'ms',
    'time for connections to read the sent data at shutdown',
    'drop',
    'the sockets are destroyed',
  ),
} satisfies Readonly<Record<string, Limit>>;
