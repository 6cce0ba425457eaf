import type { ContainerManager } from '../pipeline/container-manager.js';
import type { Server } from '../server.js';
import type { ServerState } from '../state/server-state.js';
import type { ElectionOptions } from './election/fast-leader-election.js';
import type { MakePipeline } from './member-server.js';
import type { QuorumConfig } from './membership/quorum-config.js';
import type { CommittedLog } from './peer/committed-log.js';
import type { Data, QuorumLimits } from './peer/role.js';
import type { QuorumPeer } from './quorum-peer.js';

/** The parts of a member of an ensemble. */
export interface QuorumPeerParts {
  readonly sid: number;
  readonly config: QuorumConfig;
  /** A proposed configuration on the disk (zoo.cfg.dynamic.next). Default: none. */
  readonly nextConfig?: QuorumConfig | null;
  readonly limits: QuorumLimits;
  /** reconfigEnabled: the membership may change while serving. */
  readonly isReconfigEnabled: boolean;
  readonly election: Omit<ElectionOptions, 'sid'>;
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
  /** The data of snapshot and log. */
  readonly data: Data;
  readonly committedLog: CommittedLog;
  /** Txns since the last snapshot. */
  readonly replayed: number;
  /** Seeds the random trigger of snapshots. */
  readonly seed: number;
  /** Makes the server for clients; without a path it serves nobody. */
  makeServer(peer: QuorumPeer, data: Data, makePipeline: MakePipeline | null): Server;
  makeContainers(state: ServerState): ContainerManager;
}
