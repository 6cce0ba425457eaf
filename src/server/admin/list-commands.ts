import type { SessionsView } from '../../fourlw/base/server-view.js';
import { hex64 } from '../../protocol/zxid.js';
import type { AddressView } from './admin-view.js';
import { type AdminCommand, failure, fields } from './command.js';
import { type Json, type JsonObject, LongList, LongMap } from './json.js';

const watchSummary: AdminCommand = {
  name: 'watch_summary',
  aliases: ['wchs'],
  method: 'GET',
  run: ({ server }) => {
    const { connections, paths, watches } = server.watchSummary();
    return fields({ num_connections: connections, num_paths: paths, num_total_watches: watches });
  },
};

const watches: AdminCommand = {
  name: 'watches',
  aliases: ['wchc'],
  method: 'GET',
  run: ({ server }) =>
    fields({
      session_id_to_watched_paths: pathsBySession(server.watchesBySession()),
    }),
};

const watchesByPath: AdminCommand = {
  name: 'watches_by_path',
  aliases: ['wchp'],
  method: 'GET',
  run: ({ server }) =>
    fields({
      path_to_session_ids: new LongMap(
        mapped(server.watchesByPath(), ({ path, sessionIds }) => [path, idList(sessionIds)]),
      ),
    }),
};

/** By expiry time; empty on a learner, even for its own sessions. */
function expiryOf(sessions: SessionsView): LongMap {
  const expiry = new Map<string, Iterable<bigint>[]>();
  const { localBuckets = [] } = sessions;
  const buckets = sessions.kind === 'learner' ? [] : [...localBuckets, ...sessions.buckets];
  for (const { expiresAtMs, sessionIds } of buckets) {
    const key = String(expiresAtMs);
    expiry.set(key, [...(expiry.get(key) ?? []), sessionIds]);
  }
  return new LongMap(mapped(expiry, ([key, lists]) => [key, idList(...lists)]));
}

function pathsBySession(
  sessions: Iterable<{ readonly sessionId: bigint; readonly paths: Iterable<string> }>,
): LongMap {
  return new LongMap(
    mapped(sessions, ({ sessionId, paths }) => [String(signedId(sessionId)), new LongList(paths)]),
  );
}

function idList(...lists: readonly Iterable<bigint>[]): LongList {
  return new LongList(
    (function* () {
      for (const ids of lists) for (const id of ids) yield signedId(id);
    })(),
  );
}

function* mapped<S, T>(source: Iterable<S>, shown: (item: S) => T): Generator<T> {
  for (const item of source) yield shown(item);
}

/** The keys are milliseconds since 1970; Apache's are those of an internal clock. */
const dump: AdminCommand = {
  name: 'dump',
  aliases: [],
  method: 'GET',
  run: ({ server }) => {
    return fields({
      expiry_time_to_session_ids: expiryOf(server.sessions()),
      session_id_to_ephemeral_paths: pathsBySession(server.ephemerals()),
    });
  },
};

const leader: AdminCommand = {
  name: 'leader',
  aliases: ['lead'],
  method: 'GET',
  run: ({ quorum }) => {
    if (quorum?.leader === undefined) return failure('server is not initialized');
    return fields({
      is_leader: quorum.isLeader,
      leader_id: quorum.leader.sid,
      leader_ip: quorum.leader.ip,
    });
  },
};

const zabstate: AdminCommand = {
  name: 'zabstate',
  aliases: [],
  method: 'GET',
  isAlwaysAnswered: true,
  run: ({ quorum, server }) => {
    if (quorum === undefined) return fields({ voting: false, zabstate: '' });
    const self = quorum.members.find(({ sid }) => sid === quorum.myId);
    const zxid = server.isServing ? server.lastProcessedZxid : 0n;
    return fields({
      myid: quorum.myId,
      is_leader: quorum.isLeader,
      quorum_address: beanOf(self?.serverAddresses ?? []),
      election_address: beanOf(self?.electionAddresses ?? []),
      client_address: self?.clientAddress ?? '',
      voting: quorum.isVoter,
      last_zxid: `0x${hex64(zxid)}`,
      zab_epoch: BigInt.asUintN(64, zxid) >> 32n,
      zab_counter: BigInt.asUintN(32, zxid),
      zabstate: quorum.zabState,
    });
  },
};

/**
 * The getters of Apache's MultipleAddresses, as Jackson prints them. The addresses are those of
 * this server, so all are reachable.
 */
function beanOf(addresses: readonly AddressView[]): JsonObject {
  const all = addresses.map(formatAddress);
  return {
    empty: all.length === 0,
    all_ports: addresses.map(({ port }) => port),
    all_addresses: all,
    wildcard_addresses: addresses.map(({ port }) => `0.0.0.0:${port}`),
    all_host_strings: addresses.map(({ host }) => host),
    reachable_or_one: all[0] ?? null,
    one: all[0] ?? null,
    all_reachable_addresses: all,
    reachable_address: all[0] ?? null,
    all_reachable_addresses_or_all: all,
  };
}

function formatAddress({ host, port }: AddressView): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const votingView: AdminCommand = {
  name: 'voting_view',
  aliases: [],
  method: 'GET',
  run: ({ quorum }) =>
    fields({
      current_config: new Map<string, Json>(
        (quorum?.members ?? [])
          .filter(({ learnerType }) => learnerType === 'participant')
          .map((member) => [
            String(member.sid),
            {
              server_addresses: member.serverAddresses.map(formatAddress),
              election_addresses: member.electionAddresses.map(formatAddress),
              client_address: member.clientAddress,
              learner_type: member.learnerType,
            },
          ]),
      ),
    }),
};

/** Packets are sent in the turn that makes them, so queues are always empty. */
const observers: AdminCommand = {
  name: 'observers',
  aliases: ['obsr'],
  method: 'GET',
  run: ({ server }) => {
    const { leader, quorum } = server;
    return fields({
      synced_observers: leader?.syncedObservers ?? quorum?.syncedObservers ?? 0,
      observers: server.observers().map((observer) => ({
        // In the format in which Java prints an address.
        remote_socket_address: `/${observer.remote}`,
        sid: observer.sid,
        established: observer.establishedMs,
        queued_packets: 0,
        queued_packets_size: 0,
        packets_received: observer.packetsReceived,
        packets_sent: observer.packetsSent,
        requests: observer.requests,
        last_zxid: BigInt.asIntN(64, observer.lastZxid),
      })),
    });
  },
};

const observerConnectionStatReset: AdminCommand = {
  name: 'observer_connection_stat_reset',
  aliases: ['orst'],
  method: 'GET',
  isChange: true,
  run: ({ server }) => {
    server.resetObserverStats();
    return fields({});
  },
};

export const LIST_COMMANDS: readonly AdminCommand[] = [
  watchSummary,
  watches,
  watchesByPath,
  dump,
  leader,
  zabstate,
  votingView,
  observers,
  observerConnectionStatReset,
];

function signedId(id: bigint): bigint {
  return BigInt.asIntN(64, id);
}
