import { DIGEST_VERSION } from '../../files/digest.js';
import type { ServerView, SizesView } from '../../fourlw/base/server-view.js';
import { mntr } from '../../fourlw/mntr.js';
import { hex64 } from '../../protocol/zxid.js';
import type { AdminView } from './admin-view.js';
import { type AdminCommand, failure, fields } from './command.js';
import { briefConnections } from './connection-commands.js';
import { type Json, type JsonObject, NumberText } from './json.js';

const configuration: AdminCommand = {
  name: 'configuration',
  aliases: ['conf', 'config'],
  method: 'GET',
  run: ({ server: { config } }) =>
    fields({
      client_port: config.clientPort,
      data_dir: config.dataDir,
      data_log_dir: config.dataLogDir,
      tick_time: config.tickTime,
      max_client_cnxns: config.maxClientCnxns,
      min_session_timeout: config.minSessionTimeout,
      max_session_timeout: config.maxSessionTimeout,
      server_id: BigInt.asIntN(64, config.serverId),
      client_port_listen_backlog: config.clientPortListenBacklog,
    }),
};

const statReset: AdminCommand = {
  name: 'stat_reset',
  aliases: ['srst'],
  method: 'GET',
  isChange: true,
  run: ({ server }) => {
    server.resetServerStats();
    return fields({});
  },
};

const serverStats: AdminCommand = {
  name: 'server_stats',
  aliases: ['srvr'],
  method: 'GET',
  run: (admin) => fields(statsOf(admin)),
};

const stats: AdminCommand = {
  name: 'stats',
  aliases: ['stat'],
  method: 'GET',
  run: (admin) =>
    fields({
      ...statsOf(admin),
      ...briefConnections(admin.server),
    }),
};

/** Answered even while the server does not serve: Apache's fails there with status 500. */
const monitor: AdminCommand = {
  name: 'monitor',
  aliases: ['mntr'],
  method: 'GET',
  run: ({ server }) => {
    const values = new Map<string, Json>();
    for (const line of mntr.render(server).trimEnd().split('\n')) {
      const [key = '', value = ''] = line.split('\t');
      const isNumber = /^-?\d+(\.\d+)?(E-?\d+)?$/.test(value);
      values.set(key.replace(/^zk_/, ''), isNumber ? new NumberText(value) : value);
    }
    return fields(values);
  },
};

const dirs: AdminCommand = {
  name: 'dirs',
  aliases: [],
  method: 'GET',
  run: ({ server }) => {
    const { dataDirSize, logDirSize } = server.dirs();
    return fields({ datadir_size: dataDirSize, logdir_size: logDirSize });
  },
};

const hash: AdminCommand = {
  name: 'hash',
  aliases: [],
  method: 'GET',
  run: ({ server }) =>
    fields({
      digests: server.digests().map(({ zxid, digest }) => ({
        zxid: BigInt.asIntN(64, zxid),
        digest: BigInt.asIntN(64, digest),
        digest_version: DIGEST_VERSION,
      })),
    }),
};

const lastSnapshot: AdminCommand = {
  name: 'last_snapshot',
  aliases: ['lsnp'],
  method: 'GET',
  run: (admin) => {
    const { zxid, timestampMs } = admin.lastSnapshot() ?? { zxid: -1n, timestampMs: -1000 };
    return fields({ zxid: hex64(zxid), timestamp: Math.floor(timestampMs / 1000) });
  },
};

const isReadOnly: AdminCommand = {
  name: 'is_read_only',
  aliases: ['isro'],
  method: 'GET',
  run: ({ server }) => fields({ read_only: server.isReadOnly }),
};

const ruok: AdminCommand = {
  name: 'ruok',
  aliases: [],
  method: 'GET',
  run: () => fields({}),
};

const getTraceMask: AdminCommand = {
  name: 'get_trace_mask',
  aliases: ['gtmk'],
  method: 'GET',
  isAlwaysAnswered: true,
  run: ({ server }) => fields({ tracemask: server.traceMask }),
};

const setTraceMask: AdminCommand = {
  name: 'set_trace_mask',
  aliases: ['stmk'],
  method: 'GET',
  isAlwaysAnswered: true,
  isChange: true,
  run: ({ server }, { query }) => {
    const text = query.get('traceMask') ?? '';
    const mask = /^[+-]?\d+$/.test(text) ? BigInt(text) : undefined;
    if (mask === undefined || BigInt.asIntN(64, mask) !== mask) {
      const given = query.has('traceMask') ? `, got ${text}` : '';
      return failure(`setTraceMask requires long traceMask argument${given}`);
    }
    server.setTraceMask(mask);
    return fields({ tracemask: mask });
  },
};

const environment: AdminCommand = {
  name: 'environment',
  aliases: ['env', 'envi'],
  method: 'GET',
  isAlwaysAnswered: true,
  run: ({ server }) =>
    fields(new Map([['zookeeper.version', server.version], ...server.environment()])),
};

const systemProperties: AdminCommand = {
  name: 'system_properties',
  aliases: ['sysp'],
  method: 'GET',
  isAlwaysAnswered: true,
  run: (admin) =>
    fields(new Map([...admin.systemProperties()].sort(([a], [b]) => (a < b ? -1 : 1)))),
};

const initialConfiguration: AdminCommand = {
  name: 'initial_configuration',
  aliases: ['icfg'],
  method: 'GET',
  isAlwaysAnswered: true,
  run: (admin) => fields({ initial_configuration: admin.initialConfiguration() }),
};

export const STATE_COMMANDS: readonly AdminCommand[] = [
  configuration,
  statReset,
  serverStats,
  stats,
  monitor,
  dirs,
  hash,
  lastSnapshot,
  isReadOnly,
  ruok,
  getTraceMask,
  setTraceMask,
  environment,
  systemProperties,
  initialConfiguration,
];

function statsOf(admin: AdminView): { readonly [key: string]: Json } {
  const { server } = admin;
  return {
    version: server.version,
    read_only: server.isReadOnly,
    server_stats: serverStatsOf(admin),
    client_response: sizes(server.clientResponseSizes),
    ...(server.leader === undefined ? {} : { proposal_stats: sizes(server.leader.proposalSizes) }),
    node_count: server.nodeCount,
  };
}

function serverStatsOf({ server, slowSyncCount }: AdminView): JsonObject {
  const { dataDirSize, logDirSize } = server.dirs();
  return {
    packets_sent: server.packetsSent,
    packets_received: server.packetsReceived,
    fsync_threshold_exceed_count: slowSyncCount,
    client_response_stats: sizes(server.clientResponseSizes),
    data_dir_size: dataDirSize,
    log_dir_size: logDirSize,
    provider_null: false,
    server_state: server.mode,
    last_processed_zxid: BigInt.asIntN(64, server.lastProcessedZxid),
    outstanding_requests: server.outstandingRequests,
    avg_latency: meanLatency(server),
    max_latency: server.latency.maxMs,
    min_latency: server.latency.minMs,
    num_alive_client_connections: server.connectionCount,
    uptime: server.uptimeMs,
    auth_failed_count: server.authFailedCount,
    non_mtlsremote_conn_count: server.nonMtlsRemoteConnectionCount,
    non_mtlslocal_conn_count: server.nonMtlsLocalConnectionCount,
  };
}

function meanLatency({ latency }: ServerView): NumberText {
  return NumberText.double(Number(latency.avgMs.toFixed(4)));
}

function sizes({ last, min, max }: SizesView): JsonObject {
  return { last_buffer_size: last, min_buffer_size: min, max_buffer_size: max };
}
