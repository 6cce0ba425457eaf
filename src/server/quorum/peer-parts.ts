import type { ContainerManager } from '../pipeline/container-manager.js';
import type { Server } from '../server.js';
import type { ServerState } from '../state/server-state.js';
import type { ElectionOptions } from './election/fast-leader-election.js';
import type { MakePipeline } from './member-server.js';
import type { QuorumConfig } from './membership/quorum-config.js';
import type { CommittedLog } from './peer/committed-log.js';
import type { Data, QuorumLimits } from './peer/role.js';
import type { QuorumPeer } from './quorum-peer.js';

export interface QuorumPeerParts {
  readonly sid: number;
  readonly config: QuorumConfig;
  /** A proposed configuration on the disk (zoo.cfg.dynamic.next). */
  readonly nextConfig?: QuorumConfig | null;
  readonly limits: QuorumLimits;
  /** reconfigEnabled: the membership may change while serving. */
  readonly isReconfigEnabled: boolean;
  readonly election: Omit<ElectionOptions, 'sid'>;
  /** oraclePath is set: one of two voters may go on alone. Default: false. */
  readonly hasOracle?: boolean;
  readonly acceptedEpoch: number;
  readonly currentEpoch: number;
  readonly data: Data;
  readonly committedLog: CommittedLog;
  /** Txns since the last snapshot. */
  readonly replayed: number;
  readonly seed: number;
  /** Without a pipeline, the server serves nobody. */
  makeServer(peer: QuorumPeer, data: Data, makePipeline: MakePipeline | null): Server;
  makeContainers(state: ServerState): ContainerManager;
}
