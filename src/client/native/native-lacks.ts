import type { ACL, ClientInfo, Stat } from '../../protocol/data.js';
import type { OpResult, ReadResult, WatchChange, ZooKeeperClient } from '../base/client.js';
import { formatServerAddress, type ServerAddress } from '../base/connect-string.js';
import { type FailedAttempt, UnsupportedError } from '../base/errors.js';
import type { ResolvedOptions } from '../calls/arguments.js';
import { ClientLife } from '../calls/client-life.js';

export abstract class NativeLacks extends ClientLife {
  /** The package does not report the answers of a server. */
  readonly silentMs = 0;
  readonly lastZxid = 0n;
  readonly renewsSession = false;

  updateServers(): void {
    throw unsupported('change the list of servers of a session');
  }
  within(): ZooKeeperClient {
    throw unsupported('open a view below a chroot');
  }
  async multi(): Promise<readonly OpResult[]> {
    throw unsupported('send a multi');
  }
  /** The package has a call for it, but the process dies of SIGSEGV if the read fails. */
  async getACL(): Promise<{ acl: readonly ACL[]; stat: Stat }> {
    throw unsupported('read an ACL without a crash when the read fails');
  }
  async getAllChildrenNumber(): Promise<number> {
    throw unsupported('count all children');
  }
  async getEphemerals(): Promise<readonly string[]> {
    throw unsupported('list ephemerals');
  }
  async whoAmI(): Promise<readonly ClientInfo[]> {
    throw unsupported('report its identity');
  }
  async addWatch(): Promise<void> {
    throw unsupported('set a persistent watch');
  }
  async multiRead(): Promise<readonly ReadResult[]> {
    throw unsupported('send a multiRead');
  }
  watch(): AsyncIterableIterator<WatchChange> {
    throw unsupported('set a persistent watch');
  }
}

export function refuseOptions({ options, servers }: ResolvedOptions): void {
  if (options.canBeReadOnly === true) throw unsupported('open a read-only session');
  if (options.renewSession === true) throw unsupported('renew its session');
  if (options.sasl !== undefined) throw unsupported('log in by SASL');
  if (options.shouldResetWatches === false) throw unsupported('drop its watches');
  if (options.metrics !== undefined) throw unsupported('report metrics');
  if (options.maxFrameLength !== undefined) throw unsupported('limit the length of a reply');
  if (servers.some(({ isSecure }) => isSecure)) throw unsupported('use TLS');
}

export function unsupported(what: string): UnsupportedError {
  return new UnsupportedError(`native client: cannot ${what}: use the built-in client`);
}

/** The package would write the text "null". */
export function writable(data: Buffer | null): Buffer {
  if (data === null) throw unsupported('write null data');
  return data;
}

/** The C client only logs the reasons. */
export function failedAttempts(servers: readonly ServerAddress[]): readonly FailedAttempt[] {
  return servers.map((address) => {
    const server = formatServerAddress(address);
    return { server, code: 'ETIMEDOUT', reason: `${server} did not answer the C client` };
  });
}
