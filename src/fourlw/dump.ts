import { formatSessionId } from '../protocol/session-id.js';
import { formatGroup, type Groups } from './base/groups.js';
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

function* formatBuckets(title: string, buckets: readonly SessionBucketView[]): Generator<string> {
  const count = buckets.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0);
  yield `${title} (${buckets.length})/(${count}):\n`;
  for (const { expiresAtMs, sessionIds } of buckets) {
    const heading = `${sessionIds.length} expire at ${formatJavaDate(expiresAtMs)}:`;
    yield* formatGroup(heading, sessionIds, formatSessionId);
  }
}

function* sessionPieces(view: ServerView): Generator<string> {
  const sessions = view.sessions();
  const { localBuckets } = sessions;
  if (localBuckets !== undefined) yield* formatBuckets('Local Session Sets', localBuckets);
  if (sessions.kind === 'tracker') {
    const title = localBuckets === undefined ? 'Session Sets' : 'Global Session Sets';
    yield* formatBuckets(title, sessions.buckets);
    return;
  }
  yield `Global Sessions(${sessions.sessions.length}):\n`;
  for (const { sessionId, timeoutMs } of sessions.sessions) {
    yield `${formatSessionId(sessionId)}\t${timeoutMs}ms\n`;
  }
}

function* connectionPieces(buckets: readonly ConnectionBucketView[]): Generator<string> {
  const count = buckets.reduce((sum, { connections }) => sum + connections.length, 0);
  yield `Connections Sets (${buckets.length})/(${count}):\n`;
  for (const { expiresAtMs, connections } of buckets) {
    const heading = `${connections.length} expire at ${formatJavaDate(expiresAtMs)}:`;
    yield* formatGroup(
      heading,
      connections,
      ({ remote, sessionId }) => `ip: /${remote} sessionId: ${formatSessionId(sessionId)}`,
    );
  }
}

function* pieces(view: ServerView): Generator<string> {
  yield 'SessionTracker dump:\n';
  yield* sessionPieces(view);
  const ephemerals = view.ephemerals();
  yield `ephemeral nodes dump:\nSessions with Ephemerals (${ephemerals.length}):\n`;
  for (const { sessionId, paths } of ephemerals) {
    yield* formatGroup(`${formatSessionId(sessionId)}:`, paths, (path) => path);
  }
  yield 'Connections dump:\n';
  yield* connectionPieces(view.connectionExpiry());
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
  pieces,
  parse,
});
