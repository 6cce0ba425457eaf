// The client connections of all members, by host.

import type { ParsedConnection } from '../../../fourlw/base/connection-line.js';
import { shortCount, shortNumber } from '../../ensemble/format.js';
import { type Member, parsedOf } from '../../ensemble/member.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { counted } from '../../program/counted.js';
import {
  type Column,
  finishedReport,
  namedColumns,
  type Report,
  type Row,
} from '../../results/result.js';
import { limitOptions, TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { askMembers, downProblems, hostOf, refusals, silence } from './ask-members.js';

/** From this share of maxClientCnxns on, zkops reports a host. */
const LIMIT_SHARE = 0.8;
/** The busiest member may have this many times the mean. */
const FAIR_SHARE = 2;
/** With fewer connections, the balance does not matter. */
const MIN_CONNECTIONS = 20;
const DEFAULT_LIMIT = 20;

interface Client {
  readonly member: Member;
  readonly host: string;
  readonly connection: ParsedConnection;
  /** Undefined if no member lists them. */
  readonly ephemerals: number | undefined;
}

/** A probe, such as this one, has no session. */
function clientsOf(member: Member, ephemerals: ReadonlyMap<string, number> | undefined): Client[] {
  return (parsedOf(member, 'cons')?.connections ?? []).flatMap((connection) => {
    const { sessionId } = connection;
    if (sessionId === undefined) return [];
    const own = ephemerals === undefined ? undefined : (ephemerals.get(sessionId) ?? 0);
    return [{ member, host: hostOf(connection), connection, ephemerals: own }];
  });
}

/** By session id. Every member knows the ephemerals of all sessions. */
function ephemeralsOf(members: readonly Member[]): Map<string, number> | undefined {
  if (members.every((member) => parsedOf(member, 'dump') === undefined)) return undefined;
  const counts = new Map<string, number>();
  for (const member of members) {
    for (const [session, paths] of parsedOf(member, 'dump')?.ephemerals ?? []) {
      counts.set(session, paths.length);
    }
  }
  return counts;
}

const sum = (clients: readonly Client[], field: 'queued' | 'received' | 'sent'): number =>
  clients.reduce((total, { connection }) => total + (connection[field] ?? 0), 0);

function figuresOf(clients: readonly Client[]): Row {
  const sessions = new Set(clients.map(({ connection }) => connection.sessionId));
  const worst = clients.map(({ connection }) => connection.maxLatencyMs ?? 0);
  return [
    clients.length,
    sessions.size,
    sum(clients, 'queued'),
    sum(clients, 'received'),
    sum(clients, 'sent'),
    worst.reduce((most, one) => Math.max(most, one), 0),
    clients.reduce<number | undefined>(
      (total, { ephemerals }) =>
        ephemerals && total !== undefined
          ? total + ephemerals
          : ephemerals === undefined
            ? undefined
            : total,
      0,
    ),
  ];
}

function groupBy(
  clients: readonly Client[],
  keyOf: (client: Client) => string,
): Map<string, Client[]> {
  const groups = new Map<string, Client[]>();
  for (const client of clients) {
    const key = keyOf(client);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [client]);
    else group.push(client);
  }
  return groups;
}

/** Each member limits the connections of one address. */
function limitProblems(members: readonly Member[], clients: readonly Client[]): Problem[] {
  return members.flatMap((member) => {
    const limit = Number(parsedOf(member, 'conf')?.values['maxClientCnxns'] ?? 0);
    if (!(limit > 0)) return [];
    const own = clients.filter((client) => client.member === member);
    return [...groupBy(own, ({ host }) => host)].flatMap(([host, group]): Problem[] => {
      if (group.length < limit * LIMIT_SHARE) return [];
      const text = `${host}: ${group.length} of ${limit} connections (maxClientCnxns): the next ones are refused`;
      return [{ level: 'warning', code: 'near-limit', server: member.server, text }];
    });
  });
}

function balanceProblems(members: readonly Member[], clients: readonly Client[]): Problem[] {
  const reporting = members.filter((member) => parsedOf(member, 'cons') !== undefined);
  if (reporting.length < 2 || clients.length < MIN_CONNECTIONS) return [];
  const counts = reporting.map((member) => ({
    member,
    count: clients.filter((client) => client.member === member).length,
  }));
  const mean = clients.length / reporting.length;
  const busiest = counts.toSorted((a, b) => b.count - a.count)[0];
  if (busiest === undefined || busiest.count < FAIR_SHARE * mean) return [];
  const times = shortNumber(busiest.count / mean);
  const text = `${busiest.count} of ${clients.length} connections, ${times} times the mean: after a restart of other members, clients stay until they reconnect`;
  return [{ level: 'warning', code: 'imbalance', server: busiest.member.server, text }];
}

const GROUPS = ['host', 'member', 'session'] as const;

async function clients(call: TaskCall): Promise<Report> {
  const result = await askMembers(call, ['cons', 'conf', 'dump'], {
    extraWords: ['conf', 'dump'],
  });
  const { members } = result;
  const ephemerals = ephemeralsOf(members);
  const all = members.flatMap((member) => clientsOf(member, ephemerals));
  const by = GROUPS.find((name) => name === call.text('by')) ?? 'host';
  const groups = groupBy(all, ({ host, member, connection }) =>
    by === 'host' ? host : by === 'member' ? member.server : `${connection.sessionId} ${host}`,
  );
  const limit = call.number('limit') ?? DEFAULT_LIMIT;
  const rows = [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, limit)
    .map(([key, group]): Row => [key, ...figuresOf(group), placesOf(group)]);
  const problems = [
    ...limitProblems(members, all),
    ...balanceProblems(members, all),
    ...refusals(members, ['cons']),
    ...downProblems(result),
  ];
  const hosts = new Set(all.map(({ host }) => host)).size;
  const nobody = silence(members, 'cons', 'its connections');
  problems.push(...nobody);
  const summary =
    nobody[0]?.text ??
    `${counted(all.length, 'connection')} of clients, from ${counted(hosts, 'host')}`;
  const left = groups.size - rows.length;
  return finishedReport([{ key: by }, ...COLUMNS], rows, {
    verdict: concludeFrom(problems, summary),
    notes: left > 0 ? [`${left} more, with fewer connections: --limit shows them.`] : [],
    totals: { connections: all.length, hosts },
  });
}

/** `zk1:2181 12, zk2:2181 3` */
function placesOf(group: readonly Client[]): string {
  return [...groupBy(group, ({ member }) => member.server)]
    .map(([server, own]) => `${server} ${own.length}`)
    .join(', ');
}

const COLUMNS: readonly Column[] = [
  ...namedColumns('connections', 'sessions', 'queued'),
  { key: 'received', show: shortCount },
  { key: 'sent', show: shortCount },
  { title: 'MAX ms', key: 'max_latency_ms' },
  { key: 'ephemerals' },
  { title: 'AT', key: 'members' },
];

export const clientsTask: Task = {
  name: 'clients',
  options: {
    by: {
      kind: 'text',
      choices: GROUPS,
      valueName: 'WHAT',
      fallback: 'host',
      summary: 'group the rows',
    },
    ...limitOptions('number of rows', DEFAULT_LIMIT),
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  run: clients,
};
