import type { ZooKeeperClient } from '../../../client/base/client.js';
import { isSecureTarget } from '../../connecting/target.js';
import type { Guard } from './client-guard.js';
import type { ClientFactory, ClientKind, SessionOptions } from './shell-session.js';

const DEFAULT_REQUEST_TIMEOUT_MS = 30_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;
const DEFAULT_SESSION_TIMEOUT_MS = 30_000;
/** Servers may accept large values, by a jute.maxbuffer that zksh does not know. */
const MAX_REPLY_LENGTH = 256 * 1024 * 1024 - 1;

const CLIENTS: Readonly<Record<ClientKind, ClientFactory>> = {
  builtin: async (options) => (await import('../../../client/zookeeper.js')).createClient(options),
  native: async (options) =>
    (await import('../../../client/native/native.js')).createNativeClient(options),
};

/** Does not connect. @param isOrdered tries the servers in the order of the target */
export async function makeClient(
  options: SessionOptions,
  target: string,
  isOrdered: boolean,
  guard: Guard,
): Promise<ZooKeeperClient> {
  const { timeoutMs, tls, clientKind = 'builtin', createClient = CLIENTS[clientKind] } = options;
  const client = await createClient({
    ...(clientKind === 'builtin' ? { maxFrameLength: MAX_REPLY_LENGTH } : {}),
    ...options.client,
    connectString: target,
    sessionTimeoutMs: timeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS,
    connectTimeoutMs: timeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    requestTimeoutMs: timeoutMs ?? options.client?.requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    isUnknownHostFinal: true,
    canBeReadOnly: guard.isReadOnly,
    ...(isOrdered ? { shouldShuffle: false } : {}),
    ...(tls !== undefined && isSecureTarget(target) ? { tls } : {}),
  });
  if (!guard.isReadOnly && !guard.isDryRun) return client;
  return (await import('./client-guard.js')).guardClient(client, guard);
}
