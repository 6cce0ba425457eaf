/** The one session of the console: opened at the first request, and again after it expired. */
import type { ZooKeeperClient } from '../client/base/client.js';
import { formatServerAddress } from '../client/base/connect-string.js';
import type { ClientSasl } from '../client/base/kerberos.js';
import type { TlsOptions } from '../client/base/tls.js';
import { createClient } from '../client/zookeeper.js';
import type { MemberAddress } from '../commands/ensemble/member-address.js';

const CONNECT_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 15_000;
/** The names of a million children take about 20 MiB. */
const MAX_REPLY_LENGTH = 64 * 1024 * 1024;
const ENDED: readonly string[] = ['expired', 'closed', 'auth-failed'];

export interface Credentials {
  /** `user:password` for the digest scheme. */
  readonly auth: string | undefined;
  readonly sasl: ClientSasl | undefined;
}

export interface SessionOptions {
  readonly members: readonly MemberAddress[];
  readonly tls: TlsOptions | undefined;
  readonly credentials: Credentials;
  /** A new session has no watches yet. */
  readonly onOpen: (client: ZooKeeperClient) => void;
  readonly onState: (isConnected: boolean) => void;
}

/** As zkops reads it from --servers. */
export function memberText(address: MemberAddress): string {
  return `${address.isSecure === true ? 'zks://' : ''}${formatServerAddress(address)}`;
}

/** Only the members with TLS, if any: one session cannot mix both. */
export function connectStringOf(members: readonly MemberAddress[]): string {
  const secure = members.filter(({ isSecure }) => isSecure === true);
  if (secure.length === 0) return members.map(formatServerAddress).join();
  return `zks://${secure.map(formatServerAddress).join()}`;
}

export class ConsoleSession {
  private readonly options: SessionOptions;
  private opening: Promise<ZooKeeperClient> | undefined;
  private current: ZooKeeperClient | undefined;

  constructor(options: SessionOptions) {
    this.options = options;
  }

  client(): Promise<ZooKeeperClient> {
    const { current } = this;
    if (current !== undefined && !ENDED.includes(current.state)) return Promise.resolve(current);
    this.opening ??= this.open().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    await this.current?.close();
  }

  private async open(): Promise<ZooKeeperClient> {
    const { members, tls, credentials, onOpen, onState } = this.options;
    const { auth, sasl } = credentials;
    const client = createClient({
      connectString: connectStringOf(members),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
      maxFrameLength: MAX_REPLY_LENGTH,
      canBeReadOnly: true,
      ...(tls === undefined ? {} : { tls }),
      ...(sasl === undefined ? {} : { sasl }),
    });
    await client.connect();
    if (auth !== undefined) {
      try {
        await client.addAuth('digest', auth);
      } catch (error) {
        await client.close();
        throw error;
      }
    }
    client.on('state', (state) => onState(state.startsWith('connected')));
    this.current = client;
    onOpen(client);
    return client;
  }
}
