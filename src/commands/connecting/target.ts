// A target is [zks://]host[:port][,host[:port]...][/chroot], srv://NAME, or dns-srv://NAME.

import { parseConnectString } from '../../client/base/connect-string.js';
import { checkSrvTarget, isSrvTarget, resolveSrv } from '../../client/hosts/srv-target.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';

export function isSecureTarget(target: string): boolean {
  return /^(zks|srvs):\/\//.test(target);
}

export function checkTarget(target: string): void {
  try {
    if (isSrvTarget(target)) checkSrvTarget(target);
    else parseConnectString(target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw badTarget(target, reason, error);
  }
}

export function badTarget(target: string, reason: string, cause: unknown): CommandError {
  return new CommandError(`invalid server list: "${target}": ${reason}`, {
    code: 'USAGE',
    exitCode: ExitCode.usage,
    hint: 'use [zks://]host[:port][,host[:port]...][/chroot], or srv://_zookeeper._tcp.DOMAIN[/chroot]',
    cause,
  });
}

/** Resolves a DNS name to its current servers. @throws ConnectError if it has no servers */
export async function namedServers(target: string): Promise<string> {
  return isSrvTarget(target) ? resolveSrv(target) : target;
}
