import type { LocalSessions } from '../../../src/server/quorum/role.js';

export interface EnsembleOptions {
  /** With reconfigEnabled: only so many belong to it from the start, the others may join. */
  readonly initial?: number;
  /** readonlymode.enabled */
  readonly isReadOnlyAllowed?: boolean;
  /** localSessionsEnabled */
  readonly localSessions?: LocalSessions;
  /** So many committed txns are kept in memory. Default: as in a real server. */
  readonly keptTxns?: number;
  /** Bytes of log that may be sent; negative is none. Default: any number. */
  readonly maxLogBytes?: number;
}
