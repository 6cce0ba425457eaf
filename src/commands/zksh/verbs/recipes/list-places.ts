import { childPath } from '../../../../protocol/path.js';
import { formatSessionId } from '../../../../protocol/session-id.js';
import { LOCK_KINDS, type Member, parseMembers } from '../../../../recipes/base/members.js';
import { blockersOf } from '../../../../recipes/locks/shared-lock.js';
import type { CommandContext } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { findSessionAddresses } from './session-addresses.js';

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
