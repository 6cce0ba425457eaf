import { SERVER_VERSION } from '../../../base/version.js';
import type { ConfigFacts } from '../../admin/host-view.js';
import type { Config } from '../../config/config.js';
import type { ClientPlace, QuorumServerConfig } from '../../config/config-ensemble.js';
import type { Event } from '../../events.js';
import { ServerStats } from '../../metrics/server-stats.js';
import { MemberView } from '../../quorum/member-view.js';
import { formatClientPlace } from '../../quorum/membership/quorum-config.js';
import type { QuorumLimits } from '../../quorum/peer/role.js';
import { QuorumPeer } from '../../quorum/quorum-peer.js';
import type { PeerPorts } from '../driver/perform.js';
import type { ClientPorts } from '../ports/client-ports.js';
import { ElectionPort } from '../ports/election-port.js';
import { QuorumPort } from '../ports/quorum-port.js';
import { openEpochs } from '../storage/epoch-files.js';
import { makeCommittedLog, type OpenedStorage } from '../storage/open-storage.js';
import { OracleFile } from '../storage/oracle-file.js';
import { makeTransport } from '../tls/quorum-tls.js';
import { ConfigKeeper } from './config-file.js';
import { hostViewOf } from './host.js';
import { makeAuth } from './make-auth.js';
import { makeContainers, makeServer, makeSnapshots } from './make-server.js';
import { makeQuorumAuth } from './quorum-logins.js';
import type { MemberIdentity } from './read-membership.js';
import { makeSessionPasswords } from './session-passwords.js';

/** Time that a vote must be stable (FastLeaderElection.finalizeWait). */
const FINALIZE_WAIT_MS = 200;

/** @throws ServerError EDATA when the epochs on the disk contradict its data */
export async function makeMember(
  config: Config,
  { sid, quorumConfig, nextConfig }: MemberIdentity,
  { storage, database, replayed, committedLog }: OpenedStorage,
  facts: () => ConfigFacts,
): Promise<QuorumPeer> {
  if (storage === null)
    throw new TypeError('dataDir: missing: a member of an ensemble needs a data directory');
  const { tree, sessions } = database;
  const auth = makeAuth(config);
  const passwordOf = makeSessionPasswords(config);
  const host = hostViewOf(storage, config.adminRateLimiterIntervalMs);
  return new QuorumPeer({
    sid,
    config: quorumConfig,
    nextConfig,
    limits: limitsOf(config),
    isReconfigEnabled: config.reconfigEnabled,
    hasOracle: config.oraclePath !== null,
    election: {
      minIntervalMs: config.fastleaderMinNotificationIntervalMs,
      maxIntervalMs: config.fastleaderMaxNotificationIntervalMs,
      finalizeWaitMs: FINALIZE_WAIT_MS,
    },
    ...(await openEpochs(storage.dir.fs, storage.dir.snapFolder, tree.lastProcessedZxid)),
    data: { tree, sessions: [...sessions.values()] },
    committedLog: committedLog ?? makeCommittedLog(config),
    snapshots: makeSnapshots(config, replayed),
    seed: Date.now(),
    makeServer: (peer, data, makePipeline) =>
      makeServer({
        config,
        auth,
        passwordOf,
        sid,
        ensembleSize: peer.membership.config.members.size,
        ...data,
        stats: new ServerStats(peer.metrics),
        reconfigure: (request, zxid) => peer.reconfigure(request, zxid),
        makePipeline,
        makeView: (server) => new MemberView(peer, server, host, facts, SERVER_VERSION),
      }),
    makeContainers: (state) => makeContainers(config, state.tree),
  });
}

