import type { LocalSessions } from '../../../../src/server/quorum/peer/role.js';
import type { QuorumPeer } from '../../../../src/server/quorum/quorum-peer.js';
import type { Peer } from '../../server-peer.js';
import type { MemoryDisk } from './memory-disk.js';

export interface EnsembleOptions {
  /** The number of first members, with reconfigEnabled. Others may join. */
  readonly initial?: number;
  /** readonlymode.enabled */
  readonly isReadOnlyAllowed?: boolean;
  /** localSessionsEnabled */
  readonly localSessions?: LocalSessions;
  /** The number of committed txns kept in memory. Default: as in a real server. */
  readonly keptTxns?: number;
  /** leader.maxTimeToWaitForEpoch */
  readonly maxTimeToWaitForEpochMs?: number;
  readonly maxConcurrentSnapSyncs?: number;
  readonly maxConcurrentDiffSyncs?: number;
  readonly observerReconnectDelayMs?: number;
  readonly observerElectionDelayMs?: number;
  readonly observerMasterPort?: number;
  /** oraclePath: `MemoryDisk.oracle` has the answers. */
  readonly hasOracle?: boolean;
  /** keeperDialect, of all members. */
  readonly isKeeperDialect?: boolean;
  /** multiAddress.enabled */
  readonly isMultiAddress?: boolean;
  /** Bytes of txns that a learner gets from memory in one step. */
  readonly maxRestBytes?: number;
  readonly snapshotSizeFactor?: number;
  /** Bytes of log that may be sent. A negative value disables it. Default: unlimited. */
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

/** The lines server.N: participants first, each with its own address. */
export function linesOf(participants: number, observers: number): string[] {
  return Array.from({ length: participants + observers }, (_, i) => {
    const role = i < participants ? 'participant' : 'observer';
    return `server.${i + 1}=127.0.0.${i + 1}:${2000 + i}:${3000 + i}:${role};${4000 + i}`;
  });
}
