/** A request as data: what is printed when two servers disagree can be pasted into a test. */
export interface Op {
  readonly type: number;
  /** The fields of its request record. `relativeZxid` counts from the start of the world. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** Of multi and multiRead. */
  readonly ops?: readonly Op[];
  /** Only so many bytes of the body are sent. */
  readonly cut?: number;
}

/** What is done to both servers before their answers are compared. */
export type Step =
  /** Pipelined by one client in one turn. */
  | { readonly kind: 'requests'; readonly client: number; readonly ops: readonly Op[] }
  /** closeSession; the client then opens a new session. */
  | { readonly kind: 'end'; readonly client: number }
  /** The client comes back to its session. */
  | { readonly kind: 'reattach'; readonly client: number; readonly how: Reattach };

export type Reattach =
  /** The connection was lost before. */
  | 'after-loss'
  /** The old connection is still there. */
  | 'takeover'
  /** First with a wrong password, then with the right one. */
  | 'wrong-password'
  /** First as one who has seen a zxid that no server has reached yet. */
  | 'from-the-future';

export interface World {
  readonly clients: number;
  readonly steps: readonly Step[];
}

/**
 * What 3.8.0 does otherwise than 3.9 is kept apart rather than masked:
 * - `watched`: everybody may read everything, and there are one-shot watches
 * - `persistent`: the same with persistent watches alone, on a path always of one mode: before
 *   3.9.0 the last mode set on a path replaced the others (ZOOKEEPER-4466)
 * - `locked`: ACLs hide znodes, and no exists sets a watch: since 3.8.4 it needs READ. That events
 *   of hidden znodes are not sent is 3.8.4 too, but Debian's 3.8.0 has that fix (CVE-2024-23944)
 */
export type WorldKind = 'watched' | 'persistent' | 'locked';
export const WORLD_KINDS: readonly WorldKind[] = ['watched', 'persistent', 'locked'];
