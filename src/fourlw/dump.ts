import { formatSessionId } from '../protocol/session-id.js';
import { formatGroups, type Groups } from './base/groups.js';
import { formatJavaDate } from './base/java-date.js';
import { linesOf } from './base/lines.js';
import type { ConnectionBucketView, ServerView, SessionBucketView } from './base/server-view.js';
import { servingWord } from './base/word.js';

export interface ParsedDump {
  readonly sessions: readonly string[];
  readonly ephemerals: Groups;
  readonly connections: readonly { readonly remote: string; readonly sessionId: string }[];
  readonly unknown: readonly string[];
}

function formatBuckets(title: string, buckets: readonly SessionBucketView[]): string {
  const count = buckets.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  const groups: Groups = buckets.map(({ expiresAtMs, sessionIds }) => [
    `${sessionIds.length} expire at ${formatJavaDate(expiresAtMs)}:`,
    sessionIds.map(formatSessionId),
  ]);
  return `${title} (${buckets.length})/(${count}):\n${formatGroups(groups)}`;
}

function renderSessions(view: ServerView): string {
  const sessions = view.sessions();
  const { localBuckets } = sessions;
  const local = localBuckets === undefined ? '' : formatBuckets('Local Session Sets', localBuckets);
  if (sessions.kind === 'tracker') {
    const title = localBuckets === undefined ? 'Session Sets' : 'Global Session Sets';
    return local + formatBuckets(title, sessions.buckets);
  }
  const lines = sessions.sessions.map(
    ({ sessionId, timeoutMs }) => `${formatSessionId(sessionId)}\t${timeoutMs}ms\n`,
  );
  return `${local}Global Sessions(${lines.length}):\n${lines.join('')}`;
}

function formatConnections(buckets: readonly ConnectionBucketView[]): string {
  const count = buckets.reduce((sum, { connections }) => sum + connections.length, 0);
  const groups: Groups = buckets.map(({ expiresAtMs, connections }) => [
    `${connections.length} expire at ${formatJavaDate(expiresAtMs)}:`,
    connections.map(
      ({ remote, sessionId }) => `ip: /${remote} sessionId: ${formatSessionId(sessionId)}`,
    ),
  ]);
  return `Connections Sets (${buckets.length})/(${count}):\n${formatGroups(groups)}`;
}

function render(view: ServerView): string {
  const ephemerals: Groups = view
    .ephemerals()
    .map(({ sessionId, paths }) => [`${formatSessionId(sessionId)}:`, paths]);
  return [
    'SessionTracker dump:\n',
    renderSessions(view),
    'ephemeral nodes dump:\n',
    `Sessions with Ephemerals (${ephemerals.length}):\n`,
    formatGroups(ephemerals),
    'Connections dump:\n',
    formatConnections(view.connectionExpiry()),
  ].join('');
}

const HEADINGS =
  /^(SessionTracker dump|Sessions dump|(Local |Global )?Session Sets|Global Sessions|ephemeral nodes dump|Connections dump|Connections Sets|\d+ expire at )/;

function parse(text: string): ParsedDump {
  const sessions: string[] = [];
  const ephemerals: [string, string[]][] = [];
  const connections: { remote: string; sessionId: string }[] = [];
  const unknown: string[] = [];
  let isInEphemerals = false;
  for (const line of linesOf(text)) {
    const connection = /^\s*ip: \/?(\S+) sessionId: (0x[0-9a-f]+)/.exec(line);
    const session = /^\s*(0x[0-9a-f]+)(:|\t\d+ms)?\s*$/.exec(line)?.[1];
    if (line.startsWith('Sessions with Ephemerals')) isInEphemerals = true;
    else if (HEADINGS.test(line)) isInEphemerals = false;
    else if (connection !== null) {
      connections.push({ remote: connection[1] ?? '', sessionId: connection[2] ?? '' });
    } else if (session !== undefined && isInEphemerals) ephemerals.push([session, []]);
    else if (session !== undefined) sessions.push(session);
    else if (isInEphemerals && /^\s+\//.test(line)) ephemerals.at(-1)?.[1].push(line.trim());
    else unknown.push(line);
  }
  return { sessions, ephemerals, connections, unknown };
}

export const dump = servingWord<ParsedDump>({
  word: 'dump',
  summary: 'Print sessions, their ephemerals, and when connections expire',
  render,
  parse,
});
