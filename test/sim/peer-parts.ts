import { createHash } from 'node:crypto';
import { parseWhitelist } from '../../src/fourlw/whitelist.js';
import { ContainerManager } from '../../src/server/pipeline/container-manager.js';
import { Prep } from '../../src/server/pipeline/prep.js';
import { MemberView } from '../../src/server/quorum/member-view.js';
import type { QuorumPeer, QuorumPeerParts } from '../../src/server/quorum/quorum-peer.js';
import type { Data, QuorumLimits } from '../../src/server/quorum/role.js';
import { Server, type ServerParts } from '../../src/server/server.js';
import { type ServerSettings, ServerState } from '../../src/server/server-state.js';
import { Auth } from '../../src/server/session/auth.js';
import { SessionTracker } from '../../src/server/session/session-tracker.js';

export const TICK_MS = 200;
export const SYNC_LIMIT = 5;
export const INIT_LIMIT = 10;

const SETTINGS: Omit<ServerSettings, 'serverId'> = {
  tickTimeMs: TICK_MS,
  minSessionTimeoutMs: 2 * TICK_MS,
  maxSessionTimeoutMs: 20 * TICK_MS,
  maxFrameLength: 1 << 20,
  globalOutstandingLimit: 1000,
  // So few that snapshots are being written most of the time.
  snapCount: 40,
  snapSize: 0,
  isTTLEnabled: false,
  sessionlessTimeoutMs: 10 * TICK_MS,
};

export const LIMITS: QuorumLimits = {
  tickTimeMs: TICK_MS,
  initLimit: INIT_LIMIT,
  syncLimit: SYNC_LIMIT,
  connectToLearnerMasterLimit: INIT_LIMIT,
  leaderConnectDelayDuringRetryMs: 100,
  maxTxnLength: 1 << 21,
  leaderServes: true,
  maxConcurrentSnapSyncs: 10,
  standaloneEnabled: true,
  isReadOnlyAllowed: false,
};

/** What a member is made with that does not depend on its history. */
export function commonParts(): Pick<
  QuorumPeerParts,
  'limits' | 'election' | 'isReconfigEnabled' | 'makeServer' | 'makeContainers'
> {
  return {
    limits: LIMITS,
    election: { minIntervalMs: 200, maxIntervalMs: 3200, finalizeWaitMs: 200 },
    isReconfigEnabled: false,
    makeServer: (peer, data, makePath) => makeServer(peer, data, makePath),
    makeContainers: (state) =>
      new ContainerManager(
        state.tree,
        { checkIntervalMs: 60_000, maxPerMinute: 10_000, maxNeverUsedMs: 0 },
        state.monotonicMs,
      ),
  };
}

function makeServer(
  peer: QuorumPeer,
  { tree, sessions: known }: Data,
  makePath: ServerParts['makePath'],
): Server {
  const auth = new Auth({ hash: (text) => createHash('sha1').update(text).digest('base64') });
  const prep = new Prep(tree, auth, {
    isDigestEnabled: true,
    isQuotaEnforced: false,
    isTTLEnabled: false,
    reconfigure: null,
  });
  const sessions = new SessionTracker(TICK_MS, peer.nowMs);
  for (const { id, timeoutMs } of known) sessions.add(id, timeoutMs, peer.nowMs);
  const settings = { ...SETTINGS, serverId: peer.sid };
  return new Server({
    state: new ServerState({ settings, tree, sessions, auth, prep }),
    whitelist: parseWhitelist('*', false),
    maxClientCnxns: 0,
    maxCnxns: 0,
    makePath,
    makeView: (server) => new MemberView(peer, server, HOST, () => FACTS, '3.9.0'),
  });
}

const HOST = {
  environment: () => [],
  dirs: () => ({ dataDirSize: 0, logDirSize: 0 }),
  openFileCount: () => 0,
  maxFileCount: () => 0,
  uptimeMs: () => 0,
};

const FACTS = {
  clientPort: 2181,
  secureClientPort: -1,
  outstandingTlsHandshakes: 0,
  dataDir: '',
  dataLogDir: '',
  maxClientCnxns: 0,
  clientPortListenBacklog: -1,
};
