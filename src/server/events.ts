import type { CounterName, LATER_COUNTERS } from '../fourlw/mntr-keys.js';
import type { LimitName } from './limits/limits.js';
import type { Measured } from './metrics/server-stats.js';
import type { EpochName } from './persistence/epochs.js';
import type { LogPlace } from './persistence/log-search.js';
import type { Database } from './persistence/replay.js';

/** Counters of what a driver sees and a server does not. */
export type CountedOutside = Extract<
  CounterName,
  | 'unsuccessful_handshake'
  | 'tls_handshake_exceeded'
  | 'connection_rejected'
  | 'insecure_admin_count'
  | (typeof LATER_COUNTERS)[number]
>;

/** Everything that can happen to a server. With effects.ts the only way in and out of it. */
export type Event =
  | {
      readonly kind: 'clock';
      /** Milliseconds since 1970: what txns are stamped with. */
      readonly wallMs: number;
      /** Milliseconds of a clock that never goes back: what sessions expire by. */
      readonly monotonicMs: number;
    }
  | {
      readonly kind: 'connected';
      readonly connection: number;
      readonly remoteIp: string;
      readonly remotePort: number;
      /** Of the certificate it showed over TLS, which was checked: RFC 2253. */
      readonly certificateSubject?: string;
    }
  /** The bytes are the server's from now on: nobody writes over them. */
  | { readonly kind: 'received'; readonly connection: number; readonly bytes: Buffer }
  | { readonly kind: 'disconnected'; readonly connection: number }
  /**
   * What happened before a server: a client that was turned away before it became a connection, a
   * command of an operator that came to nothing.
   */
  | { readonly kind: 'counted'; readonly what: CountedOutside }
  /**
   * A limit that is enforced outside of the core was exceeded. @param from an address, or what else
   * tells the operator who it was
   */
  | {
      readonly kind: 'limit-exceeded';
      readonly limit: LimitName;
      readonly from: string;
      /** Where an option sets it. */
      readonly value?: number;
    }
  /** An operator wants the client to go to another server. */
  | { readonly kind: 'evicted'; readonly connection: number }
  /** It has read all that was sent, as `await-reading` asked to be told. */
  | { readonly kind: 'drained'; readonly connection: number }
  /** All txns up to `zxid` are durable here; the only voter of a standalone server has spoken. */
  | { readonly kind: 'ack'; readonly zxid: bigint }
  /**
   * What only the driver can know of its own work, for the metrics: a duration in ms, or a count.
   */
  | { readonly kind: 'measured'; readonly what: Measured; readonly value: number }
  /**
   * A standalone server goes on with this tree and these sessions. @param staged where a snapshot
   * of them is, whole; null where nothing is kept
   */
  | { readonly kind: 'restore'; readonly database: Database; readonly staged: string | null }
  /** They are what the disk holds from now on, durably. */
  | { readonly kind: 'restored' }
  | QuorumEvent;

/** Of a connection of the learner protocol itself. */
export type LinkEvent = Extract<
  QuorumEvent,
  { kind: 'link-opened' | 'link-received' | 'link-closed' }
>;

/**
 * What happens between the servers of an ensemble. A link is a connection of the learner protocol,
 * known by a number: one that was accepted has a positive one, one that this server asked for
 * (effect `link-dial`) the negative one it asked with. No event of a link comes behind its
 * `link-closed`.
 */
export type QuorumEvent =
  /** A frame of an election connection, without its length; `sid` is who sent it. */
  | { readonly kind: 'notified'; readonly sid: number; readonly frame: Buffer }
  /** A server has connected to the quorum port, or the one dialled has accepted. */
  | {
      readonly kind: 'link-opened';
      readonly link: number;
      readonly remote: string;
      /** It came by the port for observers. Default: no. */
      readonly isObserverPort?: boolean;
    }
  /** The bytes are the server's from now on: nobody writes over them. */
  | { readonly kind: 'link-received'; readonly link: number; readonly bytes: Buffer }
  /** It is gone, or could not be opened; not told of a link that this server closed. */
  | { readonly kind: 'link-closed'; readonly link: number; readonly reason: string }
  /** The answer to `search-log`: null where the log does not serve. */
  | {
      readonly kind: 'log-searched';
      readonly link: number;
      readonly until: bigint;
      readonly place: LogPlace | null;
    }
  /** The epoch is in its file, durably. */
  | { readonly kind: 'epoch-written'; readonly name: EpochName; readonly epoch: number }
  /** The log ends at or before the zxid asked for, and this is what the disk holds now. */
  | { readonly kind: 'truncated'; readonly database: Database }
  /** No snapshot leads to that zxid by the logs that are here: nothing was dropped. */
  | { readonly kind: 'not-truncated'; readonly zxid: bigint }
  /** The snapshot that a leader sent is on the disk, durably. */
  | { readonly kind: 'installed'; readonly zxid: bigint };
