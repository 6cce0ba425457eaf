/** A request as data, so that a printed difference can be pasted into a test. */
export interface Op {
  readonly type: number;
  /** The fields of its request record. `relativeZxid` counts from the start of the world. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** The parts of multi and multiRead. */
  readonly ops?: readonly Op[];
  /** Sends only this many bytes of the body. */
  readonly cut?: number;
}

/** The requests to both servers before their responses are compared. */
export type Step =
  /** Pipelined by one client in one turn. */
  | { readonly kind: 'requests'; readonly client: number; readonly ops: readonly Op[] }
  /** closeSession. The client then opens a new session. */
  | { readonly kind: 'end'; readonly client: number }
  /** The client reconnects to its session. */
  | { readonly kind: 'reattach'; readonly client: number; readonly how: Reattach };

export type Reattach =
  /** The connection was lost before. */
  | 'after-loss'
  /** The old connection still exists. */
  | 'takeover'
  /** First with a wrong password, then with the right one. */
  | 'wrong-password'
  /** First with a last zxid that no server has reached yet. */
  | 'from-the-future';

export interface World {
  readonly clients: number;
  readonly steps: readonly Step[];
}

/**
 * Worlds avoid the differences between 3.8.0 and 3.9 instead of masking them:
 * - `watched`: all clients may read all znodes, with one-shot watches
 * - `persistent`: the same with persistent watches, of one mode per path: before 3.9.0, the last
 *   mode set on a path replaced the others (ZOOKEEPER-4466)
 * - `locked`: ACLs hide znodes, and exists sets no watch, because it needs READ since 3.8.4. Events
 *   of hidden znodes are also suppressed since 3.8.4 (CVE-2024-23944), and in Debian's 3.8.0
 */
export type WorldKind = 'watched' | 'persistent' | 'locked';
export const WORLD_KINDS: readonly WorldKind[] = ['watched', 'persistent', 'locked'];
