import type { Event } from './events.js';
import type { Report } from './reports.js';
import type { SnapshotContent } from './snapshot-content.js';

/** Everything a server can ask of its driver, in the order in which it is to be done. */
export type Effect =
  | { readonly kind: 'send'; readonly connection: number; readonly bytes: Buffer }
  /** After what was sent before has left. */
  | { readonly kind: 'close'; readonly connection: number }
  /** Stop, or go on, reading from a client. */
  | { readonly kind: 'pause' | 'resume'; readonly connection: number }
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
  | { readonly kind: 'snapshot'; readonly content: SnapshotContent };
