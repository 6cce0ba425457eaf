import type { ParsedConnection } from '../../../fourlw/base/connection-line.js';
import { STATE } from '../../ensemble/columns.js';
import { shortCount } from '../../ensemble/format.js';
import { type Member, parsedOf } from '../../ensemble/member.js';
import type { OpsVerb } from '../../ensemble/verb.js';

/** A probe, such as this one, has no session. */
function clientsOf(member: Member): readonly ParsedConnection[] | undefined {
  return parsedOf(member, 'cons')?.connections.filter(({ sessionId }) => sessionId !== undefined);
}

function hostOf({ remote }: ParsedConnection): string {
  return remote.replace(/:\d+$/, '');
}

/** `10.0.0.7 (12)`: the host with the most connections, because servers limit them by address. */
function busiestHost(member: Member): string | undefined {
  const counts = new Map<string, number>();
  for (const client of clientsOf(member) ?? []) {
    const host = hostOf(client);
    counts.set(host, (counts.get(host) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first === undefined ? undefined : `${first[0]} (${first[1]})`;
}

function sumOf(member: Member, field: 'queued' | 'received' | 'sent'): number | undefined {
  return clientsOf(member)?.reduce((sum, client) => sum + (client[field] ?? 0), 0);
}

export const cons: OpsVerb = {
  name: 'cons',
  summary: 'Count the connections of every member; with --all, list them',
  words: ['cons'],
  judge: 'answers',
  columns: [
    STATE,
    { key: 'clients', rank: 1, value: (member) => clientsOf(member)?.length },
    {
      key: 'hosts',
      rank: 2,
      value: (member) => {
        const clients = clientsOf(member);
        return clients && new Set(clients.map(hostOf)).size;
      },
    },
    { key: 'most_from', rank: 3, value: busiestHost },
    { key: 'queued', rank: 4, value: (member) => sumOf(member, 'queued') },
    { key: 'received', rank: 6, value: (member) => sumOf(member, 'received'), show: shortCount },
    { key: 'sent', rank: 7, value: (member) => sumOf(member, 'sent'), show: shortCount },
    {
      title: 'MAX ms',
      key: 'max_latency_ms',
      rank: 5,
      value: (member) => {
        const worst = clientsOf(member)?.map(({ maxLatencyMs }) => maxLatencyMs ?? 0);
        return worst?.reduce((most, one) => Math.max(most, one), 0);
      },
    },
  ],
  details: {
    keys: ['client', 'session', 'last', 'queued', 'received', 'sent', 'avg_ms', 'max_ms'],
    rows: (member) =>
      (parsedOf(member, 'cons')?.connections ?? []).map((connection) => [
        connection.remote,
        connection.sessionId,
        connection.lastOperation,
        connection.queued,
        connection.received,
        connection.sent,
        connection.avgLatencyMs,
        connection.maxLatencyMs,
      ]),
  },
  data: (member) => ({
    connections: parsedOf(member, 'cons')?.connections.map(({ fields: _, ...rest }) => rest),
  }),
};
