import type { ZooKeeperClient } from '../../../client/base/client.js';
import { formatServerAddress } from '../../../client/base/connect-string.js';
import type { TlsOptions } from '../../../client/base/tls.js';
import { createClient } from '../../../client/zookeeper.js';
import type { MemberAddress } from '../../ensemble/member-address.js';

export interface ChildrenOptions {
  readonly timeoutMs: number;
  readonly tls?: TlsOptions | undefined;
  /** user:password for the digest scheme. */
  readonly auth?: string | undefined;
}

/** Uses one session for all calls of `use`, through any of the members. */
export async function withChildren<Value>(
  members: readonly MemberAddress[],
  { timeoutMs, tls, auth }: ChildrenOptions,
  use: (listChildren: (path: string) => Promise<readonly string[]>) => Promise<Value>,
): Promise<Value> {
  const isSecure = members.some((member) => member.isSecure === true);
  const client: ZooKeeperClient = createClient({
    connectString: `${isSecure ? 'zks://' : ''}${members.map(formatServerAddress).join(',')}`,
    sessionTimeoutMs: timeoutMs,
    connectTimeoutMs: timeoutMs,
    requestTimeoutMs: timeoutMs,
    connectRounds: 1,
    canBeReadOnly: true,
    ...(tls === undefined ? {} : { tls }),
  });
  try {
    await client.connect();
    if (auth !== undefined) await client.addAuth('digest', auth);
    return await use(async (path) => (await client.getChildren(path)).children);
  } finally {
    await client.close();
  }
}
