import type { LoadFigures } from '../../fourlw/base/load-view.js';
import type { ConnectionView, ServerView } from '../../fourlw/base/server-view.js';
import { hex64 } from '../../protocol/zxid.js';
import type { SlowRequestView } from './admin-view.js';
import { type AdminCommand, failure, fields } from './command.js';
import { type Json, type JsonObject, LongList } from './json.js';

const connections: AdminCommand = {
  name: 'connections',
  aliases: ['cons'],
  method: 'GET',
  run: ({ server }) => fields(byTls(server, fullConnection)),
};

const connectionStatReset: AdminCommand = {
  name: 'connection_stat_reset',
  aliases: ['crst'],
  method: 'GET',
  isChange: true,
  run: ({ server }) => {
    server.resetConnectionStats();
    return fields({});
  },
};

/** POST `{"percentage": 1 to 100}`: makes clients of an overloaded server connect elsewhere. */
const shedConnections: AdminCommand = {
  name: 'shed_connections',
  aliases: ['shed'],
  method: 'POST',
  isGuarded: true,
  isChange: true,
  run: (admin, { body }) => {
    const percentage = numberIn(body, 'percentage', 100);
    if (percentage === undefined) {
      return failure('expected a body like {"percentage": 50}, from 0 to 100', 400);
    }
    const shed = admin.shedConnections(percentage);
    return fields({ connections_shed: shed, percentage_requested: percentage });
  },
};

/** POST `{"to": sid}`, at the leader: a voter in sync leads at once. Not a command of Apache's. */
const moveLeader: AdminCommand = {
  name: 'move_leader',
  aliases: [],
  method: 'POST',
  isGuarded: true,
  isChange: true,
  run: (admin, { body }) => {
    const to = numberIn(body, 'to', Number.MAX_SAFE_INTEGER);
    if (to === undefined) return failure('expected a body like {"to": 2}, the id of a server', 400);
    const problem = admin.moveLeader(to);
    return problem === '' ? fields({ to }) : failure(problem, 409);
  },
};

/** Not a command of Apache's. It also answers after the loss of a quorum that made them slow. */
const slowRequests: AdminCommand = {
  name: 'slow_requests',
  aliases: ['slow'],
  method: 'GET',
  isAlwaysAnswered: true,
  run: (admin) => fields({ slow_requests: admin.slowRequests().map(slowRequest) }),
};

/** Not a command of Apache's. */
const load: AdminCommand = {
  name: 'load',
  aliases: [],
  method: 'GET',
  run: ({ server }) => {
    const { seconds, total, rows } = server.load();
    return fields({
      seconds,
      total: figuresOf(total),
      rows: rows.map(({ by, name, ...figures }) => ({ by, name, ...figuresOf(figures) })),
    });
  },
};

function figuresOf({ requestsPerSecond, bytesPerSecond, watches }: LoadFigures): JsonObject {
  return { requests_per_second: requestsPerSecond, bytes_per_second: bytesPerSecond, watches };
}

export const CONNECTION_COMMANDS: readonly AdminCommand[] = [
  connections,
  connectionStatReset,
  load,
  moveLeader,
  shedConnections,
  slowRequests,
];

function slowRequest({ time, sessionId, operation, path, ms }: SlowRequestView): JsonObject {
  return { time, operation, path, session_id: `0x${hex64(sessionId)}`, ms };
}

/** The fields of `stats`. */
export function briefConnections(server: ServerView) {
  return byTls(server, briefConnection);
}

function byTls(
  server: ServerView,
  shown: (connection: ConnectionView) => JsonObject,
): { readonly [key: string]: LongList } {
  return {
    connections: new LongList(connectionsOf(server, false, shown)),
    secure_connections: new LongList(connectionsOf(server, true, shown)),
  };
}

function* connectionsOf(
  server: ServerView,
  isSecure: boolean,
  shown: (connection: ConnectionView) => JsonObject,
): Generator<JsonObject> {
  for (const connection of server.connections()) {
    if ((connection.isOverTls ?? false) === isSecure) yield shown(connection);
  }
}

function briefConnection(connection: ConnectionView): { readonly [key: string]: Json } {
  return {
    remote_socket_address: connection.remote,
    interest_ops: connection.interestOps,
    outstanding_requests: connection.outstanding,
    packets_received: connection.packetsReceived,
    packets_sent: connection.packetsSent,
  };
}

function fullConnection(connection: ConnectionView): JsonObject {
  return {
    ...briefConnection(connection),
    session_id: BigInt.asIntN(64, connection.sessionId),
    last_operation: connection.lastOperation,
    established: connection.establishedMs,
    session_timeout: connection.sessionTimeoutMs,
    last_cxid: connection.lastCxid,
    last_zxid: BigInt.asIntN(64, connection.lastZxid),
    last_response_time: connection.lastResponseMs,
    last_latency: connection.lastLatencyMs,
    min_latency: connection.minLatencyMs,
    avg_latency: Math.trunc(connection.avgLatencyMs),
    max_latency: connection.maxLatencyMs,
  };
}

/** The whole number of that name in a body of JSON, from 0 to a limit. */
function numberIn(body: string, name: string, most: number): number | undefined {
  try {
    const value = (JSON.parse(body) as Readonly<Record<string, unknown>>)[name];
    const isValid =
      typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
    return isValid ? value : undefined;
  } catch {
    return undefined;
  }
}
