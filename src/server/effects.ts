import type { EpochName } from '../files/epochs.js';
import type { LogRange, LogTail } from '../files/recovery.js';
import type { QuorumServerConfig } from './config/config-ensemble.js';
import type { Event } from './events.js';
import type { SnapshotContent } from './persistence/snapshot-content.js';
import type { Report } from './state/reports.js';

/** The requests of a server to its driver, in the order of execution. */
export type Effect =
  | { readonly kind: 'send'; readonly connection: number; readonly bytes: Buffer }
  /** After everything sent before. */
  | { readonly kind: 'close'; readonly connection: number }
  /** Close after these, too. Each is made when it is taken: one in a turn, as the client reads. */
  | { readonly kind: 'finish'; readonly connection: number; readonly slices: Iterator<string> }
  | { readonly kind: 'pause' | 'resume'; readonly connection: number }
  /** Stop reading from a client until it has read the sent data; then step `drained`. */
  | { readonly kind: 'await-reading'; readonly connection: number }
  /**
   * `whenDurable` is stepped once the records are on disk, never before. `firstZxid` names the file
   * if they begin one.
   */
  | {
      readonly kind: 'append';
      readonly bytes: Buffer;
      readonly firstZxid: bigint;
      readonly lastZxid: bigint;
      readonly whenDurable: Event;
    }
  | { readonly kind: 'report'; readonly report: Report }
  /** Work remains that no event triggers: let other work run, then send the time and drain. */
  | { readonly kind: 'wake' }
  /** Start a new log file, and write a snapshot while the server continues to serve. */
  | { readonly kind: 'snapshot'; readonly content: SnapshotContent }
  /** Discard all data on disk except the staged snapshot; then step `whenDurable`. */
  | { readonly kind: 'adopt-restored'; readonly staged: string | null; readonly whenDurable: Event }
  /** A restore is complete; or why it did not happen. */
  | { readonly kind: 'restore-ended'; readonly problem: string }
  | QuorumEffect;

/** Requests of an ensemble member. Effects on the disk are executed one by one, in order. */
export type QuorumEffect =
  /** Only the newest frame for a server counts; it is sent again after a reconnect. */
  | { readonly kind: 'notify'; readonly sid: number; readonly frame: Buffer }
  /** Election connections to keep. `proposed` may name further servers and new addresses. */
  | {
      readonly kind: 'members';
      readonly members: readonly QuorumServerConfig[];
      readonly proposed: readonly QuorumServerConfig[];
    }
  /** Read the file of oraclePath anew; `oracle-said` has the answer. */
  | { readonly kind: 'ask-oracle'; readonly question: number }
  | { readonly kind: 'link-send'; readonly link: number; readonly bytes: Buffer }
  /**
   * A snapshot for SNAP, while the server serves. Later data on the link waits for it;
   * `snapshot-sent` marks its end.
   */
  | {
      readonly kind: 'link-snapshot';
      readonly link: number;
      readonly content: SnapshotContent;
      /** Called before each piece; false is final, and no further piece may be made. */
      readonly isWanted: () => boolean;
    }
  /**
   * Search all earlier appends for the txns that a learner lacks, up to a size relative to the
   * newest snapshot (maxLogBytes); `log-searched` has the result.
   */
  | {
      readonly kind: 'search-log';
      readonly link: number;
      readonly range: LogRange;
      readonly sizeFactor: number;
    }
  /**
   * The committed txns that the log has, while the server appends more; the link ends if some are
   * gone. Later data on the link waits for them; `log-sent` marks their end.
   */
  | { readonly kind: 'link-log'; readonly link: number; readonly tail: LogTail }
  /** Stop reading from a dialed link, or read again. */
  | { readonly kind: 'link-hold'; readonly link: number; readonly isHeld: boolean }
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
      /** Where the tree here began to differ, to keep its files; null keeps none. */
      readonly mismatchZxid: bigint | null;
      readonly whenDurable: Event;
    }
  /** Before later effects on the disk: store the proposed membership, or discard it (null). */
  | { readonly kind: 'write-next-config'; readonly text: string | null }
  /** Store the membership in force for the next start; `isSettled`: discard the proposed one. */
  | { readonly kind: 'write-config'; readonly text: string; readonly isSettled: boolean };

/** Each is answered by one event. No role begins before, so that votes offer only durable txns. */
export const AWAITED_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'append',
  'write-epoch',
  'truncate',
  'install-snapshot',
]);
