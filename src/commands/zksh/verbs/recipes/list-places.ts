import { formatServerAddress, parseConnectString } from '../../../../client/base/connect-string.js';
import { askWord } from '../../../../client/base/four-letter.js';
import { cons } from '../../../../fourlw/cons.js';
import { childPath } from '../../../../protocol/path.js';
import { formatSessionId } from '../../../../protocol/session-id.js';
import { LOCK_KINDS, type Member, parseMembers } from '../../../../recipes/base/members.js';
import { blockersOf } from '../../../../recipes/locks/shared-lock.js';
import type { Result } from '../../../results/result.js';
import type { CommandContext } from '../../engine/command.js';

interface Place {
  readonly state: 'holds' | 'waits';
  readonly mode: string;
  readonly name: string;
  readonly sessionId: string;
  readonly address: string | null;
}

const MODES: Readonly<Record<string, string>> = {
  lock: 'alone',
  write: 'alone',
  read: 'shared',
};

/** The holders of a lock and the clients that wait for it, in order. */
export async function listPlaces(context: CommandContext, path: string): Promise<Result> {
  const { client } = context;
  const { children } = await client.getChildren(path);
  const members = parseMembers(children, LOCK_KINDS);
  const { bySession, note } =
    members.length === 0
      ? { bySession: new Map<string, string>(), note: undefined }
      : await findSessionAddresses(context);
  const places: Place[] = [];
  for (const [at, member] of members.entries()) {
    const stat = await client.exists(childPath(path, member.name));
    if (stat === null) continue;
    const sessionId = formatSessionId(stat.ephemeralOwner);
    places.push({
      state: isHolding(member, members.slice(0, at)) ? 'holds' : 'waits',
      mode: MODES[member.kind] ?? member.kind,
      name: member.name,
      sessionId,
      address: bySession.get(sessionId) ?? null,
    });
  }
  const lines = places.map(({ state, mode, name, sessionId, address }) =>
    [state, mode.padEnd(6), address ?? '?', `session ${sessionId}`, name].join('  '),
  );
  const isUnknown = places.some(({ address }) => address === null);
  const why = isUnknown && note !== undefined ? [`(addresses: ${note})`] : [];
  const text = places.length === 0 ? 'no holder, no waiters' : [...lines, ...why].join('\n');
  return { kind: 'message', text, fields: { path, places, note: note ?? null } };
}

function isHolding(member: Member, before: readonly Member[]): boolean {
  return blockersOf(member.kind === 'read' ? 'read' : 'write', before).length === 0;
}

export interface SessionAddresses {
  /** host:port of a client by session id, as formatSessionId writes it. */
  readonly bySession: ReadonlyMap<string, string>;
  /** The reason why addresses may be missing; undefined if every server answered. */
  readonly note: string | undefined;
}

export async function findSessionAddresses({
  session,
  signal,
}: CommandContext): Promise<SessionAddresses> {
  const bySession = new Map<string, string>();
  const notes: string[] = [];
  const ask = async (server: ReturnType<typeof parseConnectString>['servers'][number]) => {
    const name = formatServerAddress(server);
    try {
      const { tls, wordTimeoutMs: timeoutMs } = session;
      const options = { timeoutMs, signal, tls };
      const answer = (await askWord(server, 'cons', options)).toString();
      if (answer.includes('not in the whitelist')) {
        notes.push(`${name}: word cons is not allowed; add it to 4lw.commands.whitelist`);
      }
      for (const { sessionId, remote } of cons.parse(answer).connections) {
        if (sessionId !== undefined) bySession.set(formatSessionId(BigInt(sessionId)), remote);
      }
    } catch (error) {
      notes.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  };
  await Promise.all(parseConnectString(session.target).servers.map(ask));
  return { bySession, note: notes.length === 0 ? undefined : notes.join('; ') };
}
