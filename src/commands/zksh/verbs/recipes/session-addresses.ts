import { formatServerAddress, parseConnectString } from '../../../../client/base/connect-string.js';
import { askWord } from '../../../../client/base/four-letter.js';
import { cons } from '../../../../fourlw/cons.js';
import { formatSessionId } from '../../../../protocol/session-id.js';
import type { CommandContext } from '../../engine/command.js';

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
      const options = { timeoutMs, signal, ...(tls === undefined ? {} : { tls }) };
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
