import type { QuorumServerConfig } from './config/config-ensemble.js';
import type { Event } from './events.js';
import type { EpochName } from './persistence/epochs.js';
import type { LogRange } from './persistence/log-search.js';
import type { SnapshotContent } from './persistence/snapshot-content.js';
import type { Report } from './state/reports.js';

/** Everything a server can ask of its driver, in the order in which it is to be done. */
export type Effect =
  | { readonly kind: 'send'; readonly connection: number; readonly bytes: Buffer }
  /** After what was sent before has left. */
  | { readonly kind: 'close'; readonly connection: number }
  /** Stop, or go on, reading from a client. */
  | { readonly kind: 'pause' | 'resume'; readonly connection: number }
  /** Stop reading from a client until it has read what was sent; then step `drained`. */
  | { readonly kind: 'await-reading'; readonly connection: number }
  /**
   * Records for the transaction log. `whenDurable` is stepped when they are on disk and not before:
   * no acknowledgement can overtake the write that makes it true.
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
  /** Work is left that no event asks for: give the others a turn, then tell the time and drain. */
  | { readonly kind: 'wake' }
  /** Begin a new log file, and write a snapshot while serving goes on. */
  | { readonly kind: 'snapshot'; readonly content: SnapshotContent }
  /** Everything on the disk but the staged snapshot is void; then step `whenDurable`. */
  | { readonly kind: 'adopt-restored'; readonly staged: string | null; readonly whenDurable: Event }
  | QuorumEffect;

/**
 * What a server of an ensemble asks for beside that. All effects that touch the disk (`append`,
 * `write-epoch`, `truncate`, `install-snapshot`) are done one behind the other, in the order given.
 */
export type QuorumEffect =
  /**
   * For the server `sid`, over the election connection with it, which is made where there is none.
   * Only the newest frame counts: it replaces one that has not left, and is sent anew when a
   * connection is made again.
   */
  | { readonly kind: 'notify'; readonly sid: number; readonly frame: Buffer }
  /** The members whose election connections are wanted, from now on; this server is among them. */
  | { readonly kind: 'members'; readonly members: readonly QuorumServerConfig[] }
  | { readonly kind: 'link-send'; readonly link: number; readonly bytes: Buffer }
  /**
   * A snapshot's body as SNAP carries it, piece by piece while serving goes on; what is sent on the
   * link afterwards waits behind it.
   */
  | {
      readonly kind: 'link-snapshot';
      readonly link: number;
      readonly content: SnapshotContent;
      /** Asked before each piece; false is for good, and no further piece may be made. */
      readonly isWanted: () => boolean;
    }
  /**
   * Look whether the log on the disk holds what a learner lacks, and is small beside the newest
   * snapshot (maxLogBytes); `log-searched` tells. All that was appended before is looked at.
   */
  | {
      readonly kind: 'search-log';
      readonly link: number;
      readonly range: LogRange;
      readonly sizeFactor: number;
    }
  /**
   * The txns of a range that was found, each as PROPOSAL and COMMIT, piece by piece; what is sent
   * on the link afterwards waits behind them. A range that is no longer whole ends the link.
   */
  | { readonly kind: 'link-log'; readonly link: number; readonly range: LogRange }
  /** After what was sent before has left. */
  | { readonly kind: 'link-close'; readonly link: number }
  /** Connect to one of the addresses; `link-opened` or `link-closed` tells how it went. */
  | {
      readonly kind: 'link-dial';
      readonly link: number;
      readonly addresses: readonly { readonly host: string; readonly port: number }[];
      readonly timeoutMs: number;
    }
  /** Listen where observers of a follower come (observerMasterPort), or no more. */
  | { readonly kind: 'observer-port'; readonly isOpen: boolean }
  /** The learner at its other end is in sync: it is held to no limit of strangers any more. */
  | { readonly kind: 'link-proven'; readonly link: number }
  /** `whenDurable` is stepped when the file is on the disk under its name. */
  | {
      readonly kind: 'write-epoch';
      readonly name: EpochName;
      readonly epoch: number;
      readonly whenDurable: Event;
    }
  /** Drop every logged txn behind `zxid`, then read back what is left: `truncated` brings it. */
  | { readonly kind: 'truncate'; readonly zxid: bigint }
  /** Write this whole tree as a snapshot, and begin a new log file; then step `whenDurable`. */
  | {
      readonly kind: 'install-snapshot';
      readonly content: SnapshotContent;
      /** It mends a tree that parted there, whose files are kept. Null: none are. */
      readonly mismatchZxid: bigint | null;
      readonly whenDurable: Event;
    }
  /** The membership in force has changed: keep it for the next start. */
  | { readonly kind: 'write-config'; readonly text: string };

/** For the disk; each of them is answered by one event. */
export const DISK_EFFECTS: ReadonlySet<Effect['kind']> = new Set([
  'append',
  'write-epoch',
  'truncate',
  'install-snapshot',
]);
