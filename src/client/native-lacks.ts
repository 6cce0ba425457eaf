import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import type { OpResult } from './client.js';
import { ClientLife } from './client-life.js';
import { formatServerAddress, type ServerAddress } from './connect-string.js';
import { UnsupportedError } from './errors.js';

/** The operations that the npm package `zookeeper` lacks, or that do not work in it. */
export abstract class NativeLacks extends ClientLife {
  updateServers(): void {
    throw unsupported('change the list of servers of a session');
  }
  async multi(): Promise<readonly OpResult[]> {
    throw unsupported('send a multi');
  }
  /** The package has a call for it, but it ends the process with SIGSEGV when the read fails. */
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
  async removeWatches(): Promise<void> {
    throw unsupported('remove watches');
  }
}

export function unsupported(what: string): UnsupportedError {
  return new UnsupportedError(`native client: cannot ${what}: use the built-in client`);
}

/** The package would write the text "null". */
export function writable(data: Buffer | null): Buffer {
  if (data === null) throw unsupported('write null data');
  return data;
}

/** The C client only logs the reason of a failure. */
export function failedAttempts(
  servers: readonly ServerAddress[],
): readonly { readonly server: string; readonly reason: string }[] {
  return servers.map((address) => {
    const server = formatServerAddress(address);
    return { server, reason: `${server} did not answer the C client` };
  });
}
