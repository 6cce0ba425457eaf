import type { EpochName } from '../files/epochs.js';
import type { LogPlace } from '../files/recovery.js';
import type { CounterName, LATER_COUNTERS } from '../fourlw/base/mntr-keys.js';
import type { ErrorCode } from '../protocol/error-code.js';
import type { LimitName } from './limits/limits.js';
import type { Measured } from './metrics/server-stats.js';
import type { Database } from './persistence/replay.js';

/** Counters of things that a driver sees and a server does not. */
export type CountedOutside = Extract<
  CounterName,
  | 'unsuccessful_handshake'
  | 'tls_handshake_exceeded'
  | 'connection_rejected'
  | 'insecure_admin_count'
  | (typeof LATER_COUNTERS)[number]
>;

/** See ServerControl. */
export type ServerFault =
  | { readonly kind: 'expire'; readonly sessionId: bigint }
  | { readonly kind: 'read-only'; readonly isReadOnly: boolean }
  /** Null accepts writes again. */
  | { readonly kind: 'refuse-writes'; readonly error: ErrorCode | null };

/** Everything that can happen to a server. Events and effects are its only interface. */
export type Event =
  | {
      readonly kind: 'clock';
      /** Milliseconds since 1970: the time in txns. */
      readonly wallMs: number;
      /** Milliseconds of a monotonic clock: for the expiry of sessions. */
      readonly monotonicMs: number;
    }
  | {
      readonly kind: 'connected';
      readonly connection: number;
      readonly remoteIp: string;
      readonly remotePort: number;
      readonly isOverTls?: boolean;
      /** RFC 2253. */
      readonly certificateSubject?: string;
    }
  /** Nobody overwrites the bytes from now on. */
  | { readonly kind: 'received'; readonly connection: number; readonly bytes: Buffer }
  | { readonly kind: 'disconnected'; readonly connection: number }
  /** Something outside the server: a client refused early, or a failed command of an operator. */
  | { readonly kind: 'counted'; readonly what: CountedOutside }
  /** A limit outside the core was exceeded. `from` is an address or the like, for the operator. */
  | {
      readonly kind: 'limit-exceeded';
      readonly limit: LimitName;
      readonly from: string;
      /** Set if an option sets it. */
      readonly value?: number;
    }
  /** An operator wants the client to connect to another server. */
  | { readonly kind: 'evicted'; readonly connection: number }
  /** The client has read everything that was sent, after `await-reading`. */
  | { readonly kind: 'drained'; readonly connection: number }
  /**
   * All txns up to `zxid` are durable on this disk. A standalone server commits them then; in an
   * ensemble, the role takes it, and votes for them.
   */
  | { readonly kind: 'ack'; readonly zxid: bigint }
  | { readonly kind: 'fault'; readonly fault: ServerFault }
  /** A duration in ms, or a count. */
  | { readonly kind: 'measured'; readonly what: Measured; readonly value: number }
  /**
   * A standalone server, or the leader of an ensemble, continues with this tree and these sessions.
   * @param staged the place of their complete snapshot; null for a server in memory
   */
  | { readonly kind: 'restore'; readonly database: Database; readonly staged: string | null }
  | { readonly kind: 'restored' }
  | QuorumEvent;

export type LinkEvent = Extract<
  QuorumEvent,
  { kind: 'link-opened' | 'link-received' | 'link-closed' }
>;

export type MoveAnswer = (problem: string) => void;

/**
 * A link is a connection of the learner protocol: positive if it was accepted, negative if this
 * server dialed it. No event of a link comes after its `link-closed`.
 */
export type QuorumEvent =
  /** A frame of an election connection, without its length; `sid` is the sender. */
  | { readonly kind: 'notified'; readonly sid: number; readonly frame: Buffer }
  /** An operator wants another leader; `answer` is called at once, with the problem or "". */
  | { readonly kind: 'move-leader'; readonly sid: number; readonly answer: MoveAnswer }
  /** The file of oraclePath, read after the question: may one of two voters go on alone? */
  | { readonly kind: 'oracle-said'; readonly question: number; readonly isGranted: boolean }
  /** A server connected to the quorum port, or the dialed server accepted. */
  | {
      readonly kind: 'link-opened';
      readonly link: number;
      readonly remote: string;
      /** It came through the port for observers. */
      readonly isObserverPort?: boolean;
    }
  | { readonly kind: 'link-received'; readonly link: number; readonly bytes: Buffer }
  /** The link was lost or not opened; not sent if this server closed it. */
  | { readonly kind: 'link-closed'; readonly link: number; readonly reason: string }
  /** Null if the log cannot be used. */
  | {
      readonly kind: 'log-searched';
      readonly link: number;
      readonly until: bigint;
      readonly place: LogPlace | null;
    }
  /** A `link-snapshot` is complete. It has all txns that were applied before this event. */
  | { readonly kind: 'snapshot-sent'; readonly link: number }
  /** A `link-log` is complete. `zxid` is its last txn. */
  | { readonly kind: 'log-sent'; readonly link: number; readonly zxid: bigint }
  /**
   * What the other side of an accepted link does with the data for it, until `link-proven`. `full`:
   * much of it waits. `moving`: it read a part. `empty`: after `full`, nothing waits any more.
   */
  | {
      readonly kind: 'link-output';
      readonly link: number;
      readonly state: 'full' | 'moving' | 'empty';
    }
  | { readonly kind: 'epoch-written'; readonly name: EpochName; readonly epoch: number }
  /** The log ends at or before the requested zxid, and this is the data on disk now. */
  | { readonly kind: 'truncated'; readonly database: Database }
  /** No snapshot reaches back to that zxid: nothing was dropped. */
  | { readonly kind: 'not-truncated'; readonly zxid: bigint }
  | { readonly kind: 'installed'; readonly zxid: bigint };
