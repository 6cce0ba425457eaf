import { parseWhitelist, type Whitelist } from '../../../fourlw/base/whitelist.js';
import type { Config } from '../../config/config.js';
import { ConnectionThrottle } from '../../limits/connection-throttle.js';
import { connectionThrottleOf, limitOptionsOf } from '../../limits/limit-options.js';
import type { ServerStats } from '../../metrics/server-stats.js';
import { ContainerManager } from '../../pipeline/container-manager.js';
import { type LogLength, SnapshotTrigger } from '../../pipeline/snapshot-trigger.js';
import { Prep, type PrepOptions } from '../../prep/prep.js';
import { Server, type ServerParts } from '../../server.js';
import type { Auth } from '../../session/auth.js';
import { SessionTracker } from '../../session/session-tracker.js';
import { type ServerSettings, ServerState } from '../../state/server-state.js';
import type { DataTree } from '../../tree/data-tree.js';

export interface MakeServerParts extends Pick<ServerParts, 'makePipeline' | 'makeView'> {
  readonly config: Config;
  readonly auth: Auth;
  readonly passwordOf: NonNullable<ServerSettings['passwordOf']>;
  /** 0 for a standalone server. */
  readonly sid: number;
  /** 1 for a standalone server. */
  readonly ensembleSize: number;
  readonly tree: DataTree;
  readonly reconfigure: NonNullable<PrepOptions['reconfigure']>;
  readonly sessions: Iterable<{ readonly id: bigint; readonly timeoutMs: number }>;
  /** The counters of the server that this one replaces. */
  readonly stats?: ServerStats;
}

export function makeServer(parts: MakeServerParts): Server {
  const { config, auth, tree, makePipeline, makeView } = parts;
  const settings = {
    ...settingsOf(config, parts.sid, parts.ensembleSize),
    passwordOf: parts.passwordOf,
  };
  const nowMs = Math.floor(performance.now());
  const sessions = new SessionTracker(settings.tickTimeMs, nowMs);
  for (const { id, timeoutMs } of parts.sessions) sessions.add(id, timeoutMs, nowMs);
  const prep = new Prep(tree, auth, {
    isTTLEnabled: settings.isTTLEnabled,
    isKeeperDialect: settings.isKeeperDialect,
    isDigestEnabled: config.digestEnabled,
    isQuotaEnforced: config.enforceQuota,
    reconfigure: config.reconfigEnabled ? parts.reconfigure : null,
    maxTxnLength: config.juteMaxBuffer + config.juteMaxBufferExtraSize,
  });
  const throttled = connectionThrottleOf(config);
  const connectionThrottle = new ConnectionThrottle(throttled, nowMs, Math.random);
  const state = { settings, tree, sessions, auth, prep, connectionThrottle };
  return new Server({
    state: new ServerState({
      ...state,
      ...(parts.stats === undefined ? {} : { stats: parts.stats }),
    }),
    whitelist: whitelistOf(config),
    maxClientCnxns: config.maxClientCnxns,
    maxCnxns: config.maxCnxns,
    makePipeline,
    makeView,
  });
}

function settingsOf(
  config: Config,
  serverId: number,
  ensembleSize: number,
): Omit<ServerSettings, 'passwordOf'> {
  const { globalOutstandingLimit: limit } = config;
  return {
    serverId,
    tickTimeMs: config.tickTimeMs,
    minSessionTimeoutMs: config.minSessionTimeoutMs,
    maxSessionTimeoutMs: config.maxSessionTimeoutMs,
    maxFrameLength: config.juteMaxBuffer,
    // QuorumZooKeeperServer.getGlobalOutstandingLimit: the servers share the limit.
    globalOutstandingLimit: ensembleSize > 2 ? Math.floor(limit / (ensembleSize - 1)) : limit,
    isTTLEnabled: config.extendedTypesEnabled,
    isKeeperDialect: config.keeperDialect === 'on',
    sessionlessTimeoutMs: config.sessionlessCnxnTimeoutMs,
    maxWatches: config.maxWatchesPerConnection,
    limits: limitOptionsOf(config),
    reports: { slowRequestMs: config.slowRequestThresholdMs, isAudited: config.auditEnable },
  };
}

/** With more, a start could take longer than one of Apache's server, which reads a shorter log. */
const LOG_GROWTH = 0.5;

/** @param replayed counts toward the first snapshot */
export function makeSnapshots(config: Config, replayed: LogLength): SnapshotTrigger {
  const limits = {
    snapCount: config.snapCount,
    snapSize: Number(config.snapSizeLimitKb) * 1024,
    growth: config.hasSnapshotLimit ? 0 : LOG_GROWTH,
  };
  return new SnapshotTrigger(limits, Date.now(), replayed);
}

export function makeContainers(config: Config, tree: DataTree): ContainerManager {
  return new ContainerManager(
    tree,
    {
      checkIntervalMs: config.containerCheckIntervalMs,
      maxPerMinute: config.containerMaxPerMinute,
      maxNeverUsedMs: Number(config.containerMaxNeverUsedIntervalMs),
    },
    Math.floor(performance.now()),
  );
}

export function whitelistOf({ fourLetterWordWhitelist, readonlymodeEnabled }: Config): Whitelist {
  return parseWhitelist(fourLetterWordWhitelist, readonlymodeEnabled);
}
