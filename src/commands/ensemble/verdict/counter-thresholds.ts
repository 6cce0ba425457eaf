import type { Threshold } from './threshold.js';

type Increase = readonly [key: string, level: 'warning' | 'critical', says: string, advice: string];

/**
 * Counters of which every step is news. Nobody publishes limits; one step is the least there is.
 */
const INCREASES: readonly Increase[] = [
  [
    'unrecoverable_error_count',
    'critical',
    'errors that end a server',
    'read its log now: it goes down, or has gone down',
  ],
  [
    'digest_mismatches_count',
    'critical',
    'txns after which its data was not what the leader has',
    'its data differs from that of the others: stop it, and let it copy the data of the leader',
  ],
  [
    'snapshot_error_count',
    'warning',
    'snapshots that could not be written',
    'look at the space and at the rights of its dataDir',
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
    'zkops cons tells which hosts hold so many; raise maxClientCnxns, or mend the client',
  ],
  [
    'throttled_ops',
    'warning',
    'requests throttled for their age',
    'it cannot keep up: look at its disk and at who sends that much',
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
    'clients refused for naming another ensemble',
    'find the clients that connect to the wrong ensemble',
  ],
  [
    'unsuccessful_handshake',
    'warning',
    'TLS handshakes that failed',
    'look at the certificates of client and server, and at when they expire',
  ],
  [
    'tls_handshake_exceeded',
    'warning',
    'TLS handshakes refused as too many at once',
    'find the clients that connect again and again',
  ],
  [
    'stale_requests_dropped',
    'warning',
    'requests dropped since their connection was gone',
    'clients give up waiting: look at its latency',
  ],
  [
    'looking_count',
    'warning',
    'times it looked for a leader',
    'there was an election: look at the log of the old leader, and at the network',
  ],
];

export const COUNTED: readonly Threshold[] = INCREASES.map(([key, level, says, advice]) => ({
  name: key,
  reading: { kind: 'increase', key },
  bound: 'above',
  warning: level === 'warning' ? 0 : undefined,
  critical: level === 'critical' ? 0 : undefined,
  unit: '',
  says: `${says}, since the last look`,
  advice,
  source: 'one is news',
}));
