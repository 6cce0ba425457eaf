import { parseServerAddress } from '../../../../client/connect-string.js';
import type { ParsedServer } from '../../../../fourlw/srvr.js';
import { isSecureTarget } from '../../../connecting/target.js';
import type { ShellSession } from '../../session/shell-session.js';

/**
 * What the server that the session is on says to srvr, on a connection beside it.
 * @returns undefined where it does not say: there is none, or it answers no words
 */
export async function askServer(
  { client, target, tls, wordTimeoutMs: timeoutMs }: ShellSession,
  signal?: AbortSignal,
): Promise<ParsedServer | undefined> {
  // Read once: the connection may be lost during each wait below.
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
    // It answers this session; that it answers no words is no fault.
    return undefined;
  }
}
