import { createHash } from 'node:crypto';
import { parseWhitelist } from '../../../src/fourlw/base/whitelist.js';
import { ServerStats } from '../../../src/server/metrics/server-stats.js';
import { ContainerManager } from '../../../src/server/pipeline/container-manager.js';
import { Prep } from '../../../src/server/prep/prep.js';
import { MemberView } from '../../../src/server/quorum/member-view.js';
import type { Peer, PeerParts } from '../../../src/server/quorum/peer/peer.js';
import type { Data, QuorumLimits } from '../../../src/server/quorum/peer/role.js';
import { Server, type ServerParts } from '../../../src/server/server.js';
import { Auth } from '../../../src/server/session/auth.js';
import { SessionTracker } from '../../../src/server/session/session-tracker.js';
import { type ServerSettings, ServerState } from '../../../src/server/state/server-state.js';
import { FACTS, HOST } from '../../server/still-host.js';

export const TICK_MS = 200;
export const SYNC_LIMIT = 5;
export const INIT_LIMIT = 10;
/** observerMasterPort, if there are observer masters. */
export const OBSERVER_PORT = 2900;

export const LIMITS: QuorumLimits = {
  tickTimeMs: TICK_MS,
  initLimit: INIT_LIMIT,
  syncLimit: SYNC_LIMIT,
  connectToLearnerMasterLimit: INIT_LIMIT,
  leaderConnectDelayDuringRetryMs: 100,
  maxTxnLength: 1 << 21,
  leaderServes: true,
  maxConcurrentSnapSyncs: 10,
  maxConcurrentDiffSyncs: 100,
  observerReconnectDelayMs: 0,
  observerElectionDelayMs: 0,
  snapshotSizeFactor: 0,
  maxTimeToWaitForEpochMs: -1,
  standaloneEnabled: true,
  isReadOnlyAllowed: false,
};

export interface CommonOptions {
  readonly limits?: QuorumLimits;
  readonly isReconfigEnabled?: boolean;
  readonly oracle?: object | null;
  /** Default: true. */
  readonly isDigestEnabled?: boolean;
  /** keeperDialect. Default: false. */
  readonly isKeeperDialect?: boolean;
}

/** The options of a member that do not depend on its history. */
export function commonParts(
  options: CommonOptions = {},
): Pick<
  PeerParts,
  'limits' | 'election' | 'isReconfigEnabled' | 'hasOracle' | 'makeServer' | 'makeContainers'
> {
  return {
    limits: options.limits ?? LIMITS,
    election: { minIntervalMs: 200, maxIntervalMs: 3200, finalizeWaitMs: 200 },
    isReconfigEnabled: options.isReconfigEnabled ?? false,
    hasOracle: options.oracle != null,
    makeServer: (peer, data, makePipeline) => makeServer(peer, data, makePipeline, options),
    makeContainers: (state) =>
      new ContainerManager(
        state.tree,
        { checkIntervalMs: 400, maxPerMinute: 10_000, maxNeverUsedMs: 0 },
        state.monotonicMs,
      ),
  };
}

function makeServer(
  peer: Peer,
  { tree, sessions: known }: Data,
  makePipeline: ServerParts['makePipeline'],
  { isDigestEnabled = true, isKeeperDialect = false }: CommonOptions,
): Server {
  const hash = (text: string) => createHash('sha1').update(text).digest('base64');
  // No client is super, and /zookeeper/config requires it.
  const auth = new Auth({ hash, isAclSkipped: peer.isReconfigEnabled });
  const prep = new Prep(tree, auth, {
    isDigestEnabled,
    isQuotaEnforced: true,
    isTTLEnabled: true,
    isKeeperDialect,
    reconfigure: peer.isReconfigEnabled ? (...asked) => peer.reconfigure(...asked) : null,
  });
  const { tickTimeMs } = peer.limits;
  const sessions = new SessionTracker(tickTimeMs, peer.nowMs);
  for (const { id, timeoutMs } of known) sessions.add(id, timeoutMs, peer.nowMs);
  const settings = { ...settingsOf(peer.sid, tickTimeMs), isKeeperDialect };
  return new Server({
    state: new ServerState({
      settings,
      tree,
      sessions,
      auth,
      prep,
      stats: new ServerStats(peer.metrics),
    }),
    whitelist: parseWhitelist('*', false),
    maxClientCnxns: 0,
    maxCnxns: 0,
    makePipeline,
    makeView: (server) => new MemberView(peer, server, HOST, () => FACTS, '3.9.0'),
  });
}

function settingsOf(serverId: number, tickTimeMs: number): ServerSettings {
  return {
    serverId,
    tickTimeMs,
    minSessionTimeoutMs: 2 * tickTimeMs,
    maxSessionTimeoutMs: 20 * tickTimeMs,
    maxFrameLength: 1 << 20,
    globalOutstandingLimit: 1000,
    isTTLEnabled: true,
    sessionlessTimeoutMs: 10 * tickTimeMs,
  };
}
