import type { LocalSessions } from '../../../src/server/quorum/peer/role.js';
import type { QuorumPeer } from '../../../src/server/quorum/quorum-peer.js';
import type { Peer } from '../server-peer.js';
import type { MemoryDisk } from './memory-disk.js';

export interface EnsembleOptions {
  /** With reconfigEnabled: only so many belong to it from the start, the others may join. */
  readonly initial?: number;
  /** readonlymode.enabled */
  readonly isReadOnlyAllowed?: boolean;
  /** localSessionsEnabled */
  readonly localSessions?: LocalSessions;
  /** So many committed txns are kept in memory. Default: as in a real server. */
  readonly keptTxns?: number;
  /** leader.maxTimeToWaitForEpoch */
  readonly maxTimeToWaitForEpochMs?: number;
  readonly maxConcurrentSnapSyncs?: number;
  readonly maxConcurrentDiffSyncs?: number;
  readonly observerReconnectDelayMs?: number;
  readonly observerElectionDelayMs?: number;
  readonly observerMasterPort?: number;
  /** Bytes of log that may be sent; negative is none. Default: any number. */
  readonly maxLogBytes?: number;
}

export interface Member {
  readonly sid: number;
  peer: QuorumPeer;
  readonly disk: MemoryDisk;
  readonly clients: Map<number, Peer>;
  isUp: boolean;
  /** The disk does nothing while it is held. */
  isDiskHeld: boolean;
  readonly notes: string[];
}
