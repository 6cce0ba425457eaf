import type { Id } from '../../protocol/data.js';

/** Whose request it is. */
export interface Author {
  /** It will own ephemerals. */
  readonly sessionId: bigint;
  /** ACLs are held against them. */
  readonly ids: readonly Id[];
  /** Its session lives on one server alone, so that nobody would ever delete its ephemerals. */
  readonly isLocal: boolean;
}
