import { hex64 } from '../../protocol/zxid.js';
import { parseInteger, parseJavaNumber } from './java-number.js';
import { pairOf } from './lines.js';
import type { ConnectionView } from './server-view.js';

/** One line of `cons` or of the client list of `stat`. Absent fields are undefined. */
export interface ParsedConnection {
  /** `127.0.0.1:38772`; IPv6 as the server printed it. */
  readonly remote: string;
  readonly interestOps: number | undefined;
  readonly queued: number | undefined;
  readonly received: number | undefined;
  readonly sent: number | undefined;
  /** `0x100001226710000`; undefined for a probe, which has no session. */
  readonly sessionId: string | undefined;
  readonly lastOperation: string | undefined;
  /** Milliseconds since 1970. */
  readonly establishedMs: number | undefined;
  readonly sessionTimeoutMs: number | undefined;
  readonly lastCxid: string | undefined;
  readonly lastZxid: string | undefined;
  readonly lastLatencyMs: number | undefined;
  readonly minLatencyMs: number | undefined;
  readonly avgLatencyMs: number | undefined;
  readonly maxLatencyMs: number | undefined;
  /** Every field of the line as it is, known or not. */
  readonly fields: Readonly<Record<string, string>>;
}

/** ` /127.0.0.1:38772[1](queued=0,recved=6,sent=6`, the start of both forms. */
function formatStart(connection: ConnectionView): string {
  const ops = connection.interestOps.toString(16);
  const { outstanding, packetsReceived, packetsSent } = connection;
  const counts = `queued=${outstanding},recved=${packetsReceived},sent=${packetsSent}`;
  return ` /${connection.remote}[${ops}](${counts}`;
}

export function formatBriefConnection(connection: ConnectionView): string {
  return `${formatStart(connection)})\n`;
}

/** Source: ServerCnxn.dumpConnectionInfo. */
export function formatFullConnection(connection: ConnectionView): string {
  if (connection.sessionId === 0n) return formatBriefConnection(connection);
  const { lastCxid } = connection;
  const fields = [
    `sid=0x${hex64(connection.sessionId)}`,
    `lop=${connection.lastOperation}`,
    `est=${connection.establishedMs}`,
    `to=${connection.sessionTimeoutMs}`,
    ...(lastCxid < 0n ? [] : [`lcxid=0x${hex64(lastCxid)}`]),
    `lzxid=0x${hex64(connection.lastZxid)}`,
    `lresp=${connection.lastResponseMs}`,
    `llat=${connection.lastLatencyMs}`,
    `minlat=${connection.minLatencyMs}`,
    `avglat=${Math.trunc(connection.avgLatencyMs)}`,
    `maxlat=${connection.maxLatencyMs}`,
  ];
  return `${formatStart(connection)},${fields.join(',')})\n`;
}

// The slash and the bits in brackets are Apache's; ClickHouse Keeper prints neither.
// An address has no parenthesis: with one, each of them would be tried up to the end of the line.
const LINE = /^\s*\/?([^\s(]+?)(?:\[([0-9a-f]+)\])?\(([^)]*)\)\s*$/i;

/** Undefined when the line is not a connection. */
export function parseConnection(line: string): ParsedConnection | undefined {
  const match = LINE.exec(line);
  if (match?.[1] === undefined || match[3] === undefined) return undefined;
  const fields: Record<string, string> = {};
  for (const part of match[3].split(',')) {
    const [name, value] = pairOf(part) ?? [part, ''];
    if (name !== '') fields[name] = value;
  }
  const number = (name: string) => parseJavaNumber(fields[name] ?? '');
  const hex = (name: string) => {
    const value = parseInteger(fields[name] ?? '');
    return value === undefined ? undefined : `0x${hex64(value)}`;
  };
  return {
    remote: match[1],
    interestOps: match[2] === undefined ? undefined : Number.parseInt(match[2], 16),
    queued: number('queued'),
    received: number('recved'),
    sent: number('sent'),
    sessionId: hex('sid'),
    lastOperation: fields['lop'],
    establishedMs: number('est'),
    sessionTimeoutMs: number('to'),
    lastCxid: hex('lcxid'),
    lastZxid: hex('lzxid'),
    lastLatencyMs: number('llat'),
    minLatencyMs: number('minlat'),
    avgLatencyMs: number('avglat'),
    maxLatencyMs: number('maxlat'),
    fields,
  };
}
