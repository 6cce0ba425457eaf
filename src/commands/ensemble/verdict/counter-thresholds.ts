import type { Threshold } from './threshold.js';

type Increase = readonly [
  key: string,
  level: 'warning' | 'critical',
  label: string,
  advice: string,
];

/** Nobody publishes limits for these counters, so an increase by one is reported. */
const INCREASES: readonly Increase[] = [
  [
    'unrecoverable_error_count',
    'critical',
    'errors that end a server',
    'read its log now: it is going down or already down',
  ],
  [
    'digest_mismatches_count',
    'critical',
    'txns after which its data differed from the leader',
    'its data differs from the others: stop it, and let it copy the data of the leader',
  ],
  [
    'snapshot_error_count',
    'warning',
    'snapshots that could not be written',
    'check the space and permissions of its dataDir',
  ],
  [
    'large_requests_rejected',
    'warning',
    'requests refused as too large',
    'find the client that sends them, or raise largeRequestMaxBytes',
  ],
  [
    'connection_rejected',
    'warning',
    'connections refused',
    'zkops cons shows the hosts with the most connections; raise maxClientCnxns, or fix the client',
  ],
  [
    'throttled_ops',
    'warning',
    'requests throttled for their age',
    'it cannot keep up: check its disk and the busiest clients',
  ],
  [
    'auth_failed_count',
    'warning',
    'logins that failed',
    'find the client with the wrong password or certificate in its log',
  ],
  [
    'ensemble_auth_fail',
    'warning',
    'clients refused because they expect another ensemble',
    'find the clients that connect to the wrong ensemble',
  ],
  [
    'unsuccessful_handshake',
    'warning',
    'TLS handshakes that failed',
    'check the certificates of client and server, and their expiry',
  ],
  [
    'tls_handshake_exceeded',
    'warning',
    'TLS handshakes refused as too many at once',
    'find the clients that reconnect constantly',
  ],
  [
    'stale_requests_dropped',
    'warning',
    'requests dropped because their connection was closed',
    'clients time out: check its latency',
  ],
  [
    'looking_count',
    'warning',
    'elections it took part in',
    'there was an election: check the log of the old leader, and the network',
  ],
];

export const COUNTED: readonly Threshold[] = INCREASES.map(([key, level, label, advice]) => ({
  name: key,
  reading: { kind: 'increase', key },
  bound: 'above',
  warning: level === 'warning' ? 0 : undefined,
  critical: level === 'critical' ? 0 : undefined,
  unit: '',
  label: `${label}, since the last query`,
  advice,
  source: 'none: every increase is reported',
}));
