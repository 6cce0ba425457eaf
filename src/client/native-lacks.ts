import type { ACL, ClientInfo, Stat } from '../protocol/data.js';
import type { OpResult } from './client.js';
import { ClientLife } from './client-life.js';
import { formatServerAddress, type ServerAddress } from './connect-string.js';
import { UnsupportedError } from './errors.js';

/** The operations that the npm package `zookeeper` has no call for, or none that can be used. */
export abstract class NativeLacks extends ClientLife {
  updateServers(): void {
    throw unsupported('change the list of servers of a session');
  }
  async multi(): Promise<readonly OpResult[]> {
    throw unsupported('send a multi');
  }
  /** The package has a call for it, which ends the process with SIGSEGV when the read fails. */
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
    throw unsupported('ask who it is');
  }
  async addWatch(): Promise<void> {
    throw unsupported('arm a persistent watch');
  }
  async removeWatches(): Promise<void> {
    throw unsupported('remove watches');
  }
}

export function unsupported(what: string): UnsupportedError {
  return new UnsupportedError(
    `the npm package zookeeper cannot ${what}: use the built-in client for it`,
  );
}

/** The package writes the text "null" for a null, which is worse than none. */
export function writable(data: Buffer | null): Buffer {
  if (data === null) throw unsupported('write a value that is null rather than empty');
  return data;
}

/** Why a server gave no session, the C client keeps to its log. */
export function failedAttempts(
  servers: readonly ServerAddress[],
): readonly { readonly server: string; readonly reason: string }[] {
  return servers.map((address) => {
    const server = formatServerAddress(address);
    return { server, reason: `${server} did not answer the C client` };
  });
}
