import type { QuorumServerConfig } from './config/config-ensemble.js';
import type { Event } from './events.js';
import type { EpochName } from './persistence/epochs.js';
import type { LogRange } from './persistence/log-search.js';
import type { SnapshotContent } from './persistence/snapshot-content.js';
import type { Report } from './state/reports.js';

/** Everything that a server can request from its driver, in the order of execution. */
export type Effect =
  | { readonly kind: 'send'; readonly connection: number; readonly bytes: Buffer }
  /** After everything sent before. */
  | { readonly kind: 'close'; readonly connection: number }
  /** Stop or resume reading from a client. */
  | { readonly kind: 'pause' | 'resume'; readonly connection: number }
  /** Stop reading from a client until it has read the sent data; then step `drained`. */
  | { readonly kind: 'await-reading'; readonly connection: number }
  /**
   * Records for the transaction log. `whenDurable` is stepped once they are on disk, and not
   * before: so no acknowledgment can overtake its write.
   */
  | {
      readonly kind: 'append';
      readonly bytes: Buffer;
      readonly firstZxid: bigint;
      readonly lastZxid: bigint;
      readonly whenDurable: Event;
    }
  /** For the operator's log. */
  | { readonly kind: 'report'; readonly report: Report }
  /** Work remains that no event triggers: let other work run, then send the time and drain. */
  | { readonly kind: 'wake' }
  /** Start a new log file, and write a snapshot while the server continues to serve. */
  | { readonly kind: 'snapshot'; readonly content: SnapshotContent }
  /** Discard all data on disk except the staged snapshot; then step `whenDurable`. */
  | { readonly kind: 'adopt-restored'; readonly staged: string | null; readonly whenDurable: Event }
  | QuorumEffect;

/**
 * Additional requests of an ensemble member. All effects on the disk (`append`, `write-epoch`,
 * `truncate`, `install-snapshot`) are executed one after the other, in order.
 */
export type QuorumEffect =
  /**
   * For server `sid`, over its election connection, which is opened if necessary. Only the newest
   * frame counts: it replaces an unsent one, and is sent again after a reconnect.
   */
  | { readonly kind: 'notify'; readonly sid: number; readonly frame: Buffer }
  /**
   * The members to keep election connections with, including this server. `proposed` has the lines
   * of a proposed configuration, which may name more servers and other addresses.
   */
  | {
      readonly kind: 'members';
      readonly members: readonly QuorumServerConfig[];
      readonly proposed: readonly QuorumServerConfig[];
    }
  | { readonly kind: 'link-send'; readonly link: number; readonly bytes: Buffer }
  /**
   * The body of a snapshot for SNAP, piece by piece while the server continues to serve. Later data
   * on the link waits for it.
   */
  | {
      readonly kind: 'link-snapshot';
      readonly link: number;
      readonly content: SnapshotContent;
      /** Called before each piece; false is final, and no further piece may be made. */
      readonly isWanted: () => boolean;
    }
  /**
   * Search the log on disk for the txns that a learner lacks, up to a size relative to the newest
   * snapshot (maxLogBytes); `log-searched` has the result. The search covers all earlier appends.
   */
  | {
      readonly kind: 'search-log';
      readonly link: number;
      readonly range: LogRange;
      readonly sizeFactor: number;
    }
  /**
   * The txns of a found range, each as PROPOSAL and COMMIT, piece by piece. Later data on the link
   * waits for them. A range that is no longer complete ends the link.
   */
  | { readonly kind: 'link-log'; readonly link: number; readonly range: LogRange }
  /** After everything sent before. */
  | { readonly kind: 'link-close'; readonly link: number }
  /** Connect to one of the addresses; `link-opened` or `link-closed` has the result. */
  | {
      readonly kind: 'link-dial';
      readonly link: number;
      readonly addresses: readonly { readonly host: string; readonly port: number }[];
      readonly timeoutMs: number;
    }
  /** Start or stop listening for observers of a follower (observerMasterPort). */
  | { readonly kind: 'observer-port'; readonly isOpen: boolean }
  /** The learner at the other end is in sync: limits for strangers no longer apply. */
  | { readonly kind: 'link-proven'; readonly link: number }
  /** `whenDurable` is stepped when the file is on disk under its name. */
  | {
      readonly kind: 'write-epoch';
      readonly name: EpochName;
      readonly epoch: number;
      readonly whenDurable: Event;
    }
  /** Drop every logged txn after `zxid`, then load the rest: `truncated` carries it. */
  | { readonly kind: 'truncate'; readonly zxid: bigint }
  /** Write this whole tree as a snapshot, and start a new log file; then step `whenDurable`. */
  | {
      readonly kind: 'install-snapshot';
      readonly content: SnapshotContent;
      /** Repairs a tree that differs since this zxid, and keeps its files. Null: keep none. */
      readonly mismatchZxid: bigint | null;
      readonly whenDurable: Event;
    }
  /**
   * Before all later effects on the disk: store the proposed membership for the next start, or
   * discard the stored one if it is null.
   */
  | { readonly kind: 'write-next-config'; readonly text: string | null }
  /**
   * The membership in force has changed: store it for the next start. @param isSettled no
   * membership is proposed, so discard the stored one
   */
  | { readonly kind: 'write-config'; readonly text: string; readonly isSettled: boolean };

/** Effects on the disk; each is answered by one event. */
export const DISK_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'append',
  'write-epoch',
  'truncate',
  'install-snapshot',
]);