function limitsOf(config: Config): QuorumLimits {
  return {
    tickTimeMs: config.tickTimeMs,
    initLimit: config.initLimit,
    syncLimit: config.syncLimit,
    connectToLearnerMasterLimit: config.connectToLearnerMasterLimit,
    maxTimeToWaitForEpochMs: config.leaderMaxTimeToWaitForEpochMs,
    leaderConnectDelayDuringRetryMs: config.leaderConnectDelayDuringRetryMs,
    maxTxnLength: config.juteMaxBuffer + config.juteMaxBufferExtraSize,
    leaderServes: config.leaderServes,
    maxConcurrentSnapSyncs: config.leaderMaxConcurrentSnapSyncs,
    maxConcurrentDiffSyncs: config.leaderMaxConcurrentDiffSyncs,
    observerReconnectDelayMs: config.observerReconnectDelayMs,
    observerElectionDelayMs: config.observerElectionDelayMs,
    observerMasterPort: config.observerMasterPort,
    snapshotSizeFactor: config.snapshotSizeFactor,
    isReadOnlyAllowed: config.readonlymodeEnabled,
    standaloneEnabled: config.standaloneEnabled,
    isMultiAddress: config.multiAddressEnabled,
    localSessions: config.localSessionsEnabled
      ? { isUpgradeAllowed: config.localSessionsUpgradingEnabled }
      : null,
  };
}

export interface PeerPortsOptions {
  readonly configFile: string | undefined;
  readonly clients: Pick<ClientPorts, 'move'>;
  readonly step: (event: Event) => void;
  readonly onWarning: (message: string) => void;
}

/** @throws ServerError ECONFIG when ssl.quorum.* or quorum.auth.* name unusable files */
export function makePeerPorts(
  config: Config,
  { sid, own, quorumConfig }: MemberIdentity,
  { configFile, clients, step, onWarning }: PeerPortsOptions,
): PeerPorts {
  const shared = {
    sid,
    isEverywhere: config.quorumListenOnAllIPs,
    bindTries: config.electionPortBindRetry,
    auth: makeQuorumAuth(config),
    step,
    onWarning,
  };
  const election = new ElectionPort({
    ...shared,
    transport: makeTransport(config, step, onWarning),
    connectTimeoutMs: config.cnxTimeoutMs,
    greetingTimeoutMs: greetingTimeoutOf(config),
    isMultiAddress: config.multiAddressEnabled,
    isKeptAlive: config.tcpKeepAlive,
  });
  const greetingTimeoutMs = config.initLimit * config.tickTimeMs;
  const quorum = new QuorumPort({
    ...shared,
    greetingTimeoutMs,
    observerPort: config.observerMasterPort,
    transport: makeTransport(config, step, () => undefined),
  });
  const keeper =
    configFile === undefined ? null : new ConfigKeeper({ file: configFile, sid, onWarning });
  const oracle = config.oraclePath === null ? null : new OracleFile(config.oraclePath, onWarning);
  const followLine = makeLineFollower(own, clients);
  return {
    election,
    quorum,
    askOracle: oracle === null ? undefined : (answer) => oracle.ask(answer),
    listen: async () => {
      const members = [...quorumConfig.members.values()];
      await quorum.listen(members);
      await election.listen(members);
    },
    setMembers: (members, proposed) => {
      election.setMembers(members, proposed);
      quorum.setMembers(members);
      followLine(members);
    },
    writeConfig: (text, isSettled) => keeper?.keep(text, isSettled),
    writeNextConfig: async (text) => keeper?.keepNext(text),
    close: async () => {
      election.close();
      quorum.close();
      await keeper?.close();
    },
  };
}

/** Moves the ports for clients when the line of this server names others. */
function makeLineFollower(
  own: QuorumServerConfig,
  clients: Pick<ClientPorts, 'move'>,
): (members: readonly QuorumServerConfig[]) => void {
  let present = own;
  return (members) => {
    const next = members.find(({ sid }) => sid === own.sid);
    if (next === undefined) return;
    clients.move({
      client: changeOf(present.client, next.client),
      secureClient: changeOf(present.secureClient, next.secureClient),
    });
    present = next;
  };
}

/** The new place, null if the port closes, or undefined if nothing changes. */
function changeOf(before: ClientPlace | null, after: ClientPlace | null) {
  // A port that the line never named is in zoo.cfg, and stays.
  if (after === null) return before === null ? undefined : null;
  // Every reconfig states an address, also for a line that had none.
  const isSame = before !== null && formatClientPlace(before) === formatClientPlace(after);
  return isSame ? undefined : after;
}

function greetingTimeoutOf({ quorumCnxnTimeoutMs, syncLimit, tickTimeMs }: Config): number {
  return quorumCnxnTimeoutMs > 0 ? quorumCnxnTimeoutMs : syncLimit * tickTimeMs;
}
