import { parseServerAddress } from '../../../../client/connect-string.js';
import type { ParsedServer } from '../../../../fourlw/srvr.js';
import { isSecureTarget } from '../../../connecting/target.js';
import type { ShellSession } from '../../session/shell-session.js';

/**
 * Sends srvr to the server of this session, on a separate connection.
 * @returns undefined without a server, or if the server does not answer the word
 */
export async function askServer(
  { client, target, tls, wordTimeoutMs: timeoutMs }: ShellSession,
  signal?: AbortSignal,
): Promise<ParsedServer | undefined> {
  // Read once: the connection may be lost during the awaits below.
  const server = client?.server;
  if (server === undefined) return undefined;
  try {
    const [{ askWord }, { parseServer }] = await Promise.all([
      import('../../../../client/four-letter.js'),
      import('../../../../fourlw/srvr.js'),
    ]);
    const plain = parseServerAddress(server);
    const address = isSecureTarget(target) ? { ...plain, isSecure: true as const } : plain;
    const how = {
      timeoutMs,
      ...(tls === undefined ? {} : { tls }),
      ...(signal === undefined ? {} : { signal }),
    };
    return parseServer((await askWord(address, 'srvr', how)).toString());
  } catch {
    // A server may serve this session without allowing four-letter words.
    return undefined;
  }
}
