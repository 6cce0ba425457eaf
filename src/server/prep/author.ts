import type { Id } from '../../protocol/data.js';

export interface Author {
  readonly sessionId: bigint;
  readonly ids: readonly Id[];
  /** No server would ever delete the ephemerals of a local session. */
  readonly isLocal: boolean;
}
