import type { Id } from '../../protocol/data.js';

/** The sender of a request. */
export interface Author {
  /** The owner of created ephemerals. */
  readonly sessionId: bigint;
  /** The ids that ACLs are checked against. */
  readonly ids: readonly Id[];
  /** A local session: no server would ever delete its ephemerals. */
  readonly isLocal: boolean;
}
