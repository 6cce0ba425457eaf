import { parseServerAddress } from '../../../client/base/connect-string.js';
import type { ParsedServer } from '../../../fourlw/srvr.js';
import { isSecureTarget } from '../../connecting/target.js';
import type { ShellSession } from './shell-session.js';

/** Uses a separate connection. @returns undefined if the server does not answer srvr */
export async function askServer(
  session: ShellSession,
  signal?: AbortSignal,
): Promise<ParsedServer | undefined> {
  // Read it once, because the connection may be lost during the awaits below.
  const server = session.client?.server;
  if (server === undefined) return undefined;
  try {
    const { parseServer } = await import('../../../fourlw/srvr.js');
    return parseServer(await askWordOf(session, server, 'srvr', signal));
  } catch {
    // A server may serve this session without allowing four-letter words.
    return undefined;
  }
}

/** @param server "host:port" */
export async function askWordOf(
  { target, tls, wordTimeoutMs: timeoutMs }: ShellSession,
  server: string,
  word: string,
  signal?: AbortSignal,
): Promise<string> {
  const { askWord } = await import('../../../client/base/four-letter.js');
  const plain = parseServerAddress(server);
  const address = isSecureTarget(target) ? { ...plain, isSecure: true as const } : plain;
  return (await askWord(address, word, { timeoutMs, tls, signal })).toString();
}
