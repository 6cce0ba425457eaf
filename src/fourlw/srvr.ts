import { formatZxid } from '../protocol/zxid.js';
import {
  formatBriefConnection,
  type ParsedConnection,
  parseConnection,
} from './base/connection-line.js';
import { formatMean, parseInteger, parseJavaNumber } from './base/java-number.js';
import { linesOf } from './base/lines.js';
import type { ServerView } from './base/server-view.js';
import { servingWord } from './base/word.js';

const READ_ONLY_LINE = 'READ-ONLY mode; serving only read-only clients';

/** The answer of `srvr`, or of `stat` with its clients. Absent lines are undefined. */
export interface ParsedServer {
  /** `3.9.3-<revision>, built on …`, or `ClickHouse Keeper …`. */
  readonly version: string | undefined;
  /** `3.9.3`, if the version starts with a release. */
  readonly release: string | undefined;
  readonly isReadOnly: boolean;
  readonly latencyMs:
    | { readonly min: number; readonly avg: number; readonly max: number }
    | undefined;
  readonly received: number | undefined;
  readonly sent: number | undefined;
  readonly connections: number | undefined;
  readonly outstanding: number | undefined;
  readonly zxid: bigint | undefined;
  /** standalone, leader, follower, observer, read-only, or the text of the server. */
  readonly mode: string | undefined;
  readonly nodeCount: number | undefined;
  readonly proposalSizes:
    | { readonly last: number; readonly min: number; readonly max: number }
    | undefined;
  readonly clients: readonly ParsedConnection[];
  readonly unknown: readonly string[];
}

export function* serverPieces(
  view: ServerView,
  clients: 'with clients' | 'without clients',
): Generator<string> {
  const { latency, leader } = view;
  const mean = formatMean(latency.avgMs);
  const sizes = leader?.proposalSizes;
  yield `Zookeeper version: ${view.version}\n`;
  if (view.isReadOnly) yield `${READ_ONLY_LINE}\n`;
  if (clients === 'with clients') yield* clientPieces(view);
  yield `Latency min/avg/max: ${latency.minMs}/${mean}/${latency.maxMs}\n`;
  yield `Received: ${view.packetsReceived}\n`;
  yield `Sent: ${view.packetsSent}\n`;
  yield `Connections: ${view.connectionCount}\n`;
  yield `Outstanding: ${view.outstandingRequests}\n`;
  yield `Zxid: ${formatZxid(view.lastProcessedZxid)}\n`;
  yield `Mode: ${view.mode}\n`;
  yield `Node count: ${view.nodeCount}\n`;
  if (sizes !== undefined) {
    yield `Proposal sizes last/min/max: ${sizes.last}/${sizes.min}/${sizes.max}\n`;
  }
}

function* clientPieces(view: ServerView): Generator<string> {
  yield 'Clients:\n';
  for (const connection of view.connections()) yield formatBriefConnection(connection);
  yield '\n';
}

const FIELDS: readonly (readonly [start: string, name: string])[] = [
  ['Zookeeper version:', 'version'],
  ['ClickHouse Keeper version:', 'keeperVersion'],
  ['Latency min/avg/max:', 'latency'],
  ['Received:', 'received'],
  ['Sent:', 'sent'],
  ['Connections:', 'connections'],
  ['Outstanding:', 'outstanding'],
  ['Zxid:', 'zxid'],
  ['Mode:', 'mode'],
  ['Node count:', 'nodeCount'],
  ['Proposal sizes last/min/max:', 'proposalSizes'],
];

export function parseServer(text: string): ParsedServer {
  const found = new Map<string, string>();
  const clients: ParsedConnection[] = [];
  const unknown: string[] = [];
  let isReadOnly = false;
  for (const line of linesOf(text)) {
    const field = FIELDS.find(([start]) => line.startsWith(start));
    const client = field === undefined ? parseConnection(line) : undefined;
    if (field !== undefined) found.set(field[1], line.slice(field[0].length).trim());
    else if (client !== undefined) clients.push(client);
    else if (line.startsWith('READ-ONLY mode')) isReadOnly = true;
    else if (line.trim() !== 'Clients:') unknown.push(line);
  }
  const keeper = found.get('keeperVersion');
  const version = found.get('version') ?? (keeper && `ClickHouse Keeper ${keeper}`);
  const number = (name: string) => parseJavaNumber(found.get(name) ?? '');
  const [minMs, avgMs, maxMs] = parseTriple(found.get('latency'));
  const [last, min, max] = parseTriple(found.get('proposalSizes'));
  return {
    version,
    release: releaseOf(version),
    isReadOnly: isReadOnly || found.get('mode') === 'read-only',
    latencyMs:
      minMs === undefined || avgMs === undefined || maxMs === undefined
        ? undefined
        : { min: minMs, avg: avgMs, max: maxMs },
    received: number('received'),
    sent: number('sent'),
    connections: number('connections'),
    outstanding: number('outstanding'),
    zxid: parseInteger(found.get('zxid') ?? ''),
    mode: found.get('mode'),
    nodeCount: number('nodeCount'),
    proposalSizes:
      last === undefined || min === undefined || max === undefined ? undefined : { last, min, max },
    clients,
    unknown,
  };
}

function parseTriple(text: string | undefined): (number | undefined)[] {
  const parts = (text ?? '').split('/').map(parseJavaNumber);
  return parts.length === 3 ? parts : [];
}

/** `3.9.3` of `3.9.3-c26634f, built on …`, and the whole `3.9.4-zksh-1.0.0` of a bundled server. */
export function releaseOf(version: string | undefined): string | undefined {
  return /(?<!\d)\d+\.\d+(?:\.\d+)*(?:-zksh-[\w.-]+)?/.exec(version ?? '')?.[0];
}

export const srvr = servingWord<ParsedServer>({
  word: 'srvr',
  summary: 'Print version, latency, packets, connections, zxid, mode, and node count',
  pieces: (view) => serverPieces(view, 'without clients'),
  parse: parseServer,
});
